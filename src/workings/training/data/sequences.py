"""Tasks about rows of symbols: copy them, reverse them, sort them.

A question is a row of symbols and the sign that ends it, "cab>". Every length is equally likely, and so is every symbol
at each position. What is held out is the question.
"""

from __future__ import annotations

import itertools
import unicodedata
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy

from ...engine.arrays import Array
from ...engine.errors import DataError
from ...ops.parts.drawing import Draws
from .task import Pair, Task, refuse_unless_whole, unfit_setting

END = ">"
RESERVED = "<>"  # special tokens are written with them, and > ends a question


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
            raise DataError(
                f"The shortest row cannot be longer than the longest: {self.shortest} is more than {self.longest}.",
                hint=f"Give a shortest of at most {self.longest}, or a longest of at least {self.shortest}.",
            )

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

    def _pairs(self, rows: Array) -> list[Pair]:
        # NumPy stores a text as code points of 32 bits, padded with 0: each row is one already.
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
    about: ClassVar[str] = "Repeat a row of symbols."

    def answer(self, row: str) -> str:
        return row


@dataclass(frozen=True)
class Reverse(Sequence):
    """Write a row of symbols backward.

    >>> for pair in Reverse().draw(Draws(1), 2):
    ...     print(pair.question, pair.answer)
    fhigi> igihf
    iidbijd> djibdii
    """

    name: ClassVar[str] = "reverse"
    about: ClassVar[str] = "Write a row of symbols backward."

    def answer(self, row: str) -> str:
        return row[::-1]


@dataclass(frozen=True)
class Sort(Sequence):
    """Sort a row of symbols, in the order in which `symbols` lists them.

    >>> for pair in Sort().draw(Draws(1), 2):
    ...     print(pair.question, pair.answer)
    fhigi> fghii
    iidbijd> bddiiij
    >>> Sort(symbols="zyx").answer("xyzzy")
    'zzyyx'
    """

    name: ClassVar[str] = "sort"
    about: ClassVar[str] = "Sort a row of symbols."

    def answer(self, row: str) -> str:
        return "".join(sorted(row, key=self.symbols.index))


def _refuse_unfit_symbols(task: str, symbols: object) -> None:
    if not isinstance(symbols, str):
        raise unfit_setting(task, "symbols", symbols, 'characters in one string, such as "abc"')
    for place, symbol in enumerate(symbols):
        if symbol in RESERVED or not symbol.isprintable():
            raise _unfit_symbol(symbol)
        if symbol in symbols[:place]:
            raise DataError(f"The symbol {symbol!r} is given twice.", hint="Give each symbol once.")
    if len(symbols) < 2:
        raise DataError(
            f"Rows of symbols need at least 2 different symbols, and there is only {symbols!r}.",
            hint='Give more of them: symbols="abc".',
        )
    # A letter and an accent would become one character, and the row shorter than it should be.
    for pair in itertools.product(symbols, repeat=2):
        if not unicodedata.is_normalized("NFC", "".join(pair)):
            raise _unfit_symbol(pair[1])


def _unfit_symbol(symbol: str) -> DataError:
    return DataError(
        f"{symbol!r} cannot be a symbol: it would be read as something else, or could not be seen.",
        hint="Give letters, digits or signs that do not combine with each other, but not < and >, which mark where "
        "texts end.",
    )
