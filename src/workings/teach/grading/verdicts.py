"""What can be said about an answer, and how much it counts.

One point for every answer that is right, right to the digits given, or follows from one's own earlier numbers; half a
point for a known mistake, which is a whole calculation with one thing done differently; none for the rest. So a single
wrong step costs its own points and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..practice.asked import Field

Verdict: TypeAlias = Literal[
    "right", "right to the digits given", "follows", "mistake", "unknown", "blank", "unreadable", "another shape"
]
POINTS: dict[Verdict, float] = {
    "right": 1.0,
    "right to the digits given": 1.0,
    "follows": 1.0,
    "mistake": 0.5,
    "unknown": 0.0,
    "blank": 0.0,
    "unreadable": 0.0,
    "another shape": 0.0,
}
WRONG: tuple[Verdict, ...] = ("mistake", "unknown", "unreadable", "another shape")


@dataclass(frozen=True)
class Mark:
    """The verdict on one answer."""

    field: Field
    given: str  # as it was written
    verdict: Verdict
    expected: float | None = None  # what one's own earlier numbers give, where it is not the truth
    mistake: str = ""  # its id
    also: tuple[str, ...] = ()  # other mistakes that give the same
    hint: str = ""
    note: str = ""  # why it is judged so
    tolerance: float = 0.0
    place: str = ""  # where it stands in the file of answers

    @property
    def points(self) -> float:
        return POINTS[self.verdict]

    @property
    def is_wrong(self) -> bool:
        return self.verdict in WRONG


def most_points(marks: Sequence[Mark], is_own: bool) -> int:
    """How many points there are. On a sheet of one's own numbers nobody has asked for anything: what is left open does
    not count.
    """
    return sum(1 for mark in marks if not is_own or mark.verdict != "blank")
