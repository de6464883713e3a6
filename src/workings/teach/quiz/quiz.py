"""A quiz: the steps of a sheet one after the other, each from the true numbers before it.

It knows no terminal. Whoever asks shows `question`, gives `answer` what was written, and shows what comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...engine.errors import InputError
from ...explain.document import Document
from ..grading.judge import Judge
from ..grading.reading import read_all
from ..grading.verdicts import Mark
from ..practice.asked import Field, label_of
from ..practice.sheet import Sheet
from . import sentences  # noqa: F401  (what its errors say)
from .ladder import hint, rungs_of
from .question import Question, introduction, question_about
from .reply import Next, Reply
from .summary import Summary
from .turn import Turn


class Quiz:
    """Asks for the entries of a sheet, step by step.

    >>> from workings.teach.practice.sheet import make_sheet
    >>> quiz = Quiz(make_sheet("token-i", seed=1, blanks="few"))
    >>> question = quiz.question
    >>> question.name, [field.label for field in question.fields]
    ('X', ['X[0][1]'])
    >>> quiz.answer({"X[0][1]": "-0.9"}).marks[0].verdict
    'right'
    >>> quiz.question.name
    'Q'
    """

    def __init__(self, sheet: Sheet, command: str = "") -> None:
        if not sheet.fields:
            raise InputError("quiz.nothing", name=sheet.name)
        self.sheet = sheet
        self.command = command or sheet.name  # how a command line asks for these numbers
        self.turns = {field.label: Turn(field) for field in sheet.fields}
        self.mistakes: list[str] = []  # that were named, the first one first
        self._steps = list(dict.fromkeys(field.step for field in sheet.fields))
        self._place = 0

    @property
    def done(self) -> bool:
        return self._place == len(self._steps)

    @property
    def introduction(self) -> Document:
        """What is given before the first question."""
        return introduction(self.sheet)

    @property
    def question(self) -> Question | None:
        """What is asked now; nothing when all is done."""
        if self.done:
            return None
        return question_about(self.sheet, self._step, self._open(), self._place + 1, len(self._steps))

    def answer(self, written: Mapping[str, str]) -> Reply:
        """Judge answers to the step that is asked: by the labels of its entries, or the whole matrix by its name. What
        is right already counts with them; what is blank stays open.
        """
        asked = self._open_labels(written)
        right = {turn.field.label: turn.answer for turn in self._here() if turn.outcome == "right"}
        judge = Judge(self.sheet, read_all(self.sheet, {**right, **written}).fields)
        marks = [mark for mark in judge.step_alone(self._step) if mark.field.label in asked]
        given = tuple(mark for mark in marks if mark.verdict != "blank")
        for mark in given:
            self._note(mark)
        return Reply(self.sheet, given, self._go_on())

    def hint(self, label: str = "") -> Document:
        """The next rung of the ladder to an entry, to the first open one if none is named. The last rung is the answer,
        and after it this entry is not asked for any more.
        """
        field = self._named(label)
        rungs = rungs_of(self.sheet, field)
        turn = self.turns[field.label]
        rung = rungs[min(turn.hints, len(rungs) - 1)]
        self.turns[field.label] = replace(turn, hints=turn.hints + 1, outcome="shown" if rung == "answer" else "open")
        self._go_on()
        return hint(self.sheet, field, rung)

    def give_up(self, label: str = "") -> Document:
        """The answer to an entry, without the rungs before it."""
        field = self._named(label)
        self.turns[field.label] = replace(self.turns[field.label], outcome="shown")
        self._go_on()
        return hint(self.sheet, field, "answer")

    def skip(self, *labels: str) -> None:
        """Leave entries open, or all of the step, and go on."""
        for field in [self._named(label) for label in labels] or self._open():
            self.turns[field.label] = replace(self.turns[field.label], outcome="left")
        self._go_on()

    def summary(self) -> Summary:
        """How it went, at the end or so far."""
        begun = tuple(turn for turn in self.turns.values() if turn.is_begun)
        return Summary(self.sheet.title, begun, self._place, len(self._steps), tuple(self.mistakes), self.command)

    # -- where it stands ---------------------------------------------------------------------------------

    @property
    def _step(self) -> str:
        if self.done:
            raise InputError("quiz.done")
        return self._steps[self._place]

    def _here(self) -> list[Turn]:
        return [turn for turn in self.turns.values() if turn.field.step == self._step]

    def _open(self) -> tuple[Field, ...]:
        return tuple(turn.field for turn in self._here() if turn.is_open)

    def _named(self, label: str) -> Field:
        fields = {field.label: field for field in self._open()}
        if label and label not in fields:
            raise InputError("quiz.label", label=label[:60], labels=", ".join(fields))
        return fields[label or next(iter(fields))]

    def _open_labels(self, written: Mapping[str, str]) -> set[str]:
        """The labels of the open entries; an error if something else was answered."""
        whole = label_of(self.sheet.trace, self.sheet.trace.find_step(self._step))
        for label in written:
            if label != whole:
                self._named(label)
        return {field.label for field in self._open()}

    def _note(self, mark: Mark) -> None:
        self.turns[mark.field.label] = self.turns[mark.field.label].marked(mark)
        if mark.mistake and mark.mistake not in self.mistakes:
            self.mistakes.append(mark.mistake)

    def _go_on(self) -> Next:
        if self._open():
            return "again"
        self._place += 1
        return "done" if self.done else "on"
