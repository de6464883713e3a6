"""How large the numbers of an array are: what a difference is measured by."""

from __future__ import annotations

from typing import Any

import numpy


def largest(numbers: Any) -> float:
    """The size of the largest entry that is a number.

    >>> largest([0.5, -2.0, float("-inf")])
    2.0
    """
    array = numpy.abs(numpy.asarray(numbers, dtype=numpy.float64))
    return float(numpy.max(array, where=numpy.isfinite(array), initial=0.0))
