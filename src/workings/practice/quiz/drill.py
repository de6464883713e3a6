"""Practicing one mistake: only the steps at which it shows, in the entries that distinguish it from the truth, each
time with new numbers, until everything is right three times in a row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from ...document.blocks import Document, Note, Text, Words
from ...engine.arrays import Index, indices
from ...engine.errors import InputError, LessonError, WorkingsError, did_you_mean
from ...engine.op import OPS
from ...explain.mistakes import candidates
from ...explain.trace import Trace
from ...lessons.contents import names as lesson_names
from ..blanks import number_blank
from ..exercise import Exercise, exercise
from ..mistakes import MistakeFinder, MistakeOutcome, known_mistakes
from ..sheet import DIGITS, Sheet, sheet_of
from ..tolerance import differ_in_one_digit
from ..variant import MIN_APART, Variant, find_variant
from .entry import QuizEntry
from .question import QuizQuestion
from .quiz import Quiz
from .reply import Reply
from .summary import Summary

RIGHT_IN_A_ROW = 3  # rounds, after which the drill is over
MAX_SEEDS = 6  # that are tried for numbers in which the mistake shows
MAX_ENTRIES = 3  # of a round
SEED_DISTANCE = 1000  # between two drills, so that neighboring ones share no numbers
MAX_LESSONS = 3  # that an error names


class Drill:
    """A quiz on one mistake. It is used like a quiz.

    >>> from workings.practice.exercise import exercise
    >>> drill = Drill(exercise("token-i"), "softmax.wrong_axis")
    >>> drill.question.name
    'weights'
    """

    def __init__(self, chosen: Exercise, mistake: str, seed: int = 1, digits: int = DIGITS, command: str = "") -> None:
        check_mistake(mistake)
        self.exercise = chosen
        self.mistake = mistake
        self.digits = digits
        self.command = command or chosen.name
        self.description = ""  # what a learner does who makes it
        self.rounds = 0  # that were begun
        self.streak = 0  # of rounds without an error, up to now
        self._seed = seed * SEED_DISTANCE
        self._ended: list[QuizEntry] = []
        self._mistakes: dict[str, None] = {}
        if mistake not in {fit.id for fit in candidates(chosen.trace)}:
            raise self._shows_nowhere()
        self._quiz = self._next_round()

    @property
    def sheet(self) -> Sheet:
        """The numbers of this round."""
        return self._quiz.sheet

    @property
    def done(self) -> bool:
        return self.streak == RIGHT_IN_A_ROW

    @property
    def introduction(self) -> Document:
        """What is practiced, and for how long."""
        title = f"{self.exercise.title}: {self.mistake}"
        about = Text((Words(f"New numbers in every round, until you are right {RIGHT_IN_A_ROW} times in a row."),))
        return Document(title, (Note("mistake", (Words(self.description),), self.mistake), about))

    @property
    def question(self) -> QuizQuestion | None:
        """The current question; None when the drill is over."""
        question = None if self.done else self._quiz.question
        return question and replace(question, heading=f"{question.name}, round {self.rounds}")

    def answer(self, answers: Mapping[str, str]) -> Reply:
        """Grade answers, as a quiz does."""
        reply = self._quiz.answer(answers)
        self._mistakes |= dict.fromkeys(self._quiz.mistakes)
        self._go_on()
        return replace(reply, next="done" if self.done else "on" if reply.next == "done" else reply.next)

    def hint(self, label: str = "") -> Document:
        """The next hint, as in a quiz."""
        shown = self._quiz.hint(label)
        self._go_on()
        return shown

    def give_up(self, label: str = "") -> Document:
        """The answer to an entry."""
        shown = self._quiz.give_up(label)
        self._go_on()
        return shown

    def skip(self, *labels: str) -> None:
        """Leave entries open, or all of this round."""
        self._quiz.skip(*labels)
        self._go_on()

    def summary(self) -> Summary:
        """How it went, over all rounds."""
        entries = self._ended if self._quiz.done else [*self._ended, *_begun(self._quiz, self.rounds)]
        remark = (
            f"You were right {RIGHT_IN_A_ROW} times in a row."
            if self.done
            else f"Right in a row at the end: {self.streak} of {RIGHT_IN_A_ROW}."
        )
        others = tuple(mistake for mistake in self._mistakes if mistake != self.mistake)
        return Summary(self.exercise.title, tuple(entries), self.rounds, self.rounds, others, self.command, remark)

    # -- rounds ----------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        if not self._quiz.done:
            return
        entries = _begun(self._quiz, self.rounds)
        self._ended += entries
        self.streak = self.streak + 1 if all(entry.points == 1 for entry in entries) else 0
        if not self.done:
            self._quiz = self._next_round()

    def _next_round(self) -> Quiz:
        """New numbers in which the mistake shows; if it shows in several steps, they take turns."""
        for _ in range(MAX_SEEDS):
            self._seed += 1
            try:
                variant = find_variant(self.exercise.trace, self._seed, self.digits)
            except LessonError:  # no numbers of this seed can be calculated by hand
                continue
            same = (mistake for mistake in variant.shown if self.mistake in mistake.names)
            showing = [mistake for mistake in same if _distinguishing(variant, mistake)]
            if showing:
                mistake = showing[self.rounds % len(showing)]
                self.description = mistake.hint
                self.rounds += 1
                step = variant.trace[mistake.step].step
                blanks = (number_blank(variant, step, index) for index in _distinguishing(variant, mistake))
                sheet = sheet_of(self.exercise, variant, "few")
                return Quiz(replace(sheet, fields=tuple(blanks)), self.command)
        raise self._shows_nowhere()

    def _shows_nowhere(self) -> InputError:
        name, lessons = self.exercise.name, [name for name in lessons_with(self.mistake) if name != self.exercise.name]
        if lessons:
            return InputError(
                f"The mistake {self.mistake} does not show in the numbers of {name}.",
                hint=f"It shows in {', '.join(lessons)}: `workings quiz {lessons[0]} --mistake {self.mistake}`.",
            )
        page = self.mistake.partition(".")[0]
        command = f"workings op {page}" if page in OPS else "workings lesson common-mistakes"
        return InputError(
            f"The mistake {self.mistake} does not show in the numbers of {name}, nor in another lesson.",
            hint=f"Read about it instead: `{command}`.",
        )


def _begun(quiz: Quiz, number: int) -> list[QuizEntry]:
    """What was worked on in a round, each entry labeled with the round."""
    begun = (entry for entry in quiz.entries.values() if entry.is_begun)
    return [replace(entry, blank=replace(entry.blank, label=f"round {number}: {entry.blank.label}")) for entry in begun]


def _distinguishing(variant: Variant, mistake: MistakeOutcome) -> list[Index]:
    """A few entries that distinguish a mistake from the truth and, as far as possible, from the other mistakes at its
    step; none if it has another shape.
    """
    distances, truth = variant.distances(mistake), variant.trace[mistake.step].value
    if distances is None:
        return []
    places = [at for at in indices(truth.shape) if not math.isnan(truth[at])]
    limits = variant.tolerances[mistake.step]
    others = [other.value for other in variant.mistakes.at(mistake.step) if other.id != mistake.id]
    others = [value for value in others if value.shape == truth.shape]

    def count_distinguished(at: Index) -> int:
        return sum(_differ(mistake.value[at], value[at], limits[at]) for value in others)

    def is_no_slip(at: Index) -> bool:
        """Neither a wrong digit nor the number of another entry would explain the mistake too: then it can be named
        from this entry alone.
        """
        wrong, right = float(mistake.value[at]), float(truth[at])
        copied = any(not _differ(wrong, float(truth[other]), limits[at]) for other in places if other != at)
        return not copied and not differ_in_one_digit(wrong, right, variant.digits)

    found: list[Index] = []
    choices = [at for at in places if distances[at] >= MIN_APART]
    while choices and len(found) < MAX_ENTRIES:
        best = max(choices, key=lambda at: (is_no_slip(at), count_distinguished(at), distances[at]))
        found.append(best)
        others = [value for value in others if not _differ(mistake.value[best], value[best], limits[best])]
        choices = [at for at in places if at not in found and count_distinguished(at)]
    return sorted(found)


def _differ(one: float, other: float, limit: float) -> bool:
    return not (one == other or abs(one - other) <= 2 * limit)


# -- which mistakes there are -------------------------------------------------------------------------------


def check_mistake(mistake: str) -> None:
    """Refuse an id that no mistake has."""
    if mistake not in known_mistakes():
        raise InputError(
            f"There is no mistake '{mistake[:60]}'.",
            hint=f"{did_you_mean(mistake, known_mistakes())}The op pages list them: `workings op softmax`. So does the "
            "lesson common-mistakes.",
        )


def lessons_with(mistake: str) -> tuple[str, ...]:
    """Some lessons with a sheet in whose numbers a mistake shows."""
    found: list[str] = []
    for name in lesson_names():
        try:
            trace = exercise(name).trace
        except WorkingsError:  # it is too long to calculate by hand
            continue
        if shows_in(trace, mistake):
            found.append(name)
        if len(found) == MAX_LESSONS:
            break
    return tuple(found)


def shows_in(trace: Trace, mistake: str) -> bool:
    """Whether a mistake can be made in a trace and changes a number of it."""
    finder = MistakeFinder(trace)
    return any(True for fit in candidates(trace) if fit.id == mistake for _ in finder.shown(fit))
