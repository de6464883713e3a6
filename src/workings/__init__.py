"""workings: the transformer that shows its workings.

import workings as w

with w.Trace() as trace:
weights = w.ops.softmax(w.given([[2.0, 1.5, 0.3]], "query key", name="scores"), name="weights")
print(trace["weights"].cell(0, 1))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import ops
from .engine.errors import WorkingsError
from .explain.displayed import draw_with
from .ops.drawing import Draws
from .ops.given import constant, given, ids, parameter, random

if TYPE_CHECKING:
    from . import models, nn, text
    from .conventions import convention
    from .explain.document import Document
    from .explain.view import Trace
    from .models.scenario import scenario
    from .teach.checking.compare import compare
    from .teach.checking.why import why
    from .teach.grading.grade import grade
    from .teach.lesson import lesson
    from .teach.practice.sheet import make_sheet

__version__ = "0.8.0"


# What explains is loaded when it is first asked for: computing does not need it.
LATER = {
    "Trace": "explain.view",
    "compare": "teach.checking.compare",
    "convention": "conventions",
    "grade": "teach.grading.grade",
    "lesson": "teach.lesson",
    "make_sheet": "teach.practice.sheet",
    "scenario": "models.scenario",
    "why": "teach.checking.why",
}
FOLDERS = ("nn", "models", "text")


def __getattr__(name: str) -> Any:
    if name in FOLDERS:
        return import_module(f"{__name__}.{name}")
    if name not in LATER:
        raise AttributeError(f"module 'workings' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


def show(what: Any, title: str = "Trace") -> None:
    """Print a trace, or any document, in the terminal."""
    from .explain.view import Trace
    from .render.terminal import show as print_document

    print_document(what.document(title) if isinstance(what, Trace) else what)


def _drawn(document: Document) -> dict[str, str]:
    """What a notebook shows; only a notebook waits until pages are loaded."""
    from .render.notebook.output import bundle

    return bundle(document)


draw_with(_drawn)

__all__ = [
    "Draws", "Trace", "WorkingsError", "compare", "constant", "convention", "given", "grade", "ids", "lesson",
    "make_sheet", "models", "nn", "ops", "parameter", "random", "scenario", "show", "text", "why",
]  # fmt: skip
