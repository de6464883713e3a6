"""What a quiz says to an answer: the verdict, the mistake by its name, and where to look it up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ...document.blocks import Block, Document, Note, Text, Words, to_data
from ...document.displayed import Displayed
from ...engine.op import OPS
from ...explain.hand_calculation import rule_of
from ..grading.feedback import mistake_text
from ..grading.verdicts import NO_KNOWN_MISTAKE, Mark
from ..sheet import Sheet
from .entry import FAILED

Next: TypeAlias = Literal["again", "on", "done"]


@dataclass(frozen=True, eq=False)
class Reply(Displayed):
    """The verdict on the last answer, and how the quiz goes on: with the same step, the next one, or not at all."""

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
        named = {mark.mistake: mark for mark in wrong if mark.verdict == "mistake"}
        for mistake, mark in named.items():
            yield Note("mistake", (Words(mistake_text(mark)),), mistake)
        notes = dict.fromkeys(_note(mark) for mark in wrong if not mark.mistake)
        yield from (Note("hint", (Words(note),)) for note in notes if note)
        if wrong:
            page = op_page(self.sheet, wrong[0])
            yield Note("hint", (Words(f"The page of {page}, with an example: workings op {page}"),))

    def _verdict(self, mark: Mark) -> str:
        if mark.verdict == "unreadable":
            return f"{mark.blank.label}: {mark.note}"
        equals = " =" if mark.blank.kind == "number" else ","
        sentence = "Not right." if mark.verdict == "another shape" else mark.sentence(self.sheet.digits)
        return f"{mark.blank.label}{equals} {mark.given.strip()}: {sentence[0].lower()}{sentence[1:]}"

    def _shown(self) -> Document:
        return self.document()

    def to_data(self) -> dict[str, Any]:
        """The reply as JSON data."""
        return {
            "next": self.next,
            "marks": [
                {
                    "label": mark.blank.label,
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


def _note(mark: Mark) -> str:
    """Why it is not right, as far as we know."""
    return mark.note or (NO_KNOWN_MISTAKE if mark.blank.kind == "number" else "")


def op_page(sheet: Sheet, mark: Mark) -> str:
    """The op page that explains a wrong answer: that of the mistake, or that of the step."""
    page = mark.mistake.partition(".")[0]
    if page in OPS:
        return page
    recording, step = sheet.trace.recording, sheet.trace.find_step(mark.blank.step)
    rule = rule_of(recording, step)
    return step.op_name if rule is None else rule.op.name
