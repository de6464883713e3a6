"""The task of adding two whole numbers.

All numbers have the same width, padded with zeros. The sum is written from its last digit on, as in adding by hand:
each digit then follows from the two digits above it and the carry. What is held out is a pair of numbers in either
order: a model that has seen 34+12 knows 12+34.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy

from ...engine.arrays import Array
from ...ops.parts.drawing import Draws
from .task import Pair, Task, refuse_unless_whole, unfit_setting

PLUS, EQUALS = "+", "="


@dataclass(frozen=True)
class Addition(Task):
    """Add two whole numbers, each with so many digits.

    >>> for pair in Addition().draw(Draws(1), 2):
    ...     print(pair.question, pair.answer)
    566+745= 1131
    971+444= 5141
    >>> Addition(digits=2, reversed=False).draw(Draws(1), 1)
    [Pair(question='56+74=', answer='130')]
    """

    name: ClassVar[str] = "addition"
    about: ClassVar[str] = "Add two whole numbers."

    digits: int = 3
    reversed: bool = True

    def __post_init__(self) -> None:
        refuse_unless_whole(self.name, "digits", self.digits, most=9)
        if not isinstance(self.reversed, bool):
            raise unfit_setting(self.name, "reversed", self.reversed, "True or False")

    @property
    def longest_question(self) -> int:
        return 2 * self.digits + len(PLUS + EQUALS)

    @property
    def longest_answer(self) -> int:
        return self.digits + 1

    def _characters(self) -> str:
        return "0123456789" + PLUS + EQUALS

    def _rows(self, draws: Draws, count: int) -> Array:
        return draws.whole((count, 2), below=10**self.digits)

    def _identity(self, rows: Array) -> Array:
        return numpy.sort(rows, axis=1)

    def _pairs(self, rows: Array) -> list[Pair]:
        return [self._pair(one, other) for one, other in rows.tolist()]

    def _pair(self, one: int, other: int) -> Pair:
        width = self.digits
        total = f"{one + other:0{width + 1}}"
        question = f"{one:0{width}}{PLUS}{other:0{width}}{EQUALS}"
        return Pair(question, total[::-1] if self.reversed else total)
