"""Whether an answer is a number: to the digits asked, or to those that it has."""

from __future__ import annotations

import math

from ..answers.number import Given
from ..practice.tolerance import DUST, half_unit
from .verdicts import Verdict

ENOUGH = 2  # significant digits that an answer must have to be right to the digits given
ROOM = 1e-9  # relative: for what floating point leaves over


def agrees(given: Given, value: float, tolerance: float, digits: int) -> Verdict | None:
    """The verdict on an answer that should be this value, asked with so many digits; none if it is another number.

    >>> from workings.teach.answers.number import read_number
    >>> [agrees(read_number(text), 0.25344, 0.00005, 4) for text in ("0.2534", "0.25", "0.2")]
    ['right', 'right to the digits given', None]
    """
    if not math.isfinite(value) or not math.isfinite(given.value):
        return "right" if given.value == value else None
    gap, room = abs(given.value - value), ROOM * abs(value) + DUST
    if gap <= tolerance + room:
        return "right"
    coarser = given.unit / 2 - half_unit(value, digits)
    if coarser > 0 and given.value and given.digits >= ENOUGH and gap <= tolerance + coarser + room:
        return "right to the digits given"
    return None
