"""A step that is graded: what the numbers before it give, and how far off an answer may be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ...engine.arrays import Array, Index, is_float
from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.recording import Recording
from ...engine.replay import replay
from ...engine.steps import Step
from ..blanks import Blank
from ..mistakes import MistakeOutcome
from ..tolerance import Rounding, is_short, rounded_to
from ..variant import MIN_APART
from .lines import entry_from_lines

if TYPE_CHECKING:
    from .grader import Grader

SLACK = 1.01  # a tolerance is computed to first order
NEARER = 0.8  # of the distance to the nearest mistake: an answer further off may be that mistake


class Expectation(NamedTuple):
    """What an entry should be, and how far off it may be. On a paper of their own, learners ignore what is printed, or
    compute it again from what is printed before it.
    """

    value: float
    tolerance: float
    on_own_paper: bool = False
    doubt: float = 0.0  # how far off an answer with few digits may be without being clearly wrong


class ExpectedStep:
    """One step as the learner finds it."""

    def __init__(self, grader: Grader, step: Step) -> None:
        self.grader = grader
        self.step = step
        self.value: Array = grader.carried.compute(step)
        self.is_after_a_mistake = step.id in grader.tainted

    def expectations(self, blank: Blank) -> Iterator[Expectation]:
        """What the entry should be: from the numbers on the sheet; for a loss also from the probabilities there; from
        the numbers one step earlier; and for a learner who ignores what is printed, from the answers alone.
        """
        yield Expectation(float(self.value[blank.index]), self.tolerance(blank))
        yield from (Expectation(*entry) for entry in entry_from_lines(self.grader, self.step, blank))
        yield from self._from_probabilities(blank, self.grader.carried.loss_from_probabilities(self.step))
        if self._from_earlier_numbers is not None:
            yield Expectation(float(self._from_earlier_numbers[blank.index]), self.tolerance(blank), True)
        needs_answers_only = self.grader.prints_results or self.grader.has_short_answers
        if self.grader.answers_only.is_used and needs_answers_only:
            answers = self.grader.answers_only
            own = float(answers.compute(self.step)[blank.index])
            rounding = Rounding(
                answers.recording, self.grader.digits, answers.is_stated, self._is_exact, self.grader.coarse
            )
            likely = rounding.likely(self.step, blank.index)
            yield Expectation(own, min(self._to_nearest_mistake(blank, likely), likely), True, likely)
            yield from self._from_probabilities(blank, answers.loss_from_probabilities(self.step))

    @cached_property
    def _from_earlier_numbers(self) -> Array | None:
        """The step for a learner who computes what it reads once more, from the numbers on the sheet before that."""
        grader = self.grader
        sources = [grader.truth.step(id) for id in self._noted_before(self.step)]
        earlier = {id for source in sources for id in self._noted_before(source)}
        values = {id: grader.stated.get(id, grader.truth.value(id)) for id in earlier}
        printed = {id: rounded_to(value, grader.digits) for id, value in values.items() if is_float(value)}
        try:
            made = replay(grader.carried.recording, Changes(values=printed), until=self.step.id)
        except WorkingsError:
            return None
        recomputed: Array = made.value(self.step.id)
        return recomputed

    def _noted_before(self, step: Step) -> set[str]:
        """The named steps that a step is computed from."""
        found: set[str] = set()
        waiting = list(step.inputs) if step.op is not None else []
        while waiting:
            id = waiting.pop()
            if id in self._named:
                found.add(id)
            elif id not in found:
                waiting += self.grader.truth.step(id).inputs
        return found

    @cached_property
    def _named(self) -> set[str]:
        return {step.id for step in self.grader.mistakes.named_steps}

    def _from_probabilities(self, blank: Blank, made: tuple[Recording, Step] | None) -> Iterator[Expectation]:
        if made is not None:
            recording, loss = made
            rounding = Rounding(recording, self.grader.digits, lambda id, index: True, lambda *entry: False)
            own = float(recording.value(loss.id)[blank.index])
            yield Expectation(own, rounding.tolerance(loss, blank.index) * SLACK)

    def _to_nearest_mistake(self, blank: Blank, likely: float) -> float:
        """How far off an answer may be, on a paper of the learner's own, without being closer to a mistake. Where all
        is right so far, mistakes that rounding may hide, and those that no variant promises to show, do not count.
        """
        number = self.grader.filled[blank.label].number
        truth = float(self.grader.truth.value(self.step.id)[blank.index])
        values = (one.value for one in self.grader.sheet.mistakes if one.step == self.step.path)
        mistaken = [float(value[blank.index]) for value in values if value.shape == self.step.form.shape]
        if self.is_after_a_mistake or number is None:
            gaps = (abs(value - truth) for value in mistaken)
            return NEARER * min((gap for gap in gaps if gap > blank.tolerance), default=math.inf)
        visible = (value for value in mistaken if abs(value - truth) > max(likely, MIN_APART * blank.tolerance))
        return min((abs(value - number.value) for value in visible), default=math.inf)

    def tolerance(self, blank: Blank) -> float:
        """The tolerance of the sheet; where earlier numbers are wrong, were left open or have fewer digits, it is
        computed from how strongly the entry changes with the numbers that were stated.
        """
        grader = self.grader
        is_usual = grader.digits == grader.sheet.digits and not grader.coarse
        if self.step.id not in grader.tainted and not self._has_gap and is_usual:
            return blank.tolerance * SLACK
        return self._rounding.tolerance(self.step, blank.index) * SLACK

    @cached_property
    def _rounding(self) -> Rounding:
        grader = self.grader
        stated = self._named - grader.unanswered
        return Rounding(
            grader.carried.recording,
            grader.digits,
            lambda id, index: id in stated,
            self._is_exact,
            grader.coarse,
        )

    def _is_exact(self, id: str, index: Index, value: float) -> bool:
        digits = self.grader.digits
        return is_short(float(self.grader.truth.value(id)[index]), digits) and is_short(value, digits)

    @cached_property
    def _has_gap(self) -> bool:
        return bool(self.grader.unanswered) and bool(self.grader.left_open(self.step))

    def value_with(self, mistake: MistakeOutcome) -> Array | None:
        """What this step gives if a mistake was made in an earlier step, which was not answered."""
        if mistake.changes is None:
            return None
        try:
            changes = Changes(values=self.grader.stated).and_also(mistake.changes)
            made: Array = replay(self.grader.carried.recording, changes, until=self.step.id).value(self.step.id)
        except WorkingsError:
            return None
        return made
