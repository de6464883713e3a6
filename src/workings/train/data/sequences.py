"""Tasks about rows of symbols: copy them, turn them round, put them in order.

A question is a row of symbols and the sign that ends it, "cab>". Each length is as likely as any other, and so is
each symbol in each place. What is held out is the question.
"""

from __future__ import annotations

import itertools
import unicodedata
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy

from ...engine.arrays import Array
from ...engine.errors import CallError, DataError
from ...engine.sentences import add_sentences, say
from ...ops.drawing import Draws
from .pair import Pair
from .task import Task, refuse_unless_whole

END = ">"
NO_SYMBOLS = "<>"  # they make the special tokens, and > ends a question

add_sentences(
    "task",
    {
        "copy": "Repeat a row of symbols.",
        "reverse": "Repeat a row of symbols from the last one to the first.",
        "sort": "Put a row of symbols in order.",
    },
)


@dataclass(frozen=True)
class Sequence(Task):
    """A row of symbols is the question, and something done to it the answer."""

    symbols: str = "abcdefghij"
    shortest: int = 2
    longest: int = 8

    def __post_init__(self) -> None:
        _refuse_unfit_symbols(self.name, self.symbols)
        refuse_unless_whole(self.name, "shortest", self.shortest)
        refuse_unless_whole(self.name, "longest", self.longest)
        if self.shortest > self.longest:
            raise DataError("task.lengths", shortest=self.shortest, longest=self.longest)

    @property
    def longest_question(self) -> int:
        return self.longest + len(END)

    @property
    def longest_answer(self) -> int:
        return self.longest

    @abstractmethod
    def answer(self, row: str) -> str:
        """The answer for a row of symbols, given without the sign that ends it.

        >>> Reverse().answer("cab")
        'bac'
        """

    def _characters(self) -> str:
        return self.symbols + END

    def _rows(self, draws: Draws, count: int) -> Array:
        """The code points of the characters, and 0 behind the end of a row."""
        lengths = self.shortest + draws.whole((count, 1), below=self.longest - self.shortest + 1)
        codes = numpy.array([ord(symbol) for symbol in self.symbols])
        symbols = codes[draws.whole((count, self.longest), below=len(codes))]
        return numpy.where(numpy.arange(self.longest) < lengths, symbols, 0)

    def _identity(self, rows: Array) -> Array:
        return rows

    def _written(self, rows: Array) -> list[Pair]:
        # NumPy keeps a text as code points of 32 bits, filled up with 0: each row is one already.
        texts = numpy.ascontiguousarray(rows, dtype=numpy.uint32).view(f"U{self.longest}")[:, 0].tolist()
        return [Pair(text + END, self.answer(text)) for text in texts]


@dataclass(frozen=True)
class Copy(Sequence):
    """Repeat a row of symbols.

    >>> for pair in Copy().draw(Draws(1), 2):
    ...     print(pair.question, pair.answer)
    fhigi> fhigi
    iidbijd> iidbijd
    """

    name: ClassVar[str] = "copy"

    def answer(self, row: str) -> str:
        return row


@dataclass(frozen=True)
class Reverse(Sequence):
    """Repeat a row of symbols from the last one to the first.

    >>> for pair in Reverse().draw(Draws(1), 2):
    ...     print(pair.question, pair.answer)
    fhigi> igihf
    iidbijd> djibdii
    """

    name: ClassVar[str] = "reverse"

    def answer(self, row: str) -> str:
        return row[::-1]


@dataclass(frozen=True)
class Sort(Sequence):
    """Put a row of symbols in order: the order in which the symbols are given.

    >>> for pair in Sort().draw(Draws(1), 2):
    ...     print(pair.question, pair.answer)
    fhigi> fghii
    iidbijd> bddiiij
    >>> Sort(symbols="zyx").answer("xyzzy")
    'zzyyx'
    """

    name: ClassVar[str] = "sort"

    def answer(self, row: str) -> str:
        return "".join(sorted(row, key=self.symbols.index))


def _refuse_unfit_symbols(task: str, symbols: object) -> None:
    if not isinstance(symbols, str):
        choices = say("setting.characters")
        raise CallError("setting.choice", op=task, setting="symbols", value=repr(symbols), choices=choices)
    for place, symbol in enumerate(symbols):
        if symbol in NO_SYMBOLS or not symbol.isprintable():
            raise DataError("task.symbol", symbol=repr(symbol))
        if symbol in symbols[:place]:
            raise DataError("task.twice", symbol=repr(symbol))
    if len(symbols) < 2:
        raise DataError("task.few", symbols=repr(symbols))
    # A letter and an accent become one character, so that a row would be shorter than it should be.
    for pair in itertools.product(symbols, repeat=2):
        if not unicodedata.is_normalized("NFC", "".join(pair)):
            raise DataError("task.symbol", symbol=repr(pair[1]))
