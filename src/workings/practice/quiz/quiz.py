"""A quiz: the steps of a sheet one after the other, each from the true numbers before it.

It knows no terminal. A front end shows `question`, passes on what was answered to `answer`, and shows the reply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...document.blocks import Document
from ...engine.errors import InputError
from ..blanks import Blank, step_label
from ..grading.filled_sheet import read_filled
from ..grading.grader import Grader
from ..grading.verdicts import Mark
from ..sheet import Sheet
from .entry import Outcome, QuizEntry
from .hints import hint, rungs_of
from .question import QuizQuestion, introduction, question_about
from .reply import Next, Reply
from .summary import Summary


class Quiz:
    """Asks for the blanks of a sheet, step by step.

    >>> from workings.practice.sheet import make_sheet
    >>> quiz = Quiz(make_sheet("token-i", seed=1, blanks="few"))
    >>> question = quiz.question
    >>> question.name, [blank.label for blank in question.fields]
    ('Q', ['Q[0][0]'])
    >>> quiz.answer({"Q[0][0]": "-0.63"}).marks[0].verdict
    'right'
    >>> quiz.question.name
    'scaled'
    """

    def __init__(self, sheet: Sheet, command: str = "") -> None:
        if not sheet.fields:
            raise InputError(
                f"{sheet.name} has no steps to practice.",
                hint="Choose another run with --run, or more blanks with --blanks all.",
            )
        self.sheet = sheet
        self.command = command or sheet.name  # the arguments of `workings quiz` for these numbers
        self.entries = {blank.label: QuizEntry(blank) for blank in sheet.fields}
        self.mistakes: list[str] = []  # that were named, in order
        self._steps = list(dict.fromkeys(blank.step for blank in sheet.fields))
        self._current = 0

    @property
    def done(self) -> bool:
        return self._current == len(self._steps)

    @property
    def introduction(self) -> Document:
        """What is given before the first question."""
        return introduction(self.sheet)

    @property
    def question(self) -> QuizQuestion | None:
        """The current question; None when all is done."""
        if self.done:
            return None
        return question_about(self.sheet, self._step, self._open(), self._current + 1, len(self._steps))

    def answer(self, answers: Mapping[str, str]) -> Reply:
        """Grade answers to the current step: by the labels of its entries, or the whole matrix by its name. Entries
        that are right already count with them; blanks stay open.
        """
        still_open = self._open_labels(answers)
        right = {entry.blank.label: entry.answer for entry in self._entries_here() if entry.outcome == "right"}
        grader = Grader(self.sheet, read_filled(self.sheet, {**right, **answers}).blanks)
        marks = [mark for mark in grader.step_alone(self._step) if mark.blank.label in still_open]
        given = tuple(mark for mark in marks if mark.verdict != "blank")
        for mark in given:
            self._note(mark)
        return Reply(self.sheet, given, self._go_on())

    def hint(self, label: str = "") -> Document:
        """The next hint to an entry, by default to the first open one. The last hint is the answer, and after it the
        entry is closed.
        """
        blank = self._find(label)
        rungs = rungs_of(self.sheet, blank)
        entry = self.entries[blank.label]
        rung = rungs[min(entry.hints, len(rungs) - 1)]
        outcome: Outcome = "shown" if rung == "answer" else "open"
        self.entries[blank.label] = replace(entry, hints=entry.hints + 1, outcome=outcome)
        self._go_on()
        return hint(self.sheet, blank, rung)

    def give_up(self, label: str = "") -> Document:
        """The answer to an entry, without the hints before it."""
        blank = self._find(label)
        self.entries[blank.label] = replace(self.entries[blank.label], outcome="shown")
        self._go_on()
        return hint(self.sheet, blank, "answer")

    def skip(self, *labels: str) -> None:
        """Leave entries open, or all of the step, and go on."""
        for blank in [self._find(label) for label in labels] or self._open():
            self.entries[blank.label] = replace(self.entries[blank.label], outcome="left")
        self._go_on()

    def summary(self) -> Summary:
        """How it went, at the end or so far."""
        begun = tuple(entry for entry in self.entries.values() if entry.is_begun)
        return Summary(self.sheet.title, begun, self._current, len(self._steps), tuple(self.mistakes), self.command)

    # -- the current step --------------------------------------------------------------------------------

    @property
    def _step(self) -> str:
        if self.done:
            raise InputError("The quiz is over: there is nothing left to answer.", hint="Start another one.")
        return self._steps[self._current]

    def _entries_here(self) -> list[QuizEntry]:
        return [entry for entry in self.entries.values() if entry.blank.step == self._step]

    def _open(self) -> tuple[Blank, ...]:
        return tuple(entry.blank for entry in self._entries_here() if entry.is_open)

    def _find(self, label: str) -> Blank:
        blanks = {blank.label: blank for blank in self._open()}
        if label and label not in blanks:
            raise InputError(f"'{label[:60]}' is not open now.", hint=f"Answer one of: {', '.join(blanks)}.")
        return blanks[label or next(iter(blanks))]

    def _open_labels(self, answers: Mapping[str, str]) -> set[str]:
        """The labels of the open entries; an error if something else was answered."""
        whole = step_label(self.sheet.trace, self.sheet.trace.find_step(self._step))
        for label in answers:
            if label != whole:
                self._find(label)
        return {blank.label for blank in self._open()}

    def _note(self, mark: Mark) -> None:
        self.entries[mark.blank.label] = self.entries[mark.blank.label].marked(mark)
        if mark.verdict == "mistake" and mark.mistake not in self.mistakes:
            self.mistakes.append(mark.mistake)

    def _go_on(self) -> Next:
        if self._open():
            return "again"
        self._current += 1
        return "done" if self.done else "on"
