"""Which of several numbers is the largest by size."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine.arrays import Array, namespace
from .axis import LARGEST
from .spans import Index, Number


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
