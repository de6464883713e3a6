"""A variant: the same computation with other numbers, which a person can carry and in which mistakes show.

Every variant proves about itself, before anybody sees it:

- no number is too large, no power of e out of reach, no choice (a ReLU, a largest entry) hangs on a rounding;
- an update changes digits that are shown;
- whoever rounds every line is right at every step;
- every mistake that these digits can show is at least five tolerances away from the truth.

Numbers that fail are passed over, always in the same order. What several variants in a row could not show is no longer
demanded, such as a forgotten epsilon; if no variant shows the rest either, the one that hides the fewest is taken. What
a variant hides is known (`hidden`), and its key lists it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy

from ...conventions import Convention
from ...engine.arrays import Array, indices, is_float
from ...engine.errors import LessonError, WorkingsError
from ...engine.rounding import round_float
from ...engine.steps import Step
from ...explain.view import Trace
from .drawn import drawn_values
from .slips import Slip, Slips
from .tolerance import Rounding, half_unit
from .world import World

GENERATOR = 1  # the number of this way of drawing; a sheet says by which it was made
TRIES = 60
APART = 5.0  # tolerances
HIDDEN = 0.05  # a mistake that moves no entry by more of its tolerance cannot be seen at all
HOPELESS = 3  # a mistake that so many variants could not set apart will not be set apart by others
LARGEST = 60.0  # unless all numbers are whole, and the digits write them
SPREAD = 6.0  # between the scores of one softmax


@dataclass(frozen=True, eq=False)
class Variant:
    """A trace to practise on, how many significant digits its numbers are asked with, and where it comes from."""

    trace: Trace
    digits: int
    seed: int | None = None  # none: the numbers of the source itself
    attempt: int = 0

    @cached_property
    def slips(self) -> Slips:
        return Slips(self.trace)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What somebody works out: every step that has a name and is neither given nor counted."""
        return tuple(step for step in self.slips.told if step.op is not None and is_float(step.tensor.array))

    @cached_property
    def tolerances(self) -> dict[str, Array]:
        """How far each entry of each step may be off, by path."""
        written = {step.id for step in self.slips.told}
        rounding = Rounding(self.trace.recording, self.digits, lambda id, index: id in written)
        found: dict[str, Array] = {}
        for step in self.steps:
            array = numpy.zeros(step.form.shape)
            for index in indices(step.form.shape):
                array[index] = rounding.tolerance(step, index)
            found[step.path] = array
        return found

    def distances(self, slip: Slip) -> Array | None:
        """How many tolerances lie between a slip and the truth, entry by entry; none for one of another shape."""
        truth = self.trace[slip.step].value
        if slip.value.shape != truth.shape:
            return None
        return distance(slip.value, truth, self.tolerances[slip.step])

    def distance(self, slip: Slip) -> float:
        found = self.distances(slip)
        return math.inf if found is None else float(found.max(initial=0.0))

    @cached_property
    def hidden(self) -> tuple[Slip, ...]:
        """The slips that these numbers do not show at these digits."""
        return tuple(slip for slip in self._visible_steps() if self.distance(slip) < APART)

    @cached_property
    def shown(self) -> tuple[Slip, ...]:
        """The slips that they do."""
        hidden = set(map(id, self.hidden))
        return tuple(slip for slip in self._visible_steps() if id(slip) not in hidden)

    def _visible_steps(self) -> list[Slip]:
        paths = {step.path for step in self.steps}
        return [slip for slip in self.slips.all if slip.step in paths]


def distance(one: Array, other: Array, tolerances: Array) -> Array:
    """How many tolerances lie between two arrays, entry by entry."""
    with numpy.errstate(divide="ignore", invalid="ignore"):
        gap = numpy.where(one == other, 0.0, numpy.abs(one - other))
        nothing = numpy.isfinite(gap) & (gap <= numpy.finfo(float).eps * numpy.abs(other) * 8)
        ratio = numpy.where(nothing, 0.0, gap / tolerances)
    found: Array = numpy.where(numpy.isnan(ratio), math.inf, ratio)
    return found


def find_variant(trace: Trace, seed: int, digits: int = 4) -> Variant:
    """The variant of a trace that a seed gives: the first that proves itself; if none does, the one in which the fewest
    mistakes lie too near to the truth.
    """
    best: tuple[int, Variant] | None = None
    near: Counter[tuple[str, str]] = Counter()
    beside: set[tuple[str, str]] | None = None
    for attempt in range(TRIES):
        variant = attempted(trace, seed, attempt, digits)
        if variant is None or any(True for _ in faults(variant)):
            continue
        beside = _made_in_another(trace, seed, digits) if beside is None else beside
        too_near = {(slip.id, slip.step) for slip in variant.hidden if variant.distance(slip) >= HIDDEN}
        too_near |= beside - _made_in(variant)
        too_near = {place for place in too_near if near[place] < HOPELESS}
        near.update(too_near)
        if not too_near:
            return variant
        if best is None or len(too_near) < best[0]:
            best = len(too_near), variant
    if best is None:
        raise LessonError("practice.no_variant", tries=TRIES)
    return best[1]


