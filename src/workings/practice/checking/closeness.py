"""Whether a user's numbers are those of a step, as precisely as they are given.

Numbers of a program may be off by the rounding error of their type. Numbers that were typed may be off by half a unit
of their last digit. A person who rounds every line is off by a little more: we find out how much by computing the trace
again with every line rounded in the same way. If that is large compared with the numbers themselves, it would explain
any numbers, and so it explains none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from ...engine.arithmetic import Arithmetic, Float, Operation, arithmetic
from ...engine.arrays import Array, Index, is_float
from ...engine.changes import Changes
from ...engine.compiled_recording import CompiledRecording
from ...engine.errors import WorkingsError
from ...engine.recording import Recording
from ...engine.replay import replay
from ...engine.steps import Step
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ..tolerance import largest
from .noise import is_noise, noise_of, noise_type
from .user_array import NARROW, UserArray, narrowed

# The rounding error of each type, in parts of the largest entry, for numbers computed in another order.
TYPE_ERROR = {"float64": 1e-9, "float32": 1e-5, "float16": 1e-3, "bfloat16": 8e-3}
# Half of the gap between neighboring numbers of a type, in parts of the number.
HALF_GAP = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
CANCELLED = 1e-6  # entries so much smaller than their inputs may be what rounding left over of 0
HALF = 0.5 + 1e-6  # of a unit, plus what a float may add to it
MAX_LINE_ERROR = 40.0  # tolerances: numbers further away are not explained by rounding every line
LINE_SLACK = 2.0  # times what rounding every line did here; in another order it may do more
MIN_LINE_DIGITS = 2  # significant ones of a person who may have rounded every line
MAX_LINE_PART = 0.1  # of the largest entry: what rounding every line may change
MAX_ENTRIES = 4000  # that are computed again with a calculator
MAX_DIGITS = 12  # of a calculator


@dataclass(frozen=True)
class Closeness:
    """How close two arrays are: the largest difference, where it is, and whether it is only rounding. Entries that are
    0 up to rounding in both do not count.
    """

    gap: float
    index: Index
    grain: str = ""  # the rounding that explains the difference: float32, calculator 4 decimals; "" if none does
    lines: bool = False  # whether every line was rounded, and not only the result
    reach: float = 0.0  # by how much an entry may be off then, at most
    noise: bool = False  # whether there are entries that did not count

    @property
    def agrees(self) -> bool:
        return bool(self.grain)


def closeness(got: UserArray, view: StepView, lines: bool = False, least: int = 1) -> Closeness:
    """How close a user's numbers of the same shape are to a step; with `lines`, if every line was rounded. Digits count
    only if there are at `least` so many: a program that gives 0.25 has not rounded.
    """
    ours = numpy.asarray(view.value)
    apart = gaps(got.array, ours)
    if got.blank is not None:
        apart = numpy.where(got.blank, 0.0, apart)
    noise = (apart > 0) & is_noise(got, view)
    apart = numpy.where(noise, 0.0, apart)
    index = furthest(apart)
    gap = float(apart[index]) if apart.size else 0.0
    for grain in grains(got, view.trace.precision, least):
        allowed = _allowed(got.array, view, grain)
        if not lines:
            if bool(numpy.all(apart <= allowed)):
                return Closeness(gap, index, grain, noise=bool(numpy.any(noise)))
        elif grain != "float64" and gap <= MAX_LINE_ERROR * float(numpy.max(allowed, initial=0.0)):
            reach = _allowed_by_lines(got, view, grain)
            if reach is not None and bool(numpy.all(apart <= reach)):
                return Closeness(gap, index, grain, lines=True, reach=float(numpy.max(reach, initial=0.0)))
    return Closeness(gap, index)


def grains(got: UserArray, precision: str, least: int = 1) -> Iterator[str]:
    """How the numbers may have been rounded: by their type, or to the digits that they have."""
    yield from dict.fromkeys(("float64", got.stored, precision if precision in TYPE_ERROR else "float64"))
    if precision.startswith("calculator"):
        yield precision
    for unit, digits in got.digits.items():
        if 1 <= digits <= MAX_DIGITS and got.digits["significant"] >= least:
            yield f"calculator {digits} {unit}"


def allowed_by(got: UserArray, view: StepView) -> Any:
    """By how much each entry may be off, at the coarsest possible rounding."""
    each = [_allowed(got.array, view, grain) for grain in grains(got, view.trace.precision)]
    same_shape = got.array.shape == view.shape
    return numpy.max(numpy.stack([*each, noise_of(view, noise_type(got))] if same_shape else each), axis=0)


def _allowed(got: Array, view: StepView, grain: str) -> Any:
    """By how much each entry may be off."""
    if grain in TYPE_ERROR:
        return numpy.full(got.shape, TYPE_ERROR[grain] * size_of(view))
    return HALF * unit_of(got, grain) + TYPE_ERROR["float64"] * size_of(view)


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


def _allowed_by_lines(got: UserArray, view: StepView, grain: str) -> Any:
    """By how much each entry may be off if every line was rounded; None if that cannot be the reason."""
    if got.digits.get("significant", MIN_LINE_DIGITS) < MIN_LINE_DIGITS:
        return None
    more = _by_lines(view, grain)
    if more is None:
        return None
    if grain in HALF_GAP:
        return numpy.full(got.array.shape, HALF_GAP[grain] * size_of(view) + LINE_SLACK * more)
    reach = _allowed(got.array, view, grain) + LINE_SLACK * more
    return reach if float(numpy.max(reach, initial=0.0)) <= MAX_LINE_PART * size_of(view) else None


def _by_lines(view: StepView, grain: str) -> float | None:
    """What rounding every line to this grain does to the step; None if that cannot be computed."""
    part = upstream(view)
    if grain not in TYPE_ERROR and sum(step.value.size for step in part) > MAX_ENTRIES:
        return None
    # A trace that was rounded itself is compared with the exact one.
    other = "float64" if grain == view.trace.precision else grain
    try:
        rounded = numpy.asarray(computed_in(part, other)[view.path].value)
    except WorkingsError:
        return None
    deviation = gaps(rounded, numpy.asarray(view.value))
    return float(numpy.max(deviation, initial=0.0))


class _NarrowFloat(Float):
    """Every line is computed in float64 and rounded to a narrower type; constants of the method are not."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def primitive(self, op: Operation, arrays: list[Array], settings: Mapping[str, Any]) -> Array:
        return self.accept(super().primitive(op, arrays, settings))

    def accept(self, array: Array, literal: bool = False) -> Array:
        return narrowed(array, self.kind) if is_float(array) and not literal else array


