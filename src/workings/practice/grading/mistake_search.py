"""Which mistake was made at a step: the answers are compared with what every possible mistake gives there.

A mistake is named only if it gives all that was answered. If several do, or if a single wrong digit would explain the
answers too, none is named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...engine.arrays import Array
from ...engine.rounding import round_float
from ..answers.number import GivenNumber
from ..blanks import Blank
from ..mistakes import same
from ..tolerance import differ_in_one_digit, half_unit, is_short, largest
from .expected_step import ExpectedStep
from .verdicts import FLOAT_ERROR, compare_number

if TYPE_CHECKING:
    from .grader import Grader

SHORT_DIGITS = 2  # significant ones of a number that one wrong digit may have produced
MAX_GROWTH = 10.0  # of the tolerance of a step, for a mistake that gives larger numbers
SEVERAL = "More than one mistake gives these numbers, so none is named."
WRONG_DIGIT = "A single wrong digit would explain it too, so no mistake is named."


@dataclass(frozen=True, eq=False)
class StepMistake:
    """A mistake that may have been made, and what it gives at the step that is graded."""

    id: str
    also: tuple[str, ...]
    hint: str
    value: Array


class MistakeSearch:
    """The search for the mistake at one step."""

    def __init__(self, grader: Grader, expected: ExpectedStep, blanks: list[Blank]) -> None:
        self.grader = grader
        self.expected = expected
        self.digits = grader.sheet.digits
        numbers = ((blank, grader.filled[blank.label].number) for blank in blanks)
        self.answered: list[tuple[Blank, GivenNumber]] = [
            (blank, number) for blank, number in numbers if number is not None
        ]

    def found(self) -> tuple[StepMistake | None, str]:
        """The one mistake that gives all that was answered at this step, or why none is named."""
        fitting = [possible for possible in self._possible() if self._fits(possible)]
        if len(fitting) > 1:
            exactly = [possible for possible in fitting if self._fits_exactly(possible)]
            fitting = exactly or fitting
        distinct: list[StepMistake] = []
        for possible in fitting:
            if not any(same(possible.value, other.value) for other in distinct):
                distinct.append(possible)
        self.grader.possible |= {possible.id.partition("+")[0] for possible in distinct}
        if distinct and self._may_be_a_wrong_digit():
            return None, WRONG_DIGIT
        if len(distinct) == 1:
            others = [id for other in fitting for id in (other.id, *other.also) if id != distinct[0].id]
            return replace(distinct[0], also=tuple(dict.fromkeys(others))), ""
        if len({possible.id for possible in distinct}) == 1:
            return distinct[0], ""
        return None, SEVERAL if distinct else ""

    def _possible(self) -> Iterator[StepMistake]:
        grader, step = self.grader, self.expected.step
        for made in (step, *grader.left_open(step)):
            for mistake in grader.mistakes.at(made.path, grader.possible, grader.carried.recording):
                value = mistake.value if made is step else self.expected.value_with(mistake)
                if value is not None:
                    yield StepMistake(mistake.id, mistake.also, mistake.hint, value)
        if step.id not in grader.tainted or not grader.named:
            for on_sheet in grader.sheet.mistakes:
                if on_sheet.step == step.path:
                    yield StepMistake(on_sheet.id, on_sheet.also, on_sheet.hint, on_sheet.value)

    def _fits(self, possible: StepMistake) -> bool:
        own = self.expected.value
        if possible.value.shape != own.shape or same(possible.value, own):
            return False
        growth = min(MAX_GROWTH, max(1.0, largest(possible.value) / (largest(own) or 1.0)))
        return all(self._entry_fits(number, possible, blank, growth) for blank, number in self.answered)

    def _entry_fits(self, number: GivenNumber, possible: StepMistake, blank: Blank, growth: float) -> bool:
        value, own = float(possible.value[blank.index]), float(self.expected.value[blank.index])
        moves = growth * max(0.0, self.expected.tolerance(blank) - half_unit(own, self.digits))
        # A mistake has lines of its own, and those are rounded too.
        line = 2 * half_unit(max(abs(value), abs(own)), self.digits)
        return compare_number(number, value, half_unit(value, self.digits) + max(moves, line), self.digits) is not None

    def _fits_exactly(self, possible: StepMistake) -> bool:
        for blank, number in self.answered:
            value = float(possible.value[blank.index])
            if not math.isfinite(value):
                continue
            if abs(round_float(value, self.digits, "significant") - number.value) > FLOAT_ERROR * abs(value):
                return False
        return True

    def _may_be_a_wrong_digit(self) -> bool:
        """Whether a single wrong digit in a single answer would explain it too. Long numbers are not tested: a wrong
        digit hardly ever turns them into exactly what a mistake gives.
        """
        wrong = []
        for blank, number in self.answered:
            own = float(self.expected.value[blank.index])
            if compare_number(number, own, self.expected.tolerance(blank), self.digits) is None:
                wrong.append((number.value, own))
        if len(wrong) != 1 or not is_short(wrong[0][0], SHORT_DIGITS):
            return False
        return differ_in_one_digit(*wrong[0], self.digits)
