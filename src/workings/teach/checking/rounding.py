"""Rounding: to how many digits, or to which type, somebody's numbers are the true ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy

from ...engine.rounding import Unit
from ...engine.sentences import say
from ...explain.step_view import StepView
from .closeness import HALF, MOST_DIGITS, Closeness, gaps, unit_of
from .received import Received

UNITS: tuple[Unit, ...] = ("decimals", "significant")


class Told(NamedTuple):
    """A rounding by its id, and in words."""

    id: str
    hint: str


def told_rounding(got: Received, view: StepView, close: Closeness) -> Told | None:
    """What was rounded how, if rounding is all that keeps these numbers from being the true ones.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     third = w.ops.div(w.given(2.0, name="two"), w.given(3.0, name="three"), name="third")
    >>> got = Received(numpy.array(0.66), "float64")
    >>> told_rounding(got, trace["third"], Closeness(0.0067, ())).hint
    'They are the true numbers, cut off after 2 decimals instead of rounded.'
    """
    if close.grain and not close.grain.startswith("calculator"):
        place = ".lines" if close.lines else ""
        return Told(f"type.{close.grain}", say(f"checking.type{place}", type=close.grain))
    if close.grain:
        _, digits, unit = close.grain.split()
        if close.lines:
            return _told("lines", int(digits), unit)
        return _told("rounded", _most(got, view, int(digits), unit), unit)
    for unit, count in got.digits.items():
        if 1 <= count <= MOST_DIGITS and _is_cut(got, view, f"calculator {count} {unit}"):
            return _told("cut", count, unit)
    return None


def _told(how: str, digits: int, unit: str) -> Told:
    one = ".one" if digits == 1 else ""
    return Told(f"{how}.{digits}.{unit}", say(f"checking.{how}.{unit}{one}", digits=digits))


def _most(got: Received, view: StepView, digits: int, unit: str) -> int:
    """As many digits as there may have been: a 0 at the end is not to be seen in a number."""
    apart = gaps(got.array, numpy.asarray(view.value))
    while digits < MOST_DIGITS and numpy.all(apart <= HALF * unit_of(got.array, f"calculator {digits + 1} {unit}")):
        digits += 1
    return digits


def _is_cut(got: Received, view: StepView, grain: str) -> bool:
    """Whether the digits behind the last one were dropped: all numbers are a little too near to 0."""
    truth, unit = numpy.asarray(view.value, dtype=float), unit_of(got.array, grain)
    with numpy.errstate(invalid="ignore"):
        less = numpy.where(truth == got.array, 0.0, numpy.abs(truth) - numpy.abs(got.array))
    turned = (numpy.sign(truth) != numpy.sign(got.array)) & (got.array != 0)
    return bool(numpy.all((less >= 0) & (less < unit) & ~turned)) and bool(numpy.any(less > unit / 2))
