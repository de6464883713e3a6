"""Grading answers, step by step.

What a step should give is first computed from the learner's own numbers (error carried forward): one wrong step does
not make all others wrong. An answer that does not follow from them is compared with the true value. An answer that is
neither right nor follows is compared with every mistake that could have been made there, on the same numbers. If
exactly one mistake gives all the answers of the step, it is named; if several do, none is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy

from ...engine.arrays import Array, Index, is_float
from ...engine.in_rule import ALSO
from ...engine.steps import Step
from ..answers.number import GivenNumber
from ..blanks import Blank
from ..carried_forward import AnswersOnly, CarriedForward
from ..mistakes import MistakeFinder
from ..sheet import Sheet
from ..tolerance import half_unit, is_short
from .expected_step import ExpectedStep
from .few_digits import mistaken_values, needed_digits, working_digits
from .filled_sheet import FilledBlank
from .lines import mark_line
from .mistake_search import SEVERAL, MistakeSearch, StepMistake
from .slips import MIN_TERMS, MIN_TERMS_ALONE, SLIPS, find_slip, has_dropped_term, is_copied
from .verdicts import CORRECT, Mark, Verdict, compare_number, too_few_digits

GOES_BACK = "It goes back through the step with your mistake: fix that one first."
AFTER_UNEXPLAINED = "It may come from the mistake before it: fix that one first."
TRIVIAL = "With these values the remaining steps would be trivial, so we check them against the correct ones."
SMALLER, LARGER = 1 / 200, 1000.0  # than the true numbers: no ordinary mistake makes them so small, or so large
MAX_OFF = 14.0  # tolerances that an answer may be off on a paper of the learner's own
FLATTER = 1 / 50  # of the range of the true numbers
PLAIN_SIZES = (0.0, 1.0)  # of numbers that need no calculation


class Grader:
    """Goes through a sheet once, from the first step to the last."""

    def __init__(self, sheet: Sheet, filled: Mapping[str, FilledBlank]) -> None:
        self.sheet = sheet
        self.filled = filled
        self.truth = sheet.trace.recording
        self.carried = CarriedForward(self.truth)
        self.answers_only = AnswersOnly(self.truth)
        self.stated: dict[str, Array] = {}  # the numbers on the sheet so far, by step id
        self.tainted: set[str] = set()  # steps that depend on a wrong answer
        self.unexplained: set[str] = set()  # steps that depend on one that no known mistake explains
        self.unanswered: set[str] = set()  # steps that were left open
        self.named: list[str] = []  # the mistakes that were made so far
        self.mistaken: set[str] = set()  # the steps at which they were made, and those that nothing explains
        self.possible: set[str] = set()  # those that may have been made: a rule that follows one is no new mistake
        self.digits = working_digits(sheet, filled)
        self.coarse: dict[tuple[str, Index], float] = {}  # answers with fewer digits: half a unit of each
        self.has_short_answers = False  # with too few digits to tell: some learners go on from what they wrote

    @cached_property
    def mistakes(self) -> MistakeFinder:
        return MistakeFinder(self.sheet.trace)

    @cached_property
    def _blanks(self) -> dict[str, list[Blank]]:
        found: dict[str, list[Blank]] = {}
        for blank in self.sheet.fields:
            found.setdefault(blank.step, []).append(blank)
        return found

    @cached_property
    def prints_results(self) -> bool:
        """Whether numbers are printed that follow from answers: somebody with a paper of their own has others there."""
        after: set[str] = set()
        named = {step.id for step in self.mistakes.named_steps if is_float(step.tensor.array)}
        for step in self.truth.steps.values():
            blank_count = sum(blank.kind == "number" for blank in self._blanks.get(step.path, []))
            is_after = not after.isdisjoint(step.inputs)
            if step.id in named and (blank_count or is_after) and blank_count < math.prod(step.form.shape):
                return True
            after |= {step.id} if blank_count or is_after else set()
        return False

    def marks(self) -> Iterator[Mark]:
        named_steps = {step.id for step in self.mistakes.named_steps}
        for step in self.truth.steps.values():
            if step.op is None:
                self.carried.compute(step)
                continue
            if not self.unexplained.isdisjoint(step.inputs):
                self.unexplained.add(step.id)
            blanks = self._blanks.get(step.path, [])
            yield from (self._other(step, blank) for blank in blanks if blank.kind != "number")
            numbers = [blank for blank in blanks if blank.kind == "number"]
            if step.id in named_steps and not numbers:
                self._go_on_with(step, self.truth.value(step.id))  # it is printed
                continue
            if not self.tainted.isdisjoint(self.carried.sources(step)):
                self.tainted.add(step.id)
            if numbers:
                yield from self._step(step, numbers)
            else:
                self.carried.compute(step)

    def _go_on_with(self, step: Step, value: Array) -> None:
        self.stated[step.id] = value
        self.carried.state(step, value)

    def step_alone(self, path: str) -> list[Mark]:
        """The marks of one step by itself: the numbers before it are the true ones, and nothing comes after it."""
        step, blanks = self.sheet.trace.find_step(path), self._blanks[path]
        marks = [self._other(step, blank) for blank in blanks if blank.kind != "number"]
        numbers = [blank for blank in blanks if blank.kind == "number"]
        marks += self._step(step, numbers) if numbers else []
        return [replace(mark, note="") if mark.note == TRIVIAL else mark for mark in marks]

    # -- a step ------------------------------------------------------------------------------------------

    def _step(self, step: Step, blanks: list[Blank]) -> list[Mark]:
        expected = ExpectedStep(self, step)
        marks = [self._entry(step, blank, expected) for blank in blanks]
        if all(mark.verdict == "blank" for mark in marks):
            self.unanswered.add(step.id)
            return marks
        short = {mark.blank.label for mark in marks if mark.verdict == "too few digits"}
        stated = self._stated(step, blanks, expected, short)
        if any(mark.verdict == "unknown" for mark in marks):
            self.tainted.add(step.id)
            marks, stated = self._explained(step, blanks, expected, marks, stated)
        elif len(blanks) == math.prod(step.form.shape):  # from here on, the numbers are those that we expect
            self.unexplained.discard(step.id)
        self._go_on_with(step, stated)
        for blank in blanks:
            number = self.filled[blank.label].number
            if number is None:
                continue
            is_too_short = blank.label in short
            self.has_short_answers |= is_too_short
            self.answers_only.state(step, blank.index, number.value if is_too_short else float(stated[blank.index]))
            own, near = float(expected.value[blank.index]), number.unit / 2
            if near > half_unit(own, self.sheet.digits) and not is_short(own, self.sheet.digits):
                self.coarse[step.id, blank.index] = min(near, half_unit(own, self.sheet.digits - 1))
        return marks

    def _explained(
        self, step: Step, blanks: list[Blank], expected: ExpectedStep, marks: list[Mark], stated: Array
    ) -> tuple[list[Mark], Array]:
        """The marks of a step with wrong answers, with what went wrong; and the numbers that the learner goes on with.
        What was left open was probably computed in the same way.
        """
        mistake, note = MistakeSearch(self, expected, marks).found()
        if mistake is not None:
            mistake, note = self._believed(step, expected, blanks, mistake, note)
        if mistake is not None and mistake.id in SLIPS:
            self.unexplained.add(step.id)
            return [_with_mistake(mark, mistake) if mark.verdict == "unknown" else mark for mark in marks], stated
        if mistake is not None:
            self.answers_only.make_mistake(step, mistake.value)
            self.named.append(mistake.id.partition("+")[0])
            self.mistaken.add(step.id)
            for blank in blanks:
                if self.filled[blank.label].number is None:
                    stated[blank.index] = mistake.value[blank.index]
            return [_with_mistake(mark, mistake) if mark.verdict == "unknown" else mark for mark in marks], stated
        marks = marks if note else self._with_slip(step, marks, expected)
        if any(mark.verdict in ("unknown", "slip") for mark in marks):
            self.unexplained.add(step.id)
        if any(mark.verdict == "unknown" for mark in marks):
            self.mistaken.add(step.id)
        if self._is_trivial(step, blanks):
            note, stated = TRIVIAL, self.truth.value(step.id)
            self.tainted.discard(step.id)
        return [replace(mark, note=note) if mark.verdict == "unknown" else mark for mark in marks], stated

    def _believed(
        self, step: Step, expected: ExpectedStep, blanks: list[Blank], mistake: StepMistake, note: str
    ) -> tuple[StepMistake | None, str]:
        """The mistake, unless what went wrong before may explain the answers too: then none, and why."""
        if self._goes_back_through_a_mistake(step, mistake):
            return None, GOES_BACK
        numbers = (self.filled[blank.label].number for blank in blanks)
        are_plain = all(abs(number.value) in PLAIN_SIZES for number in numbers if number is not None)
        is_doubtful = self.sheet.blanks != "all" and step.id in self.unexplained
        if is_doubtful or (are_plain and expected.is_after_a_mistake):  # a choice says little
            return None, AFTER_UNEXPLAINED
        return mistake, note

    def _goes_back_through_a_mistake(self, step: Step, mistake: StepMistake) -> bool:
        """Whether a gradient goes back through a step in which a mistake was made: its rule may be that of the
        mistake, so no other one is named.
        """
        group = self.truth.groups.get(step.group or "")
        is_after = group is not None and group.rule_of in self.mistaken
        return is_after and not any(id.endswith(ALSO) for id in (mistake.id, *mistake.also))

    def _entry(self, step: Step, blank: Blank, expected: ExpectedStep) -> Mark:
        filled = self.filled[blank.label]
        mark = Mark(blank, filled.text, "blank", tolerance=blank.tolerance)
        if filled.is_blank:
            return mark
        if filled.problem:
            return replace(mark, verdict="unreadable", note=filled.problem)
        if filled.shape is not None:
            return replace(mark, verdict="another shape", note=shape_note(filled.shape, step.form.shape))
        number = filled.number
        assert number is not None
        truth = float(self.truth.value(step.id)[blank.index])
        mark = Mark(blank, filled.text, "unknown")
        is_short_answer = False
        works_to_fewer = self.digits < self.sheet.digits
        for own, tolerance, on_own_paper, doubt in expected.expectations(blank):
            differing = own if step.id in self.tainted and not abs(own - truth) <= tolerance else None
            verdict = self._compare(number, blank, own, tolerance)
            mark = replace(mark, expected=differing, tolerance=tolerance)
            if verdict is None and works_to_fewer and abs(number.value - own) <= doubt:
                verdict = "too few digits"
            if verdict is None or (on_own_paper and not self._is_believed(step, blank, number, truth)):
                continue
            if verdict != "too few digits":
                is_true = self._compare(number, blank, truth, blank.tolerance) in CORRECT
                return replace(mark, verdict=verdict if differing is None or is_true else "follows")
            is_short_answer = True
        verdict = self._compare(number, blank, truth, blank.tolerance)
        if verdict in CORRECT:
            return replace(mark, verdict=verdict, tolerance=blank.tolerance)
        if is_short_answer or verdict is not None:
            needed = max(needed_digits(self.sheet, blank), min(number.digits + 1, self.sheet.digits))
            return replace(mark, verdict="too few digits", note=too_few_digits(needed))
        return mark

    def _with_slip(self, step: Step, marks: list[Mark], expected: ExpectedStep) -> list[Mark]:
        """The marks of a step with the slip that explains its only wrong answer, if there is one."""
        wrong = [mark for mark in marks if mark.verdict == "unknown"]
        number = self.filled[wrong[0].blank.label].number
        if len(wrong) != 1 or number is None:
            return marks
        blank, others_right = wrong[0].blank, any(mark.points == 1 for mark in marks)
        if self.tainted - {step.id} and not others_right:  # it may come from whatever went wrong before
            return marks
        least = MIN_TERMS if others_right else MIN_TERMS_ALONE
        truth = float(self.truth.value(step.id)[blank.index])
        compared = (
            (self.carried.recording, float(expected.value[blank.index]), expected.tolerance(blank)),
            (self.truth, truth, blank.tolerance),
        )
        for recording, value, tolerance in compared:
            slip = find_slip(number, value, tolerance, self.sheet.digits)
            is_first = not self.tainted - {step.id}
            if slip is None and is_first and has_dropped_term(recording, step, blank.index, number, tolerance, least):
                slip = "slip.dropped_term"
            if slip is None and others_right and is_copied(number, recording.value(step.id), blank.index, self.digits):
                slip = "slip.copied"
            if slip is not None:
                found = replace(wrong[0], verdict="slip", mistake=slip, hint=SLIPS[slip])
                return [found if mark is wrong[0] else mark for mark in marks]
        return marks

    def _compare(self, number: GivenNumber, blank: Blank, value: float, tolerance: float) -> Verdict | None:
        """The verdict on an answer that should be this value. One that is right only for a learner who works to fewer
        digits must be none that a mistake gives too.
        """
        digits = self.sheet.digits
        needed = digits if number.unit / 2 <= half_unit(value, digits) else needed_digits(self.sheet, blank)
        verdict = compare_number(number, value, tolerance, digits, needed)
        is_usual = self.digits == digits or not math.isfinite(value)
        if verdict not in CORRECT or is_usual or abs(number.value - value) <= blank.tolerance:
            return verdict
        others = mistaken_values(self.sheet, blank)
        is_apart = all(abs(number.value - other) > max(tolerance, number.unit / 2) for other in others)
        return "right to the digits given" if is_apart else "too few digits"

    def _is_believed(self, step: Step, blank: Blank, number: GivenNumber, truth: float) -> bool:
        """Whether an answer that does not follow from the printed numbers may come from a paper of the learner's own.
        What moves further than that by rounding is not asked for.
        """
        room = MAX_OFF * blank.tolerance * 10.0 ** (self.sheet.digits - self.digits)
        return step.id in self.tainted or abs(number.value - truth) <= room

    def _stated(self, step: Step, blanks: list[Blank], expected: ExpectedStep, short: Collection[str]) -> Array:
        """What the learner goes on with: the answers; what follows for blanks and for answers with too few digits; what
        is printed elsewhere.
        """
        stated: Array = numpy.array(self.truth.value(step.id), dtype=numpy.float64)
        for blank in blanks:
            number = self.filled[blank.label].number
            if number is None or blank.label in short:
                stated[blank.index] = expected.value[blank.index]
            else:
                stated[blank.index] = number.value
        return stated

    def _is_trivial(self, step: Step, blanks: list[Blank]) -> bool:
        """Whether the answers would make the remaining steps trivial."""
        truth = self.truth.value(step.id)
        pairs = [
            (number.value, float(truth[blank.index]))
            for blank in blanks
            if (number := self.filled[blank.label].number) is not None and math.isfinite(truth[blank.index])
        ]
        return are_trivial([value for value, _ in pairs], [true for _, true in pairs])

    def left_open(self, step: Step) -> list[Step]:
        """The steps that were left open since the last numbers that are stated on the sheet."""
        found: dict[str, Step] = {}
        waiting = [step]
        while waiting:
            for id in waiting.pop().inputs:
                before = self.truth.step(id)
                if id not in self.stated and id not in found and before.op is not None:
                    found[id] = before
                    waiting.append(before)
        return [before for id, before in found.items() if id in self.unanswered]

    # -- answers that are not numbers ---------------------------------------------------------------------

    def _other(self, step: Step, blank: Blank) -> Mark:
        if blank.kind == "line":
            return mark_line(self, step, blank)
        filled = self.filled[blank.label]
        if filled.is_blank:
            return Mark(blank, filled.text, "blank")
        if filled.problem:
            return Mark(blank, filled.text, "unreadable", note=filled.problem)
        if blank.kind == "positions":
            return self._positions(step, blank, filled)
        if filled.other == blank.true:
            return Mark(blank, filled.text, "right")
        note = shape_note(filled.other, step.form.shape) if blank.kind == "shape" else ""
        return Mark(blank, filled.text, "unknown", note=note)

    def _positions(self, step: Step, blank: Blank, filled: FilledBlank) -> Mark:
        assert isinstance(blank.true, tuple)
        if filled.other == frozenset(blank.true):
            return Mark(blank, filled.text, "right")
        position = self.sheet.trace.style.notation.place
        fitting = []
        for mistake in self.mistakes.at(step.path):
            if mistake.value.shape == step.form.shape:
                hidden = numpy.flatnonzero(numpy.isneginf(mistake.value[blank.index]))
                if frozenset(position(int(column)) for column in hidden) == filled.other:
                    fitting.append(mistake)
        mark = Mark(blank, filled.text, "unknown")
        if len({mistake.id for mistake in fitting}) != 1:
            return replace(mark, note=SEVERAL if fitting else "")
        first = fitting[0]
        return _with_mistake(mark, StepMistake(first.id, first.also, first.hint, first.value))


def graded_marks(sheet: Sheet, filled: Mapping[str, FilledBlank]) -> tuple[Mark, ...]:
    """The marks of a filled sheet."""
    return tuple(Grader(sheet, filled).marks())


def _with_mistake(mark: Mark, mistake: StepMistake) -> Mark:
    verdict: Verdict = "slip" if mistake.id in SLIPS else "mistake"
    return replace(mark, verdict=verdict, mistake=mistake.id, also=mistake.also, hint=mistake.hint, note="")


def shape_note(given: tuple[int, ...], true: tuple[int, ...]) -> str:
    """What a learner may have done whose answer has another shape."""
    if given == true[::-1]:
        return "It is the transposed matrix: rows and columns are swapped."
    if len(given) < len(true):
        return "An axis is missing: something was summed, or only a part was taken."
    if len(given) == len(true) and any(one < other for one, other in zip(given, true, strict=True)):
        return "A row or a column is missing."
    return "It has another shape."


def are_trivial(values: Sequence[float], true: Sequence[float]) -> bool:
    """Whether wrong answers would make the remaining steps trivial although the true ones would not: with zeros, or
    with all entries equal, there is nothing left to calculate.

    >>> are_trivial([0.0, 1e-9], [0.3, -0.2]), are_trivial([0.5, 0.5001], [0.7, 0.3])
    (True, True)
    >>> are_trivial([0.4, -0.2], [0.3, -0.2])
    False
    """
    if not values:
        return False
    if any(not math.isfinite(value) for value in values):
        return True
    size, own = max(map(abs, true)), max(map(abs, values))
    if size and not SMALLER * size <= own <= LARGER * size:
        return True
    if all(abs(value) in PLAIN_SIZES for value in values) and not all(abs(value) in PLAIN_SIZES for value in true):
        return True
    width = max(true) - min(true)
    return width > FLATTER * size and max(values) - min(values) < FLATTER * width
