"""Counting what went well and what did not, and the table of figures with their goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple


class Row(NamedTuple):
    """One figure: what is counted, in words, and its goal: a share of what went well, or of what went wrong."""

    key: str
    words: str
    limit: float | None  # none: only to be known
    at_least: bool


@dataclass(frozen=True)
class Figure:
    """A share with its goal, and what was found."""

    words: str
    limit: float | None
    at_least: bool
    good: int
    all: int

    @property
    def share(self) -> float:
        return self.good / self.all if self.all else float(self.at_least)

    @property
    def is_met(self) -> bool:
        if self.limit is None:
            return True
        return self.share >= self.limit if self.at_least else self.share <= self.limit

    def __str__(self) -> str:
        bound = "" if self.limit is None else f"{'at least' if self.at_least else 'at most'} {self.limit:.1%}"
        sign = " " if self.is_met else "!"
        return f"{sign} {self.words:<62} {bound:>15}   {self.share:8.2%}   {self.good} of {self.all}"


@dataclass
class Tally:
    """What was counted; `failed` hears of everything that went wrong."""

    rows: tuple[Row, ...]
    failed: Callable[[str, str], None] = lambda what, where: None
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    left_out: int = 0  # mistakes that cannot be written into the blanks: another shape, no numbers

    def count(self, what: str, good: bool, where: str) -> None:
        self.counts[what, good] += 1
        if not good:
            self.failed(what, where)

    def figures(self) -> dict[str, Figure]:
        found = {}
        for key, words, limit, at_least in self.rows:
            good, bad = self.counts[key, True], self.counts[key, False]
            found[key] = Figure(words, limit, at_least, good if at_least else bad, good + bad)
        return found
