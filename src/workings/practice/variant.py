"""A variant: the same computation with new numbers that a person can calculate with and in which mistakes show.

Every variant is checked before anyone sees it:

- no number is too large, no softmax has scores too far apart, and no choice (a ReLU, a maximum) depends on a rounding;
- an update changes digits that are shown;
- a learner who rounds every line is right at every step;
- every mistake that these digits can show is at least five tolerances away from the true value, in an entry that does
  not move too far if a learner rounds on a paper of their own.

Numbers that fail are passed over, always in the same order. A mistake that several variants in a row could not show,
such as a forgotten epsilon, is no longer required; if no variant shows the rest either, we take the one that hides the
fewest. What a variant hides is known (`hidden`), and its key lists it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy

from ..engine.arrays import Array, Index, indices, is_float
from ..engine.errors import LessonError, WorkingsError
from ..engine.steps import Step
from ..explain.trace import Trace
from .carried_forward import CarriedForward
from .mistakes import MistakeFinder, MistakeOutcome
from .own_paper import MAX_MOVE, moves_on_own_paper
from .tolerance import Rounding, half_unit
from .variant_values import draw_values

GENERATOR = 2  # the version of this way of drawing numbers and choosing blanks; a sheet says by which it was made
FIRST_GENERATOR = 1  # it drew the same numbers, and chose blanks that could be copied from the sheet
MAX_ATTEMPTS = 60
MIN_APART = 5.0  # tolerances between a mistake and the true value
INVISIBLE = 0.05  # tolerances: a mistake that changes no entry by more cannot be seen at all
MAX_HIDING = 3  # a mistake that so many variants could not show is no longer required
MAX_NUMBER = 60.0  # unless all numbers are whole, and the digits write them
MAX_SCORE_SPREAD = 6.0  # between the scores of one softmax
MARGIN = 20  # half units between a choice and its tipping point


@dataclass(frozen=True, eq=False)
class Variant:
    """A trace to practice on, to how many significant digits, and the seed that it comes from."""

    trace: Trace
    digits: int
    seed: int | None = None  # None: the numbers of the source itself
    attempt: int = 0

    @cached_property
    def mistakes(self) -> MistakeFinder:
        return MistakeFinder(self.trace)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What a learner computes: every named step that is not given and holds real numbers."""
        return tuple(step for step in self.mistakes.named_steps if step.op is not None and is_float(step.tensor.array))

    @cached_property
    def tolerances(self) -> dict[str, Array]:
        """How far each entry of each step may be off, by path."""
        stated = {step.id for step in self.mistakes.named_steps}
        rounding = Rounding(self.trace.recording, self.digits, lambda id, index: id in stated)
        found: dict[str, Array] = {}
        for step in self.steps:
            array = numpy.zeros(step.form.shape)
            for index in indices(step.form.shape):
                array[index] = rounding.tolerance(step, index)
            found[step.path] = array
        return found

    @cached_property
    def unstable(self) -> frozenset[tuple[str, Index]]:
        """The entries that move too far on a learner's own paper, by the ids of their steps: they are not asked for."""
        moves = moves_on_own_paper(self)
        return frozenset(
            (step.id, index)
            for step in self.steps
            for index in indices(step.form.shape)
            if moves[step.path][index] > MAX_MOVE
        )

    def shows_in_blanks(self, mistake: MistakeOutcome) -> bool:
        """Whether a mistake shows in entries that can be asked for: an unstable one takes those of its size along."""
        distances, step = self.distances(mistake), self.trace.find_step(mistake.step)
        if distances is None:
            return True
        sizes = numpy.abs(self.trace.recording.value(step.id))
        unstable = [sizes[index] for id, index in self.unstable if id == step.id]
        is_lost = numpy.isclose(sizes[..., None], unstable).any(axis=-1)
        return bool((distances[~is_lost] >= MIN_APART).any())

    def distances(self, mistake: MistakeOutcome) -> Array | None:
        """How many tolerances lie between a mistake and the truth, entry by entry; None if its shape differs."""
        truth = self.trace[mistake.step].value
        if mistake.value.shape != truth.shape:
            return None
        return distance(mistake.value, truth, self.tolerances[mistake.step])

    def distance(self, mistake: MistakeOutcome) -> float:
        found = self.distances(mistake)
        return math.inf if found is None else float(found.max(initial=0.0))

    @cached_property
    def hidden(self) -> tuple[MistakeOutcome, ...]:
        """The mistakes that these numbers do not show at these digits."""
        return tuple(mistake for mistake in self._visible_steps() if self.distance(mistake) < MIN_APART)

    @cached_property
    def shown(self) -> tuple[MistakeOutcome, ...]:
        """The mistakes that they show."""
        hidden = set(map(id, self.hidden))
        return tuple(mistake for mistake in self._visible_steps() if id(mistake) not in hidden)

    def _visible_steps(self) -> list[MistakeOutcome]:
        paths = {step.path for step in self.steps}
        return [mistake for mistake in self.mistakes.all if mistake.step in paths]


def distance(one: Array, other: Array, tolerances: Array) -> Array:
    """How many tolerances lie between two arrays, entry by entry."""
    with numpy.errstate(divide="ignore", invalid="ignore"):
        gap = numpy.where(one == other, 0.0, numpy.abs(one - other))
        nothing = numpy.isfinite(gap) & (gap <= numpy.finfo(float).eps * numpy.abs(other) * 8)
        ratio = numpy.where(nothing, 0.0, gap / tolerances)
    found: Array = numpy.where(numpy.isnan(ratio), math.inf, ratio)
    return found


