"""Numbers that would make the rest too easy: with zeros, or with all entries alike, what follows is no work."""

from __future__ import annotations

import math
from collections.abc import Sequence

SMALLER, LARGER = 1 / 200, 1000.0  # than the true ones: no slip of the pen makes numbers so small, or so large
FLATTER = 1 / 50  # of the way between the largest and the smallest true number
PLAIN = (0.0, 1.0)  # sizes of numbers with which nobody has to calculate


def are_trivial(values: Sequence[float], true: Sequence[float]) -> bool:
    """Whether wrong answers would make the rest easy, in a way in which the true ones would not.

    >>> are_trivial([0.0, 1e-9], [0.3, -0.2]), are_trivial([0.5, 0.5001], [0.7, 0.3])
    (True, True)
    >>> are_trivial([0.4, -0.2], [0.3, -0.2])
    False
    """
    if not values:
        return False
    if any(not math.isfinite(value) for value in values):
        return True
    size, own = max(map(abs, true)), max(map(abs, values))
    if size and not SMALLER * size <= own <= LARGER * size:
        return True
    if all(abs(value) in PLAIN for value in values) and not all(abs(value) in PLAIN for value in true):
        return True
    width = max(true) - min(true)
    return width > FLATTER * size and max(values) - min(values) < FLATTER * width