def computed_in(trace: Trace, precision: str) -> Trace:
    """The same trace with every line rounded: to a type, or as a person with a calculator does.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
    >>> float(computed_in(trace, "bfloat16")["third"].value)
    0.333984375
    """
    chosen: Arithmetic = _NarrowFloat(precision) if precision in NARROW else arithmetic(precision)
    return Trace(run=trace.run, recording=replay(trace.recording, Changes(), arithmetic=chosen))


def upstream(view: StepView) -> Trace:
    """The part of a trace that a step is computed from, as a trace of its own."""
    whole = view.recording
    needed = {step.id for step in ancestors(whole, view.step)} | {view.step.id}
    part = CompiledRecording(arithmetic=whole.arithmetic)
    for step in whole.steps.values():
        if step.id in needed:
            part.adopt(step.changed(group=None))
    return Trace(run=view.trace.run, recording=part)


def ancestors(recording: Recording, step: Step) -> list[Step]:
    """Everything that a step is computed from, the nearest first; a pinned step has no ancestors."""
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
    """How far apart each pair of entries is: equal infinities not at all, NaN infinitely far."""
    one, other = yours.astype(numpy.float64), ours.astype(numpy.float64)
    same = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
    with numpy.errstate(invalid="ignore", over="ignore"):
        apart = numpy.where(same, 0.0, numpy.abs(one - other))
    return numpy.where(numpy.isnan(apart), numpy.inf, apart)


def furthest(apart: Any) -> Index:
    """Where the largest difference is."""
    at = numpy.unravel_index(int(numpy.argmax(apart)), apart.shape) if apart.size else ()
    return tuple(int(number) for number in at)


def size_of(view: StepView) -> float:
    """What a difference is measured by: the largest entry, or a small part of the largest input."""
    made_from = max((largest(source.value) for source in view.inputs), default=0.0)
    return max(largest(view.value), CANCELLED * made_from) or 1.0
