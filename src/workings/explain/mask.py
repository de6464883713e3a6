"""Which entries of a matrix a mask lets be seen."""

from __future__ import annotations

from collections.abc import Callable

from ..engine.errors import CallError
from .document import Number
from .view import Trace
from .window import Window

MASKS = ("mask", "causal_mask", "padding_mask")  # ops that put -∞ where nobody may look
HIDDEN = "-inf"


def seen_in(trace: Trace, window: Window) -> tuple[tuple[bool, ...], ...]:
    """Entry by entry: where the op was a mask, or has put -∞, all else is seen; of 0 and 1, 1 is seen."""
    numbers = window.numbers
    if window.step.op in MASKS or any(number.value == HIDDEN for number in numbers):
        return _each(window, lambda number: number.value != HIDDEN)
    if all(number.value in (0, 1) for number in numbers):
        return _each(window, lambda number: number.value == 1)
    paths = ", ".join(step.path for step in trace if step.op in MASKS)
    if not paths:
        raise CallError("figure.mask.none", name=window.title, where=window.step.path)
    raise CallError("figure.mask", name=window.title, paths=paths, where=window.step.path)


def _each(window: Window, is_seen: Callable[[Number], bool]) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(is_seen(number) for number in row) for row in window.rows)
