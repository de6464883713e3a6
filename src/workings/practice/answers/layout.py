"""Numbers in rows and columns before they are read: which text is at which position."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...engine.errors import InputError
from .spelling import shown

Shape: TypeAlias = tuple[int, ...]


class MatrixError(InputError):
    """A text that is not a matrix of numbers: because of a `word` in it, or because of a `row` of another length."""

    def __init__(self, what: str, *, hint: str, word: str = "", row: int | None = None) -> None:
        super().__init__(what, hint=hint)
        self.word = word
        self.row = row


@dataclass(frozen=True)
class CellLayout:
    """The text of each entry, row by row. A `loose` notation has only rows and columns, so one row or column of it may
    be a vector.
    """

    shape: Shape
    cells: tuple[str, ...]
    loose: bool = False

    def fitted(self, expected: Shape | None) -> Shape:
        """The expected shape where this notation cannot distinguish it from its own.

        >>> CellLayout((1, 3), ("1", "2", "3"), loose=True).fitted((3,))
        (3,)
        """
        if expected is None or not self.loose or min(len(expected), len(self.shape)) > 1:
            return self.shape
        same = [size for size in expected if size != 1] == [size for size in self.shape if size != 1]
        return expected if same else self.shape


Way: TypeAlias = Callable[[], CellLayout]  # one way to read a text; it raises if the text cannot be read that way
# Equally likely ways are together. The next ones count if none of these works, or if only they lead to the expected
# shape.
Ways: TypeAlias = Sequence[Sequence[Way]]


def table(rows: Sequence[Sequence[str]], *, in_brackets: bool = False) -> CellLayout:
    """Rows of cells. One row is a vector, and one number alone is just that number, unless it is in brackets.

    >>> table([["1", "2"]]).shape, table([["1"]]).shape, table([["1"], ["2"]]).shape
    ((2,), (), (2, 1))
    """
    check_rows([len(row) for row in rows])
    cells = tuple(cell for row in rows for cell in row)
    if len(rows) > 1:
        return CellLayout((len(rows), len(rows[0])), cells, loose=True)
    return CellLayout((len(cells),) if in_brackets or len(cells) > 1 else (), cells, loose=True)


def check_rows(counts: Sequence[int]) -> None:
    for row, count in enumerate(counts):
        if count != counts[0]:
            raise MatrixError(
                f"The rows have different lengths: row 0 has {counts[0]} numbers, row {row} has {count}.",
                hint="Give every row the same length, with _ for entries that you leave open.",
                row=row,
            )


def rows_of(text: str) -> list[str]:
    r"""The rows of a text, with a new line or ; between them. A row between two ; may be empty, a line may not.

    >>> rows_of("1 2; 3 4;\n\n 5 6")
    ['1 2', '3 4', '5 6']
    """
    rows: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        rows += [" ".join(row.split()) for row in line.removesuffix(";").split(";")]
    return rows


def split_at_commas(row: str) -> list[str]:
    """Commas and spaces separate: `1, 2 3` are three numbers."""
    return re.split(" ?, ?| ", row)


def split_at_spaces(row: str) -> list[str]:
    """Only spaces separate, and a comma is a decimal sign: `1,5 2` are two numbers."""
    return row.split(" ")


def nothing_in(text: str) -> MatrixError:
    return MatrixError(
        f"'{shown(text)}' is not a matrix of numbers: it has none.",
        hint='Write rows with ; between them: "2 1.5; 1 0".',
    )


def words_in(text: str, word: str) -> MatrixError:
    """Words where only numbers can be."""
    return MatrixError(
        f"'{shown(text)}' is not a matrix of numbers: '{shown(word)}' is more than a number.",
        hint='Write rows with ; between them, and nothing around them: "2 1.5; 1 0".',
        word=shown(word),
    )
