"""workings: the transformer that shows its workings.

>>> import workings as w
>>> with w.Trace() as trace:
...     weights = w.ops.softmax(w.given([[2.0, 1.5, 0.3]], "query key", name="scores"), name="weights")
>>> trace["weights"].number(0, 1).text
'0.339'
"""

from __future__ import annotations

from . import loading as loading  # before all others, which take their time
from .engine.arguments import checks_arguments

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import ops
from .document.displayed import draw_with
from .engine.errors import WorkingsError
from .engine.tensor import Tensor
from .ops.given import constant, given, ids, parameter, random
from .ops.parts.drawing import Draws

if TYPE_CHECKING:
    from . import nn, text
    from .conventions import convention
    from .document.blocks import Document
    from .explain.trace import Trace
    from .generation.generate import generate
    from .generation.sampling import Choice
    from .lessons.lesson import lesson
    from .practice.checking.compare import compare
    from .practice.checking.why import why
    from .practice.grading.grade import grade
    from .practice.sheet import make_sheet
    from .scenarios.running.checkpoints import load_checkpoint
    from .scenarios.scenario import scenario

__version__ = "0.8.0"


# What explains is loaded when it is first asked for: computing does not need it.
LATER = {
    "Choice": "generation.sampling",
    "Trace": "explain.trace",
    "compare": "practice.checking.compare",
    "convention": "conventions",
    "generate": "generation.generate",
    "grade": "practice.grading.grade",
    "lesson": "lessons.lesson",
    "load_checkpoint": "scenarios.running.checkpoints",
    "make_sheet": "practice.sheet",
    "scenario": "scenarios.scenario",
    "why": "practice.checking.why",
}
FOLDERS = ("nn", "text")


def __getattr__(name: str) -> Any:
    if name in FOLDERS:
        return import_module(f"{__name__}.{name}")
    if name not in LATER:
        raise AttributeError(f"module 'workings' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


@checks_arguments
def show(what: Any, title: str = "Trace") -> None:
    """Print a trace, or any document, in the terminal."""
    from .explain.trace import Trace
    from .render.terminal import show as print_document

    print_document(what.document(title) if isinstance(what, Trace) else what)


def _drawn(document: Document) -> dict[str, str]:
    """What a notebook shows; only a notebook waits until pages are loaded."""
    from .render.notebook.output import bundle

    return bundle(document)


draw_with(_drawn)

__all__ = [
    "Choice", "Draws", "Tensor", "Trace", "WorkingsError", "compare", "constant", "convention", "generate", "given",
    "grade", "ids", "lesson", "load_checkpoint", "make_sheet", "nn", "ops", "parameter", "random", "scenario", "show",
    "text", "why",
]  # fmt: skip
