"""Numbers in rows and columns before they are read: which text stands at which place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...engine.errors import InputError
from .spelling import shown

Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """The text of each entry, row by row. Where the notation is `loose` it knows rows and columns only, and one row
    or column of it may stand for a vector.
    """

    shape: Shape
    cells: tuple[str, ...]
    loose: bool = False

    def fitted(self, asked: Shape | None) -> Shape:
        """The shape, said as it was asked for where that is the same in this notation.

        >>> Layout((1, 3), ("1", "2", "3"), loose=True).fitted((3,))
        (3,)
        """
        if asked is None or not self.loose or min(len(asked), len(self.shape)) > 1:
            return self.shape
        same = [size for size in asked if size != 1] == [size for size in self.shape if size != 1]
        return asked if same else self.shape


Way: TypeAlias = Callable[[], Layout]  # one way to read a text; it raises where the text cannot be read so
# Ways that are equally likely stand together. The next ones count where none of these leads anywhere, or only they lead
# to the shape that is asked for.
Ways: TypeAlias = Sequence[Sequence[Way]]


def table(rows: Sequence[Sequence[str]], *, in_brackets: bool = False) -> Layout:
    """Rows of cells. One row is a vector, and one number alone is just that number, unless it stands in brackets.

    >>> table([["1", "2"]]).shape, table([["1"]]).shape, table([["1"], ["2"]]).shape
    ((2,), (), (2, 1))
    """
    check_rows([len(row) for row in rows])
    cells = tuple(cell for row in rows for cell in row)
    if len(rows) > 1:
        return Layout((len(rows), len(rows[0])), cells, loose=True)
    return Layout((len(cells),) if in_brackets or len(cells) > 1 else (), cells, loose=True)


def check_rows(counts: Sequence[int]) -> None:
    for row, count in enumerate(counts):
        if count != counts[0]:
            raise InputError("answers.matrix.ragged", row=row, one=counts[0], other=count)


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


def nothing_in(text: str) -> InputError:
    return InputError("answers.matrix.empty", text=shown(text))


def words_in(text: str, word: str) -> InputError:
    """What is no number, where only numbers can stand."""
    return InputError("answers.matrix.words", text=shown(text), word=shown(word))