def _made_in(variant: Variant) -> set[tuple[str, str]]:
    """The mistakes that change a number, under all their names, and the steps that show them."""
    return {(name, slip.step) for slip in variant.slips.all for name in slip.names}


def _made_in_another(trace: Trace, seed: int, digits: int) -> set[tuple[str, str]]:
    """The mistakes that change a number in a variant that nobody will see: if they change none in another one, its
    numbers hide them by chance, as a ReLU does whose entries are all positive.
    """
    other = attempted(trace, seed, TRIES, digits)
    return _made_in(other) if other is not None else set()


def attempted(trace: Trace, seed: int, attempt: int, digits: int) -> Variant | None:
    """The variant that an attempt draws, proven or not; none if it cannot be computed."""
    values = drawn_values(trace, seed, attempt)
    try:
        other = with_values(trace, values)
    except WorkingsError:
        return None
    return Variant(other, digits, seed, attempt)


def with_values(trace: Trace, values: dict[str, Array]) -> Trace:
    """The trace with other numbers; run by another convention it has them too."""
    other = trace.replay(values=values)
    other.labels = trace.labels
    again = trace.rerun
    if again is not None:

        def rerun(convention: Convention) -> Trace:
            run = again(convention)
            return run.replay(values={path: value for path, value in values.items() if path in run.recording.paths})

        other.rerun = rerun
    return other


# -- what a variant must not have ---------------------------------------------------------------------


def faults(variant: Variant) -> Iterator[str]:
    """What makes a variant unfit to be worked out by hand; the cheapest to find out comes first."""
    yield from _out_of_reach(variant)
    yield from _unseen_updates(variant)
    yield from _hanging(variant)
    yield from _flipped(variant)


def _out_of_reach(variant: Variant) -> Iterator[str]:
    for step in variant.steps:
        array = numpy.asarray(step.tensor.array)
        finite = array[numpy.isfinite(array)]
        largest = 10.0**variant.digits if (finite == numpy.round(finite)).all() else LARGEST
        if numpy.isnan(array).any() or numpy.abs(finite).max(initial=0.0) > largest:
            yield step.path
        if step.op_name in ("softmax", "log_softmax", "cross_entropy"):
            scores = numpy.asarray(variant.trace.recording.value(step.inputs[0]))
            seen = numpy.where(numpy.isfinite(scores), scores, scores.max())
            if (seen.max(axis=-1) - seen.min(axis=-1)).max() > SPREAD:
                yield step.path


def _unseen_updates(variant: Variant) -> Iterator[str]:
    """New weights that look like the old ones."""
    recording = variant.trace.recording
    for step in variant.steps:
        if step.stage != "update" or step.twin is None:
            continue
        new, old = numpy.asarray(step.tensor.array), numpy.asarray(recording.value(step.twin))
        if new.shape == old.shape and not any(_seen(new[at], old[at], variant.digits) for at in indices(new.shape)):
            yield step.path


def _seen(new: float, old: float, digits: int) -> bool:
    return abs(float(new) - float(old)) > 4 * half_unit(float(old), digits)


def _hanging(variant: Variant) -> Iterator[str]:
    """Choices that hang on less than a rounding: which side of 0, which entry is the largest."""
    recording = variant.trace.recording
    for step in recording.steps.values():
        if step.op_name in ("relu", "positive"):
            array = numpy.asarray(recording.value(step.inputs[0]))
            margin = 20 * max(half_unit(float(numpy.abs(array).max(initial=0.0)), variant.digits), 1e-12)
            one_sided = array.size > 2 and ((array < 0).all() or (array > 0).all())
            if (numpy.abs(array) < margin).any() or one_sided:
                yield step.path
        elif step.op_name in ("argmax", "row_max", "top_k"):
            array = numpy.sort(numpy.asarray(recording.value(step.inputs[0]), dtype=float), axis=-1)
            if array.ndim and array.shape[-1] > 1:
                gap = array[..., -1] - array[..., -2]
                if (gap < 20 * half_unit(float(numpy.abs(array[..., -1]).max()), variant.digits)).any():
                    yield step.path


def _flipped(variant: Variant) -> Iterator[str]:
    """Steps at which somebody who rounds every line would be off by more than the tolerance."""
    by_hand = variant.trace.in_precision(f"calculator {variant.digits} significant")
    world = World(variant.trace.recording)
    for step in variant.trace.recording.steps.values():
        expected = world.reach(step)
        if step.path not in variant.tolerances:
            continue
        value = by_hand[step.path].value
        limit = variant.tolerances[step.path] * (1 + 1e-6) + 1e-12
        if not (distance(value, expected, limit) <= 1).all():
            yield step.path
        world.write(step, value)


def rounded_to(array: Array, digits: int) -> Array:
    """Every entry rounded to so many significant digits."""
    flat = [round_float(float(value), digits, "significant") for value in numpy.ravel(array)]
    return numpy.reshape(numpy.array(flat), numpy.shape(array))
