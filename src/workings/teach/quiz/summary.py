"""How a quiz went: the points, entry by entry, and the mistakes with how to practise them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...explain.displayed import Displayed
from ...explain.document import Block, Document, Heading, Items, Spans, Table, Text, Words, to_data
from ...explain.numbers import Style, write
from .sentences import say
from .turn import Turn


@dataclass(frozen=True, eq=False)
class Summary(Displayed):
    """The entries that were asked for, how far the quiz came, and the mistakes that were named."""

    title: str
    turns: tuple[Turn, ...]
    done: int  # steps
    count: int
    mistakes: tuple[str, ...]
    command: str
    remark: str = ""

    @property
    def points(self) -> float:
        return sum(turn.points for turn in self.turns)

    def document(self) -> Document:
        """The summary, for any renderer."""
        return Document("", tuple(self._blocks()), form="part")

    def _blocks(self) -> Iterator[Block]:
        yield Heading(2, say("quiz.end"))
        yield from (Text((Words(text),)) for text in self._in_all())
        if self.turns:
            headings = tuple(say(f"quiz.{key}") for key in ("entry", "outcome", "hints", "wrongs", "points.heading"))
            yield Table(headings, tuple(_row(turn) for turn in self.turns))
            yield Text((Words(say("quiz.rule")),))
        if self.mistakes:
            yield Heading(3, say("quiz.mistakes"))
            drills = [say("quiz.drill", mistake=mistake, command=self.command) for mistake in self.mistakes]
            yield Items(tuple((Text((Words(drill),)),) for drill in drills))

    def _in_all(self) -> Iterator[str]:
        if self.remark:
            yield self.remark
        elif self.done < self.count:
            yield say("quiz.stopped", done=self.done, count=self.count)
        if self.turns:
            yield say("quiz.points", points=_written(self.points), most=len(self.turns))
        else:
            yield say("quiz.nothing")

    def _shown(self) -> Document:
        return self.document()

    def to_data(self) -> dict[str, Any]:
        """The summary as JSON data."""
        return {
            "points": self.points,
            "most": len(self.turns),
            "done": self.done,
            "count": self.count,
            "mistakes": list(self.mistakes),
            "entries": [
                {
                    "label": turn.field.label,
                    "step": turn.field.step,
                    "outcome": turn.outcome,
                    "hints": turn.hints,
                    "wrong": turn.wrong,
                    "points": turn.points,
                }
                for turn in self.turns
            ],
            "document": to_data(self.document()),
        }


def _row(turn: Turn) -> tuple[Spans, ...]:
    texts = (
        turn.field.label,
        say(f"quiz.outcome.{turn.outcome}"),
        str(turn.hints),
        str(turn.wrong),
        _written(turn.points),
    )
    return tuple((Words(text),) for text in texts)


def _written(points: float) -> str:
    return write(points, Style(whole=True))
