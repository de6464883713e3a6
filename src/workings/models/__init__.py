"""Computations that are ready to run: scenarios, presets, counts; what was trained, and what it writes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .counting import sentences as counting_sentences
from .learning import sentences as learning_sentences
from .reading import sentences as reading_sentences
from .running import sentences as running_sentences

if TYPE_CHECKING:
    from .generating.choice import Choice
    from .generating.generate import generate
    from .learning.checkpoint import load_checkpoint

# Loaded when first asked for: reading a scenario needs none of it.
LATER = {"Choice": "generating.choice", "generate": "generating.generate", "load_checkpoint": "learning.checkpoint"}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'workings.models' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Choice", "counting_sentences", "generate", "learning_sentences", "load_checkpoint", "reading_sentences",
    "running_sentences",
]  # fmt: skip
