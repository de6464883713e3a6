"""Practising one mistake: only the steps at which it shows, in the entries that tell it from the truth, each time with
other numbers, until all is right three times in a row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from ...engine.arrays import Index, indices
from ...engine.errors import InputError, LessonError
from ...engine.registry import OPS
from ...explain.document import Document, Note, Text, Words
from ...explain.fitting import candidates
from ..practice.asked import Field, label_of
from ..practice.exercise import Exercise
from ..practice.sheet import DIGITS, Sheet, sheet_of
from ..practice.slips import Slip
from ..practice.variant import APART, Variant, find_variant
from .known import check_mistake, lessons_with
from .question import Question
from .quiz import Quiz
from .reply import Reply
from .sentences import say
from .summary import Summary
from .turn import Turn

IN_A_ROW = 3  # right ones, after which it is enough
TRIES = 6  # sets of numbers that are looked at for one that shows the mistake
ENTRIES = 3  # that are asked for in a round, at most
APART_FROM = 1000  # between the seeds of two drills, so that neighbouring ones share no numbers


class Drill:
    """A quiz on one mistake. It is asked and answered as a quiz is.

    >>> from workings.teach.practice.exercise import exercise
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
        self.told = ""  # what somebody does who makes it
        self.rounds = 0  # that were begun
        self.streak = 0  # rounds without a fault, the last ones
        self._seed = seed * APART_FROM
        self._ended: list[Turn] = []
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
        return self.streak == IN_A_ROW

    @property
    def introduction(self) -> Document:
        """What is practised, and for how long."""
        title = say("quiz.drill.title", title=self.exercise.title, mistake=self.mistake)
        about = Text((Words(say("quiz.drill.about", wanted=IN_A_ROW)),))
        return Document(title, (Note("mistake", (Words(self.told),), self.mistake), about))

    @property
    def question(self) -> Question | None:
        """What is asked now; nothing when it is enough."""
        asked = None if self.done else self._quiz.question
        return asked and replace(asked, heading=say("quiz.drill.name", name=asked.name, number=self.rounds))

    def answer(self, written: Mapping[str, str]) -> Reply:
        """Judge answers, as a quiz does."""
        reply = self._quiz.answer(written)
        self._mistakes |= dict.fromkeys(self._quiz.mistakes)
        self._go_on()
        return replace(reply, next="done" if self.done else "on" if reply.next == "done" else reply.next)

    def hint(self, label: str = "") -> Document:
        """The next rung of the ladder, as in a quiz."""
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
        """How it went: all rounds together."""
        turns = self._ended if self._quiz.done else [*self._ended, *_begun(self._quiz, self.rounds)]
        remark = (
            say("quiz.drill.passed", wanted=IN_A_ROW)
            if self.done
            else say("quiz.drill.streak", streak=self.streak, wanted=IN_A_ROW)
        )
        others = tuple(mistake for mistake in self._mistakes if mistake != self.mistake)
        return Summary(self.exercise.title, tuple(turns), self.rounds, self.rounds, others, self.command, remark)

    # -- rounds ----------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        if not self._quiz.done:
            return
        turns = _begun(self._quiz, self.rounds)
        self._ended += turns
        self.streak = self.streak + 1 if all(turn.points == 1 for turn in turns) else 0
        if not self.done:
            self._quiz = self._next_round()

    def _next_round(self) -> Quiz:
        """Other numbers in which the mistake shows; where it shows in several steps, they take turns."""
        for _ in range(TRIES):
            self._seed += 1
            try:
                variant = find_variant(self.exercise.trace, self._seed, self.digits)
            except LessonError:  # nobody could work with the numbers of this seed
                continue
            showing = [slip for slip in variant.shown if self.mistake in slip.names and _telling(variant, slip)]
            if showing:
                slip = showing[self.rounds % len(showing)]
                self.told = slip.hint
                self.rounds += 1
                sheet = sheet_of(self.exercise, variant, "few")
                return Quiz(replace(sheet, fields=_fields(variant, slip)), self.command)
        raise self._shows_nowhere()

    def _shows_nowhere(self) -> InputError:
        name, lessons = self.exercise.name, [name for name in lessons_with(self.mistake) if name != self.exercise.name]
        if lessons:
            names = ", ".join(lessons)
            return InputError("quiz.elsewhere", mistake=self.mistake, name=name, lessons=names, first=lessons[0])
        page = self.mistake.partition(".")[0]
        look = f"workings op {page}" if page in OPS else "workings lesson common-mistakes"
        return InputError("quiz.nowhere", mistake=self.mistake, name=name, look=look)


def _begun(quiz: Quiz, number: int) -> list[Turn]:
    """What was worked on in a round, each under the number of the round."""
    begun = [turn for turn in quiz.turns.values() if turn.is_begun]
    named = [say("quiz.drill.round", number=number, label=turn.field.label) for turn in begun]
    return [replace(turn, field=replace(turn.field, label=name)) for turn, name in zip(begun, named, strict=True)]


def _telling(variant: Variant, slip: Slip) -> list[Index]:
    """A few entries that tell a slip from the truth and, as far as they can, from the other slips at its step; none if
    it has another shape.
    """
    distances, truth = variant.distances(slip), variant.trace[slip.step].value
    if distances is None:
        return []
    places = [at for at in indices(truth.shape) if not math.isnan(truth[at])]
    limits = variant.tolerances[slip.step]
    alike = [other.value for other in variant.slips.at(slip.step) if other.id != slip.id]
    alike = [value for value in alike if value.shape == truth.shape]

    def told_by(at: Index) -> int:
        return sum(_differ(slip.value[at], value[at], limits[at]) for value in alike)

    found: list[Index] = []
    choices = [at for at in places if distances[at] >= APART]
    while choices and len(found) < ENTRIES:
        best = max(choices, key=lambda at: (told_by(at), distances[at]))
        found.append(best)
        alike = [value for value in alike if not _differ(slip.value[best], value[best], limits[best])]
        choices = [at for at in places if at not in found and told_by(at)]
    return sorted(found)


def _differ(one: float, other: float, limit: float) -> bool:
    return not (one == other or abs(one - other) <= 2 * limit)


def _fields(variant: Variant, slip: Slip) -> tuple[Field, ...]:
    view, tolerances = variant.trace[slip.step], variant.tolerances[slip.step]
    label = label_of(variant.trace, view.step)
    return tuple(
        Field(
            variant.trace.style.notation.entry(label, at),
            slip.step,
            at,
            true=float(view.value[at]),
            tolerance=float(tolerances[at]),
        )
        for at in _telling(variant, slip)
    )
