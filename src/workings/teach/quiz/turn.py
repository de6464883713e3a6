"""How it goes with one entry of a quiz, and what it counts.

One point for a right answer. Every hint, and every wrong answer before the right one, costs a quarter of it; an answer
that cannot be read costs nothing. What was left open or shown counts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ..grading.feedback import GOOD
from ..grading.verdicts import Mark, Verdict
from ..practice.asked import Field

Outcome: TypeAlias = Literal["open", "right", "shown", "left"]
COST = 0.25  # of a hint, and of a wrong answer
FAILED: tuple[Verdict, ...] = ("mistake", "unknown", "another shape")


@dataclass(frozen=True)
class Turn:
    """One entry that is asked for: the hints that were taken, the wrong answers, and how it ended."""

    field: Field
    outcome: Outcome = "open"
    hints: int = 0
    wrong: int = 0
    answer: str = ""  # the last one that was given

    @property
    def is_open(self) -> bool:
        return self.outcome == "open"

    @property
    def is_begun(self) -> bool:
        return not self.is_open or bool(self.hints or self.wrong)

    @property
    def points(self) -> float:
        return max(0.0, 1.0 - COST * (self.hints + self.wrong)) if self.outcome == "right" else 0.0

    def marked(self, mark: Mark) -> Turn:
        """The turn after an answer."""
        if mark.verdict in GOOD:
            return replace(self, outcome="right", answer=mark.given)
        return replace(self, wrong=self.wrong + (mark.verdict in FAILED), answer=mark.given)