def find_variant(trace: Trace, seed: int, digits: int = 4) -> Variant:
    """The variant of a trace that a seed gives: the first that passes every check; if none does, the one in which the
    fewest mistakes are too close to the truth.
    """
    best: tuple[int, Variant] | None = None
    near: Counter[tuple[str, str]] = Counter()
    usual: set[tuple[str, str]] | None = None
    for attempt in range(MAX_ATTEMPTS):
        variant = draw_variant(trace, seed, attempt, digits)
        if variant is None or any(True for _ in faults(variant)):
            continue
        usual = _made_in_another(trace, seed, digits) if usual is None else usual
        too_near = {(mistake.id, mistake.step) for mistake in variant.hidden if variant.distance(mistake) >= INVISIBLE}
        too_near |= {(mistake.id, mistake.step) for mistake in variant.shown if not variant.shows_in_blanks(mistake)}
        too_near |= usual - _made_in(variant)
        too_near = {pair for pair in too_near if near[pair] < MAX_HIDING}
        near.update(too_near)
        if not too_near:
            return variant
        if best is None or len(too_near) < best[0]:
            best = len(too_near), variant
    if best is None:
        raise LessonError(
            f"None of {MAX_ATTEMPTS} sets of numbers can be calculated by hand here.",
            hint="Try another seed, or more digits.",
        )
    return best[1]


def _made_in(variant: Variant) -> set[tuple[str, str]]:
    """The mistakes that change a number, under all their ids, and the steps that show them."""
    return {(name, mistake.step) for mistake in variant.mistakes.all for name in mistake.names}


def _made_in_another(trace: Trace, seed: int, digits: int) -> set[tuple[str, str]]:
    """The mistakes that change a number in a variant that is used for nothing else. One that changes none in the
    variant at hand is hidden by chance, as by a ReLU whose inputs are all positive.
    """
    other = draw_variant(trace, seed, MAX_ATTEMPTS, digits)
    return _made_in(other) if other is not None else set()


def draw_variant(trace: Trace, seed: int, attempt: int, digits: int) -> Variant | None:
    """The variant that an attempt draws, checked or not; None if it cannot be computed."""
    try:
        return Variant(trace.replay(values=draw_values(trace, seed, attempt)), digits, seed, attempt)
    except WorkingsError:
        return None


# -- what a variant must not have ---------------------------------------------------------------------


def faults(variant: Variant) -> Iterator[str]:
    """What makes a variant unfit for a calculation by hand, the cheapest checks first."""
    yield from _out_of_reach(variant)
    yield from _unseen_updates(variant)
    yield from _undecided(variant)
    yield from _off_by_rounding(variant)


def _out_of_reach(variant: Variant) -> Iterator[str]:
    for step in variant.steps:
        array = numpy.asarray(step.tensor.array)
        finite = array[numpy.isfinite(array)]
        largest = 10.0**variant.digits if (finite == numpy.round(finite)).all() else MAX_NUMBER
        if numpy.isnan(array).any() or numpy.abs(finite).max(initial=0.0) > largest:
            yield step.path
        if step.op_name in ("softmax", "log_softmax", "cross_entropy"):
            scores = numpy.asarray(variant.trace.recording.value(step.inputs[0]))
            seen = numpy.where(numpy.isfinite(scores), scores, scores.max())
            if (seen.max(axis=-1) - seen.min(axis=-1)).max() > MAX_SCORE_SPREAD:
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


def _undecided(variant: Variant) -> Iterator[str]:
    """Choices that depend on less than a rounding: which side of 0, which entry is the largest."""
    recording = variant.trace.recording
    for step in recording.steps.values():
        if step.op_name in ("relu", "positive"):
            array = numpy.asarray(recording.value(step.inputs[0]))
            margin = MARGIN * max(half_unit(float(numpy.abs(array).max(initial=0.0)), variant.digits), 1e-12)
            one_sided = array.size > 2 and ((array < 0).all() or (array > 0).all())
            if (numpy.abs(array) < margin).any() or one_sided:
                yield step.path
        elif step.op_name in ("argmax", "row_max", "top_k"):
            array = numpy.sort(numpy.asarray(recording.value(step.inputs[0]), dtype=float), axis=-1)
            if array.ndim and array.shape[-1] > 1:
                gap = array[..., -1] - array[..., -2]
                if (gap < MARGIN * half_unit(float(numpy.abs(array[..., -1]).max()), variant.digits)).any():
                    yield step.path


def _off_by_rounding(variant: Variant) -> Iterator[str]:
    """Steps at which a learner who rounds every line would be off by more than the tolerance."""
    by_hand = variant.trace.in_precision(f"calculator {variant.digits} significant")
    carried = CarriedForward(variant.trace.recording)
    for step in variant.trace.recording.steps.values():
        expected = carried.compute(step)
        if step.path not in variant.tolerances:
            continue
        value = by_hand[step.path].value
        limit = variant.tolerances[step.path] * (1 + 1e-6) + 1e-12
        if not (distance(value, expected, limit) <= 1).all():
            yield step.path
        carried.state(step, value)
