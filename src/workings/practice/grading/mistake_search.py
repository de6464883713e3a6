"""Which mistake was made at a step: the answers are compared with what every possible mistake gives there.

A mistake is named only if it gives all that was answered. If two or three do, all are; if more do, none is. If a slip
of the pen would explain the only wrong answer too, it is called that, and the mistakes are named beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ...engine.arrays import Array, Index
from ...engine.recording import Recording
from ...engine.rounding import round_float
from ..answers.number import GivenNumber
from ..blanks import Blank
from ..changed_lines import IsGiven, multiples, with_changed_lines
from ..mistakes import same
from ..tolerance import differ_in_one_digit, half_unit, is_short, largest
from .expected_step import ExpectedStep
from .few_digits import needed_digits
from .other_inputs import with_other_inputs
from .other_operations import with_other_operations
from .slips import SLIPS, find_slip, is_copied, lacks_a_product
from .verdicts import CORRECT, FLOAT_ERROR, Mark, Verdict, compare_number

if TYPE_CHECKING:
    from .grader import Grader

SHORT_DIGITS = 2  # significant ones of a number that one wrong digit may have produced
MAX_GROWTH = 10.0  # of the tolerance of a step, for a mistake that gives larger numbers
MAX_NAMED = 3  # mistakes that a learner may choose between
MIN_AGREEING = 2  # wrong answers that show from which other numbers a step was computed
SEVERAL = "More than one mistake gives these numbers, so none is named."
SLIP = "A slip of the pen would explain it too, so no mistake is named."


@dataclass(frozen=True, eq=False)
class StepMistake:
    """A mistake that may have been made, and what it gives at the step that is graded."""

    id: str
    also: tuple[str, ...]
    hint: str
    value: Array


class MistakeSearch:
    """The search for the mistake at one step."""

    def __init__(self, grader: Grader, expected: ExpectedStep, marks: Sequence[Mark]) -> None:
        self.grader = grader
        self.expected = expected
        self.digits = grader.sheet.digits
        numbers = ((mark, grader.filled[mark.blank.label].number) for mark in marks)
        answered = [(mark, number) for mark, number in numbers if number is not None]
        self.answered = [(mark.blank, number) for mark, number in answered]
        self.wrong = [(mark.blank, number) for mark, number in answered if mark.verdict == "unknown"]

    def found(self) -> tuple[StepMistake | None, str]:
        """The one mistake that gives all that was answered at this step, or why none is named."""
        fitting: list[StepMistake] = []
        for numbers in (self._on_the_sheet, self._on_own_paper, self._on_true_numbers):
            fitting = fitting or [possible for possible in numbers() if self._fits(possible)]
        if len(fitting) > 1:
            exactly = [possible for possible in fitting if self._fits_exactly(possible)]
            fitting = exactly or fitting
        distinct: list[StepMistake] = []
        for possible in fitting:
            if not any(same(possible.value, other.value) for other in distinct):
                distinct.append(possible)
        self.grader.possible |= {id.partition("+")[0] for possible in fitting for id in (possible.id, *possible.also)}
        if distinct and self._may_be_a_slip():
            return self._slip_or_mistake(self._slip, fitting), SLIP
        if not distinct:
            return self._from_a_changed_step(), ""
        if self._may_be_copied():
            return self._slip_or_mistake("slip.copied", fitting), ""
        if len({possible.id for possible in distinct}) > MAX_NAMED:
            return None, SEVERAL
        first = min(distinct, key=lambda possible: not possible.id.endswith("forgotten"))
        others = [id for other in fitting for id in (other.id, *other.also) if id != first.id]
        return replace(first, also=tuple(dict.fromkeys(others))), ""

    def _slip_or_mistake(self, slip: str | None, fitting: Sequence[StepMistake]) -> StepMistake | None:
        """The slip that explains the only wrong answer, with the few mistakes that would explain it too."""
        ids = tuple(dict.fromkeys(id for possible in fitting for id in (possible.id, *possible.also)))
        is_open = self._is_second or len({possible.id for possible in fitting}) > MAX_NAMED
        return None if slip is None or is_open else StepMistake(slip, ids, SLIPS[slip], fitting[0].value)

    def _from_a_changed_step(self) -> StepMistake | None:
        """The one table that was mistaken for another, the one thing changed in the lines of the step, or the one
        multiple of it, if it gives several answers that are wrong, or the only one with all its digits. After another
        mistake too much would fit, so nothing is tried.
        """
        if self.expected.is_after_a_mistake:
            return None
        ways = [self._multiples, self._with_changed_lines]
        if len({number.value for _, number in self.wrong if number.value}) >= MIN_AGREEING:
            ways = [self._with_other_inputs, *ways, self._with_other_operations]
        elif len(self.answered) > 1 or is_short(self.wrong[0][1].value, self.digits - 1) or self._slip:
            return None
        for tried in ways:
            for recording in (self.grader.carried.recording, self.grader.truth):
                found = [possible for possible in tried(recording) if self._fits(possible)]
                if found:
                    is_one = all(same(one.value, found[0].value) for one in found)
                    return found[0] if is_one else None
        return None

    def _with_other_inputs(self, recording: Recording) -> Iterator[StepMistake]:
        for one in with_other_inputs(self.grader.mistakes, self.expected.step, recording):
            yield StepMistake(one.id, one.also, one.hint, one.value)

    def _with_other_operations(self, recording: Recording) -> Iterator[StepMistake]:
        for one in with_other_operations(self.grader.mistakes, self.expected.step, recording):
            yield StepMistake(one.id, one.also, one.hint, one.value)

    def _with_changed_lines(self, recording: Recording) -> Iterator[StepMistake]:
        trace, step = self.grader.sheet.trace, self.expected.step
        for one in with_changed_lines(trace, recording, step, self._given()):
            yield StepMistake(one.id, (), one.hint, one.value)

    def _multiples(self, recording: Recording) -> Iterator[StepMistake]:
        for one in multiples(recording, self.expected.step, self._given()):
            yield StepMistake(one.id, (), one.hint, one.value)

    def _given(self) -> list[tuple[Index, IsGiven]]:
        """The wrong answers, as the entries where they are and how a value there is compared."""
        return [(blank.index, partial(self._is_near, number, blank)) for blank, number in self.wrong]

    def _is_near(self, number: GivenNumber, blank: Blank, value: float) -> bool:
        """Whether an answer may be a value, before it is compared with everything that was answered."""
        own = float(self.expected.value[blank.index])
        growth = min(MAX_GROWTH, max(1.0, abs(value) / (abs(own) or 1.0)))
        room = growth * self._moves(blank) + 3 * half_unit(max(abs(value), abs(own)), self.digits)
        return abs(number.value - value) <= room + number.unit / 2

    def _on_the_sheet(self) -> Iterator[StepMistake]:
        """The mistakes made on the numbers of the sheet: the learner's own where they have answered."""
        yield from self._made_on(self.grader.carried.recording)
        if not self._is_second:
            yield from self._on_true_numbers()

    def _on_own_paper(self) -> Iterator[StepMistake]:
        """A second mistake, of a learner who ignores what is printed."""
        if self._is_second and self.grader.sheet.blanks != "all":
            self.grader.answers_only.compute(self.expected.step)
            yield from self._made_on(self.grader.answers_only.recording)

    def _on_true_numbers(self) -> Iterator[StepMistake]:
        for mistake in self.grader.sheet.mistakes:
            if mistake.step == self.expected.step.path:
                yield StepMistake(mistake.id, mistake.also, mistake.hint, mistake.value)

    @property
    def _is_second(self) -> bool:
        """Whether an earlier mistake was named that this step depends on."""
        return self.expected.is_after_a_mistake and bool(self.grader.named)

    def _made_on(self, recording: Recording) -> Iterator[StepMistake]:
        grader, step = self.grader, self.expected.step
        for made in (step, *grader.left_open(step)):
            for mistake in grader.mistakes.at(made.path, grader.possible, recording):
                value = mistake.value if made is step else self.expected.value_with(mistake)
                if value is not None:
                    yield StepMistake(mistake.id, mistake.also, mistake.hint, value)

    def _fits(self, possible: StepMistake) -> bool:
        own = self.expected.value
        if possible.value.shape != own.shape or same(possible.value, own):
            return False
        growth = min(MAX_GROWTH, max(1.0, largest(possible.value) / (largest(own) or 1.0)))
        verdicts = {
            blank.label: self._compare(number, possible, blank, growth, needed_digits(self.grader.sheet, blank))
            for blank, number in self.answered
        }
        is_distinct = any(verdicts[blank.label] in CORRECT for blank, _ in self.wrong)  # not by too few digits
        return is_distinct and None not in verdicts.values()

    def _compare(
        self, number: GivenNumber, possible: StepMistake, blank: Blank, growth: float, needed: int
    ) -> Verdict | None:
        value, own = float(possible.value[blank.index]), float(self.expected.value[blank.index])
        moves = growth * (self._moves(blank) or max(self._moves(other) for other, _ in self.answered))
        # A mistake has lines of its own, and those are rounded too.
        line = 2 * half_unit(max(abs(value), abs(own)), self.digits)
        return compare_number(number, value, half_unit(value, self.digits) + max(moves, line), self.digits, needed)

    def _moves(self, blank: Blank) -> float:
        """How far roundings before it move an entry: not at all where it stays 0, as after a ReLU."""
        own = float(self.expected.value[blank.index])
        return max(0.0, self.expected.tolerance(blank) - half_unit(own, self.digits))

    def _fits_exactly(self, possible: StepMistake) -> bool:
        for blank, number in self.answered:
            value = float(possible.value[blank.index])
            if not math.isfinite(value):
                continue
            if abs(round_float(value, self.digits, "significant") - number.value) > FLOAT_ERROR * abs(value):
                return False
        return True

    def _may_be_a_slip(self) -> bool:
        """Whether a slip of the pen would explain the only wrong answer too: a lost sign, two swapped digits or a
        single wrong one; and where nothing else was answered, the number of another entry or a dropped product. Wrong
        digits of long numbers are not tested then: they hardly ever give exactly what a mistake gives.
        """
        if len(self.wrong) != 1:
            return False
        blank, number = self.wrong[0]
        own = float(self.expected.value[blank.index])
        if own * number.value == 0:  # a 0 is no slip of a digit
            return False
        differs = differ_in_one_digit(number.value, own, self.digits)
        if len(self.answered) > 1:
            return differs or self._slip in ("slip.swapped_digits", "slip.sign")
        recording, step, tolerance = self.grader.carried.recording, self.expected.step, self.expected.tolerance(blank)
        return (
            self._slip in ("slip.swapped_digits", "slip.sign")
            or (differs and is_short(number.value, SHORT_DIGITS))
            or is_copied(number, self.expected.value, blank.index, self.digits)
            or lacks_a_product(recording, step, blank.index, number, tolerance)
        )

    @cached_property
    def _slip(self) -> str | None:
        """The slip that turns the first wrong answer into the right one."""
        blank, number = self.wrong[0]
        own = float(self.expected.value[blank.index])
        return find_slip(number, own, self.expected.tolerance(blank), self.digits)

    def _may_be_copied(self) -> bool:
        """Whether the only wrong answer of several is the number that belongs into another entry: a mistake would be
        believed only if it gave another wrong answer, too.
        """
        if len(self.wrong) != 1 or len(self.answered) == 1:
            return False
        blank, number = self.wrong[0]
        return is_copied(number, self.expected.value, blank.index, self.digits)
