"""Which numbers can be drawn, which of several is the largest by size, and what is said about those left out."""

from __future__ import annotations

from collections.abc import Sequence

from ...document.spans import Index, Number
from ...engine.arrays import Array, namespace
from .axes import LARGEST


def can_be_drawn(number: Number) -> bool:
    """Whether a number has a place on an axis: -∞ has none."""
    return not isinstance(number.value, str) and abs(number.value) < LARGEST


def largest_of(numbers: Sequence[Number]) -> int | None:
    """The place of the number that is largest by size, the first of several alike; of numbers that cannot be drawn,
    none.

    >>> largest_of([Number("0.5", 0.5, "1", (0,)), Number("-2", -2.0, "1", (1,)), Number("-∞", "-inf", "1", (2,))])
    1
    """
    drawn = [(abs(float(one.value)), -place) for place, one in enumerate(numbers) if can_be_drawn(one)]
    return -max(drawn)[1] if drawn else None


def largest_in(array: Array) -> Index:
    """The index of the entry that is largest by size, the first of several alike; where one is no number, that one.

    >>> import numpy
    >>> largest_in(numpy.asarray([[0.5, -2.0], [2.0, 1.0]]))
    (0, 1)
    """
    xp = namespace(array)
    at = int(xp.argmax(xp.abs(xp.reshape(array, (-1,)))))
    index = []
    for size in reversed(array.shape):
        at, place = divmod(at, size)
        index.append(place)
    return tuple(reversed(index))


def not_drawn(count: int) -> str:
    """A note about numbers that have no place in a figure."""
    return f"Not drawn: {count} values that are not finite, or too large." if count else ""


def only_first(shown: int, count: int) -> str:
    """A note about a figure that has room for only so many of its entries."""
    return f"These are the first {shown} of {count}; the rest is in the data." if count > shown else ""


def joined_notes(*notes: str) -> str:
    return " ".join(note for note in notes if note)
