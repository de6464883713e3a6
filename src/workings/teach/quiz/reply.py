"""What is said to an answer: the verdict, the mistake by its name, and where to look it up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ...engine.registry import OPS
from ...explain.displayed import Displayed
from ...explain.document import Block, Document, Note, Text, Words, to_data
from ...explain.numbers import Style, write
from ...explain.work import rule_of
from ..grading.feedback import told
from ..grading.sentences import say as say_of_grades
from ..grading.verdicts import Mark
from ..practice.sheet import Sheet
from .sentences import say
from .turn import FAILED

Next: TypeAlias = Literal["again", "on", "done"]


@dataclass(frozen=True, eq=False)
class Reply(Displayed):
    """The verdict on what was answered just now, and how the quiz goes on: with the same step, the next, or not."""

    sheet: Sheet
    marks: tuple[Mark, ...]
    next: Next

    def document(self) -> Document:
        """The reply, for any renderer."""
        return Document("", tuple(self._blocks()), form="part")

    def _blocks(self) -> Iterator[Block]:
        for mark in self.marks:
            yield Text((Words(self._verdict(mark)),))
        wrong = [mark for mark in self.marks if mark.verdict in FAILED]
        named = {mark.mistake: mark for mark in wrong if mark.mistake}
        for mistake, mark in named.items():
            yield Note("mistake", (Words(told(mark)),), mistake)
        notes = dict.fromkeys(_note(mark) for mark in wrong if not mark.mistake)
        yield from (Note("hint", (Words(note),)) for note in notes if note)
        if wrong:
            yield Note("hint", (Words(say("quiz.page", op=op_page(self.sheet, wrong[0]))),))

    def _verdict(self, mark: Mark) -> str:
        label, given, digits = mark.field.label, mark.given.strip(), self.sheet.digits
        if mark.verdict == "right":
            return say(f"quiz.right.{_kind(mark)}", label=label, given=given)
        if mark.verdict == "right to the digits given":
            assert isinstance(mark.field.true, float)
            true = write(mark.field.true, Style(digits))
            return say("quiz.digits", label=label, given=given, digits=digits, true=true)
        if mark.verdict == "unreadable":
            return say("quiz.unreadable", label=label, problem=mark.note)
        return say(f"quiz.wrong.{_kind(mark)}", label=label, given=given)

    def _shown(self) -> Document:
        return self.document()

    def to_data(self) -> dict[str, Any]:
        """The reply as JSON data."""
        return {
            "next": self.next,
            "marks": [
                {
                    "label": mark.field.label,
                    "given": mark.given,
                    "verdict": mark.verdict,
                    "mistake": mark.mistake or None,
                    "also": list(mark.also),
                    "hint": mark.hint,
                    "note": mark.note,
                }
                for mark in self.marks
            ],
            "document": to_data(self.document()),
        }


def _kind(mark: Mark) -> str:
    return "number" if mark.field.kind == "number" else "other"


def _note(mark: Mark) -> str:
    """Why it is not right, as far as it can be said."""
    return mark.note or (say_of_grades("grade.unknown") if mark.field.kind == "number" else "")


def op_page(sheet: Sheet, mark: Mark) -> str:
    """The page on which a wrong answer can be looked up: that of the mistake, or that of the step."""
    page = mark.mistake.partition(".")[0]
    if page in OPS:
        return page
    recording, step = sheet.trace.recording, sheet.trace.find_step(mark.field.step)
    rule = rule_of(recording, step)
    return step.op_name if rule is None else rule.op.name
