"""Whether somebody's numbers are those of a step, as finely as they are told.

Numbers of a program may be off by what their type rounds away. Numbers that were typed may be off by half a unit of
their last digit. Whoever rounds every line is off by a little more: by how much, is found by working the trace
out again with every line rounded in the same way. If that is much beside the numbers themselves, it would explain any
numbers, and so it explains none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from ...engine.arrays import Array, Index
from ...engine.errors import WorkingsError
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.step_view import StepView
from ...explain.view import Trace
from ..sizes import largest
from .narrow import worked_out_in
from .received import Received

# By how much of the largest entry numbers may be off that were only rounded in another order, by their type.
CLOSE = {"float64": 1e-9, "float32": 1e-5, "float16": 1e-3, "bfloat16": 8e-3}
# Half of the gap between neighbours, by the type, in parts of the number.
HALF_UNIT = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
NOTHING = 1e-6  # entries that are so much smaller than what they were made from may be what rounding left over of 0
HALF = 0.5 + 1e-6  # of a unit, and what writing it as a float may add
NEAR = 40.0  # times the tolerance: further away than this, rounding the lines on the way is not the reason
LINES = 2.0  # times what rounding the lines did here; in another order they may do more
LEAST_BY_LINES = 2  # significant digits of somebody who may have rounded every line
LITTLE = 0.1  # of the largest entry: what rounding every line may do at most
MOST_ENTRIES = 4000  # that are worked out again with a calculator
MOST_DIGITS = 12  # of a calculator


@dataclass(frozen=True)
class Closeness:
    """How close two arrays are: the largest difference, where it is, and whether that is only rounding."""

    gap: float
    index: Index
    grain: str = ""  # the rounding that explains the difference: float32, calculator 4 decimals; none if it does not
    lines: bool = False  # whether every line was rounded, and not only the result
    reach: float = 0.0  # by how much an entry may be off then, at most

    @property
    def agrees(self) -> bool:
        return bool(self.grain)


def closeness(got: Received, view: StepView, lines: bool = False, least: int = 1) -> Closeness:
    """How close somebody's numbers of the same shape are to a step; with `lines`, if every line was rounded. Digits
    count where there are at `least` so many: a program that gives 0.25 has not rounded.
    """
    ours = numpy.asarray(view.value)
    apart = gaps(got.array, ours)
    if got.blank is not None:
        apart = numpy.where(got.blank, 0.0, apart)
    index = furthest(apart)
    gap = float(apart[index]) if apart.size else 0.0
    for grain in grains(got, view.trace.precision, least):
        allowed = _allowed(got.array, view, grain)
        if not lines:
            if bool(numpy.all(apart <= allowed)):
                return Closeness(gap, index, grain)
        elif grain != "float64" and gap <= NEAR * float(numpy.max(allowed, initial=0.0)):
            reach = _allowed_by_lines(got, view, grain)
            if reach is not None and bool(numpy.all(apart <= reach)):
                return Closeness(gap, index, grain, lines=True, reach=float(numpy.max(reach, initial=0.0)))
    return Closeness(gap, index)


def grains(got: Received, precision: str, least: int = 1) -> Iterator[str]:
    """How finely the numbers may have been told: by their type, or by the digits that they have."""
    yield from dict.fromkeys(("float64", got.stored, precision if precision in CLOSE else "float64"))
    if precision.startswith("calculator"):
        yield precision
    for unit, digits in got.digits.items():
        if 1 <= digits <= MOST_DIGITS and got.digits["significant"] >= least:
            yield f"calculator {digits} {unit}"


def allowed_by(got: Received, view: StepView) -> Any:
    """By how much each entry may be off, if it is told as coarsely as it may be."""
    each = [_allowed(got.array, view, grain) for grain in grains(got, view.trace.precision)]
    return numpy.max(numpy.stack(each), axis=0)


def _allowed(got: Array, view: StepView, grain: str) -> Any:
    """By how much each entry may be off."""
    if grain in CLOSE:
        return numpy.full(got.shape, CLOSE[grain] * size_of(view))
    return HALF * unit_of(got, grain) + CLOSE["float64"] * size_of(view)


def unit_of(got: Array, grain: str) -> Any:
    """The unit of the last digit of each number.

    >>> unit_of(numpy.array([0.25, 12.0]), "calculator 3 significant")
    array([0.001, 0.1  ])
    """
    _, digits, kind = grain.split()
    if kind == "decimals":
        return numpy.full(got.shape, 10.0 ** -int(digits))
    size = numpy.abs(numpy.where(numpy.isfinite(got), got, 0.0))
    first = numpy.floor(numpy.log10(size, where=size > 0, out=numpy.zeros(size.shape)) + 1e-9)
    return numpy.where(size > 0, 10.0 ** (first - int(digits) + 1), 0.0)


def _allowed_by_lines(got: Received, view: StepView, grain: str) -> Any:
    """By how much each entry may be off if every line was rounded; None where that cannot be the reason."""
    if got.digits.get("significant", LEAST_BY_LINES) < LEAST_BY_LINES:
        return None
    more = _by_lines(view, grain)
    if more is None:
        return None
    if grain in HALF_UNIT:
        return numpy.full(got.array.shape, HALF_UNIT[grain] * size_of(view) + LINES * more)
    reach = _allowed(got.array, view, grain) + LINES * more
    return reach if float(numpy.max(reach, initial=0.0)) <= LITTLE * size_of(view) else None


def _by_lines(view: StepView, grain: str) -> float | None:
    """What rounding every line to this grain does to the step; None where that cannot be found out."""
    part = upstream(view)
    if grain not in CLOSE and sum(step.value.size for step in part) > MOST_ENTRIES:
        return None
    # A trace that was rounded itself is set beside the exact one.
    other = "float64" if grain == view.trace.precision else grain
    try:
        rounded = numpy.asarray(worked_out_in(part, other)[view.path].value)
    except WorkingsError:
        return None
    deviation = gaps(rounded, numpy.asarray(view.value))
    return float(numpy.max(deviation, initial=0.0))


def upstream(view: StepView) -> Trace:
    """The part of a trace that a step is made from, as a trace of its own."""
    whole = view.recording
    needed = {step.id for step in before(whole, view.step)} | {view.step.id}
    part = Recording(arithmetic=whole.arithmetic)
    for step in whole.steps.values():
        if step.id in needed:
            part.adopt(step.changed(group=None))
    return Trace(style=view.trace.style, aliases=view.trace.aliases, recording=part)


def before(recording: Recording, step: Step) -> list[Step]:
    """Everything that a step is made from, the nearest first; a pinned step is made from nothing."""
    found: dict[str, Step] = {}
    waiting = [step]
    while waiting:
        at = waiting.pop(0)
        for id in at.inputs if at.op is not None else ():
            if id not in found:
                found[id] = recording.step(id)
                waiting.append(found[id])
    return list(found.values())


def gaps(yours: Any, ours: Any) -> Any:
    """How far apart each pair of entries is: equal infinities not at all, what is not a number infinitely far."""
    one, other = yours.astype(numpy.float64), ours.astype(numpy.float64)
    same = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
    with numpy.errstate(invalid="ignore", over="ignore"):
        apart = numpy.where(same, 0.0, numpy.abs(one - other))
    return numpy.where(numpy.isnan(apart), numpy.inf, apart)


def furthest(apart: Any) -> Index:
    """Where the largest difference is."""
    at = numpy.unravel_index(int(numpy.argmax(apart)), apart.shape) if apart.size else ()
    return tuple(int(place) for place in at)


def size_of(view: StepView) -> float:
    """What a difference is measured by: the largest entry, or a little of what it was made from."""
    made_from = max((largest(source.value) for source in view.inputs), default=0.0)
    return max(largest(view.value), NOTHING * made_from) or 1.0
