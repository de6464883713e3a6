"""How a quiz went: the points, entry by entry, and the mistakes with how to practice them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...document.blocks import Block, Document, Heading, Items, Spans, Table, Text, Words, to_data
from ...document.displayed import Displayed
from ...document.numbers import Style, write
from .entry import Outcome, QuizEntry

OUTCOMES: dict[Outcome, str] = {
    "open": "not yet right",
    "right": "right",
    "shown": "shown to you",
    "left": "skipped",
}
POINTS_RULE = (
    "One point for each right answer. Each hint and each wrong answer before it costs a quarter. Entries that you "
    "skipped or were shown give no points."
)


@dataclass(frozen=True, eq=False)
class Summary(Displayed):
    """The entries that were worked on, how far the quiz got, and the mistakes that were named."""

    title: str
    entries: tuple[QuizEntry, ...]
    done: int  # steps
    count: int
    mistakes: tuple[str, ...]
    command: str
    remark: str = ""

    @property
    def points(self) -> float:
        return sum(entry.points for entry in self.entries)

    def document(self) -> Document:
        """The summary, for any renderer."""
        return Document("", tuple(self._blocks()), form="part")

    def _blocks(self) -> Iterator[Block]:
        yield Heading(2, "How it went")
        yield from (Text((Words(text),)) for text in self._totals())
        if self.entries:
            headings = ("entry", "outcome", "hints", "wrong answers", "points")
            yield Table(headings, tuple(_row(entry) for entry in self.entries))
            yield Text((Words(POINTS_RULE),))
        if self.mistakes:
            yield Heading(3, "Mistakes that you made")
            drills = [
                f"{mistake}: to practice just this, workings quiz {self.command} --mistake {mistake}"
                for mistake in self.mistakes
            ]
            yield Items(tuple((Text((Words(drill),)),) for drill in drills))

    def _totals(self) -> Iterator[str]:
        if self.remark:
            yield self.remark
        elif self.done < self.count:
            yield f"You stopped after {self.done} of {self.count} steps."
        if self.entries:
            yield f"{_points(self.points)} of {len(self.entries)} points."
        else:
            yield "Nothing was answered."

    def _shown(self) -> Document:
        return self.document()

    def to_data(self) -> dict[str, Any]:
        """The summary as JSON data."""
        return {
            "points": self.points,
            "most": len(self.entries),
            "done": self.done,
            "count": self.count,
            "mistakes": list(self.mistakes),
            "entries": [
                {
                    "label": entry.blank.label,
                    "step": entry.blank.step,
                    "outcome": entry.outcome,
                    "hints": entry.hints,
                    "wrong": entry.wrong,
                    "points": entry.points,
                }
                for entry in self.entries
            ],
            "document": to_data(self.document()),
        }


def _row(entry: QuizEntry) -> tuple[Spans, ...]:
    texts = (
        entry.blank.label,
        OUTCOMES[entry.outcome],
        str(entry.hints),
        str(entry.wrong),
        _points(entry.points),
    )
    return tuple((Words(text),) for text in texts)


def _points(points: float) -> str:
    return write(points, Style(whole=True))
