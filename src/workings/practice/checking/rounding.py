"""Rounding: to how many digits, or to which type, a user's numbers are the true ones."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy

from ...engine.rounding import Unit
from ...explain.step_view import StepView
from ..tolerance import largest
from .closeness import HALF, MAX_DIGITS, Closeness, gaps, unit_of
from .user_array import UserArray

HOW = {
    "rounded": "They are the true numbers, rounded to {digits}.",
    "cut": "They are the true numbers, truncated after {digits} instead of rounded.",
    "lines": "They are the true numbers, if every line is rounded to {digits}.",
}


class FoundRounding(NamedTuple):
    """A rounding by its id, and in words."""

    id: str
    hint: str
    digits: int = MAX_DIGITS  # significant ones that it leaves of the largest number; of a number type, enough


def find_rounding(got: UserArray, view: StepView, close: Closeness) -> FoundRounding | None:
    """How the numbers were rounded, if rounding is the only difference from the true ones.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     third = w.ops.div(w.given(2.0, name="two"), w.given(3.0, name="three"), name="third")
    >>> got = UserArray(numpy.array(0.66), "float64")
    >>> find_rounding(got, trace["third"], Closeness(0.0067, ())).hint
    'They are the true numbers, truncated after 2 decimals instead of rounded.'
    """
    if close.grain and not close.grain.startswith("calculator"):
        how = f"if every line is computed in {close.grain}" if close.lines else f"in {close.grain}"
        return FoundRounding(f"type.{close.grain}", f"They are the true numbers, {how}.")
    if close.grain:
        _, digits, word = close.grain.split()
        unit: Unit = "decimals" if word == "decimals" else "significant"
        if close.lines:
            return _found(got, "lines", int(digits), unit)
        return _found(got, "rounded", _possible_digits(got, view, int(digits), unit), unit)
    for unit, count in got.digits.items():
        if 1 <= count <= MAX_DIGITS and _is_truncated(got, view, f"calculator {count} {unit}"):
            return _found(got, "cut", count, unit)
    return None


def _found(got: UserArray, how: str, digits: int, unit: Unit) -> FoundRounding:
    word = ("decimal" if unit == "decimals" else "significant digit") + ("" if digits == 1 else "s")
    hint = HOW[how].format(digits=f"{digits} {word}")
    return FoundRounding(f"{how}.{digits}.{unit}", hint, digits_left(largest(got.array), digits, unit))


def digits_left(size: float, digits: int, unit: Unit) -> int:
    """How many significant digits of a number are left when it is rounded.

    >>> digits_left(2.34, 1, "significant"), digits_left(12.5, 1, "decimals"), digits_left(0.003, 2, "decimals")
    (1, 3, 0)
    """
    if unit == "significant" or not size:
        return digits if unit == "significant" else 0
    return max(0, math.floor(math.log10(size) + 1e-9) + 1 + digits)


def _possible_digits(got: UserArray, view: StepView, digits: int, unit: Unit) -> int:
    """As many digits as there may have been: a number does not show its trailing zeros."""
    apart = gaps(got.array, numpy.asarray(view.value))
    while digits < MAX_DIGITS and numpy.all(apart <= HALF * unit_of(got.array, f"calculator {digits + 1} {unit}")):
        digits += 1
    return digits


def _is_truncated(got: UserArray, view: StepView, grain: str) -> bool:
    """Whether the digits after the last one were dropped: then all numbers are a little too close to 0."""
    truth, unit = numpy.asarray(view.value, dtype=float), unit_of(got.array, grain)
    with numpy.errstate(invalid="ignore"):
        less = numpy.where(truth == got.array, 0.0, numpy.abs(truth) - numpy.abs(got.array))
    opposite = (numpy.sign(truth) != numpy.sign(got.array)) & (got.array != 0)
    return bool(numpy.all((less >= 0) & (less < unit) & ~opposite)) and bool(numpy.any(less > unit / 2))
