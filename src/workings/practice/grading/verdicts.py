"""The verdict on an answer: how it is reached for a number, what it says, and how many points it gives.

One point for every answer that is right, right to the digits given, or follows from the learner's own earlier numbers;
half a point for a known mistake or a slip, which is a complete calculation with one thing done differently; none for
the rest. So a single wrong step costs its own points and no others. An answer with too few digits to tell gives no
point either, but it is not wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...document.numbers import Style, write
from ..answers.number import GivenNumber
from ..blanks import Blank
from ..mistakes import mistake_hint
from ..tolerance import DUST, half_unit

Verdict: TypeAlias = Literal[
    "right",
    "right to the digits given",
    "follows",
    "too few digits",
    "slip",
    "mistake",
    "unknown",
    "blank",
    "unreadable",
    "another shape",
]
POINTS: dict[Verdict, float] = {
    "right": 1.0,
    "right to the digits given": 1.0,
    "follows": 1.0,
    "too few digits": 0.0,
    "slip": 0.5,
    "mistake": 0.5,
    "unknown": 0.0,
    "blank": 0.0,
    "unreadable": 0.0,
    "another shape": 0.0,
}
VERDICT_LABELS: dict[Verdict, str] = {  # in a table
    "right": "right",
    "right to the digits given": "right to the digits given",
    "follows": "follows from your own numbers",
    "too few digits": "too few digits to tell",
    "slip": "a slip",
    "mistake": "a known mistake",
    "unknown": "not right",
    "blank": "blank",
    "unreadable": "cannot be read",
    "another shape": "another shape",
}
CORRECT: tuple[Verdict, ...] = ("right", "right to the digits given")
WRONG: tuple[Verdict, ...] = ("slip", "mistake", "unknown", "unreadable", "another shape")
NO_KNOWN_MISTAKE = "No known mistake gives these numbers: calculate the line again."
ALL_CORRECT = "Everything that you answered is right."
NONE_WRONG = "Nothing that you answered is wrong, but some answers have too few digits to tell."
NOTHING_ANSWERED = "Nothing is answered yet."

FLOAT_ERROR = 1e-9  # relative


@dataclass(frozen=True)
class Mark:
    """The verdict on one answer."""

    blank: Blank
    given: str  # as it was written
    verdict: Verdict
    expected: float | None = None  # what the learner's own earlier numbers give, where it is not the true value
    mistake: str = ""  # its id, or that of a slip
    also: tuple[str, ...] = ()  # other mistakes that give the same
    hint: str = ""
    note: str = ""  # why it has this verdict
    tolerance: float = 0.0
    place: str = ""  # where the answer is in the file

    @property
    def points(self) -> float:
        return POINTS[self.verdict] * self.blank.points

    @property
    def is_wrong(self) -> bool:
        return self.verdict in WRONG

    def sentence(self, digits: int) -> str:
        """The verdict as a sentence. It gives away the true value only if the answer is right to its own digits."""
        if self.verdict == "right to the digits given":
            assert isinstance(self.blank.true, float)
            return f"Right to the digits given. To {digits} digits it is {write(self.blank.true, Style(digits))}."
        if self.verdict == "too few digits":
            return self.note
        if self.verdict == "slip":
            return f"Not right: {self.reasons[0].lower()}{self.reasons[1:]}"
        if self.verdict == "unreadable":
            return f"It cannot be read, so it is not checked: {self.note}"
        return SENTENCES[self.verdict]

    @property
    def reasons(self) -> str:
        """What went wrong, and what else would give the same number."""
        others = dict.fromkeys(hint for id in self.also if (hint := mistake_hint(id)) and hint != self.hint)
        return " ".join([self.hint, *(f"Or: {hint}" for hint in others)])


SENTENCES: dict[Verdict, str] = {
    "right": "Right.",
    "follows": "It follows from your own earlier numbers, and counts as right.",
    "mistake": "Not right.",
    "unknown": "Not right.",
    "blank": "Blank.",
    "another shape": "Not right: it has another shape.",
}


def compare_number(given: GivenNumber, value: float, tolerance: float, digits: int, needed: int = 2) -> Verdict | None:
    """The verdict on an answer that should be this value, to so many digits; None if it is another number. With fewer
    digits it is right, if it has as many as are `needed`; end zeros count as written.

    >>> from workings.practice.answers.number import read_number
    >>> [compare_number(read_number(text), 0.25344, 0.00005, 4) for text in ("0.2534", "0.25", "0.3", "0.4")]
    ['right', 'right to the digits given', 'too few digits', None]
    """
    if not math.isfinite(value) or not math.isfinite(given.value):
        return "right" if given.value == value else None
    gap, room = abs(given.value - value), FLOAT_ERROR * abs(value) + DUST
    if gap <= tolerance + room:
        return "right"
    own, required = given.unit / 2, half_unit(value, digits)
    if own <= required or not (given.value or given.digits > 1):  # a plain 0 says that nothing is there
        return None
    if given.value and gap <= tolerance + min(own, half_unit(value, needed)) - required + room:
        return "right to the digits given"
    return "too few digits" if gap <= tolerance + own - required + room else None


def too_few_digits(needed: int) -> str:
    return f"Too few digits to tell; give at least {needed}."


def max_points(marks: Sequence[Mark], is_own: bool) -> float:
    """How many points there are. On a sheet of one's own numbers (seed 0), entries that are left open do not count."""
    return total_points(mark.blank.points for mark in marks if not is_own or mark.verdict != "blank")


def total_points(points: Iterable[float]) -> float:
    """A sum of points; thirds of a point add up to a whole one.

    >>> total_points([2 / 3, 2 / 3, 2 / 3]), total_points([0.5, 1.0, 1.0])
    (2, 2.5)
    """
    total = round(sum(points), 6)
    return int(total) if total == int(total) else total


def count_text(marks: Iterable[Mark]) -> str:
    """`3 right, 1 wrong, 12 blank`"""
    counts = Counter(_counted_as(mark) for mark in marks)
    words = {
        "right": "right",
        "follows": "following from your own numbers",
        "wrong": "wrong",
        "too few digits": "with too few digits",
        "blank": "blank",
    }
    return ", ".join(f"{counts[kind]} {word}" for kind, word in words.items() if counts[kind])


def _counted_as(mark: Mark) -> str:
    if mark.is_wrong:
        return "wrong"
    return "right" if mark.verdict in CORRECT else mark.verdict
