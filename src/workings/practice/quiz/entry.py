"""How one entry of a quiz went, and its points.

One point for a right answer. Every hint, and every wrong answer before the right one, costs a quarter of it; an answer
that cannot be read costs nothing. An entry that was skipped or shown gives no points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ..blanks import Blank
from ..grading.verdicts import CORRECT, Mark, Verdict

Outcome: TypeAlias = Literal["open", "right", "shown", "left"]
COST = 0.25  # of a hint, and of a wrong answer
FAILED: tuple[Verdict, ...] = ("slip", "mistake", "unknown", "another shape")


@dataclass(frozen=True)
class QuizEntry:
    """One blank: the hints that were taken, the wrong answers, and how it ended."""

    blank: Blank
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

    def marked(self, mark: Mark) -> QuizEntry:
        """The entry after an answer."""
        if mark.verdict in CORRECT:
            return replace(self, outcome="right", answer=mark.given)
        return replace(self, wrong=self.wrong + (mark.verdict in FAILED), answer=mark.given)
