r"""Several numbers as people paste them. They are taken apart here by a small grammar, and never evaluated.

[[1, 2], [3, 4]]                    Python; array(...) and tensor(...) around it, and what NumPy and PyTorch print
[1 2; 3 4]   1 2; 3 4               MATLAB
1,2 / 1;2 / tabs, line by line      CSV
\begin{bmatrix} 1 & 2 \\ 3 & 4      LaTeX
| 1 | 2 |                           a Markdown table

A comma may stand between two numbers, or inside one. Where both can be meant, the shape that is asked for decides;
where it cannot, the text is refused with both readings. Only in a list of Python commas separate, unless the shape that
is asked for says otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from ...engine.errors import InputError
from .brackets import nested, without_keywords
from .layout import Layout, Shape, Ways
from .number import Given, read_number
from .spelling import shown, spelled
from .tables import latex, lines, markdown

LONGEST = 1_000_000  # characters
MOST = 100_000  # numbers

_NAMED = re.compile(r"\A(?:Parameter containing:|[^\W\d][\w.]{0,100}(?:\[[0-9]{1,9}\]){0,9}\s{0,9}[:=])\s{0,99}")
_QUOTED = re.compile(r"([\"'])([^\"'\n]{0,400})\1")


@dataclass(frozen=True)
class GivenMatrix:
    """Several numbers as somebody wrote them, row by row; None where a place was left blank."""

    shape: Shape
    entries: tuple[Given | None, ...]

    @property
    def array(self) -> NDArray[numpy.float64]:
        """The values, with nan at the blank places.

        >>> read_matrix("[[1, _], [3/4, -2]]").array.tolist()
        [[1.0, nan], [0.75, -2.0]]
        """
        values = [numpy.nan if entry is None else entry.value for entry in self.entries]
        return numpy.array(values, dtype=numpy.float64).reshape(self.shape)

    def __str__(self) -> str:
        """The numbers with decimal points, and ; between rows."""
        words = ["_" if entry is None else f"{entry.value:.{entry.digits}g}" for entry in self.entries]
        width = self.shape[-1] if self.shape else 1
        rows = [" ".join(words[start : start + width]) for start in range(0, len(words), width)]
        return "; ".join(rows)


def read_matrix(text: str, shape: Shape | None = None) -> GivenMatrix:
    r"""The numbers that are written here. `shape` is the one that was asked for: it decides what a comma means, and
    whether a row is a vector; numbers of another shape are read as well.

    >>> read_matrix("[1 2; 3 4]").array.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    >>> read_matrix("1,5; 2,5", (2, 1)).array.tolist(), read_matrix("1,5; 2,5", (2, 2)).array.tolist()
    ([[1.5], [2.5]], [[1.0, 5.0], [2.0, 5.0]])
    >>> read_matrix(r"\begin{pmatrix} 1/2 & 0 \\ -1 & 3 \end{pmatrix}").shape
    (2, 2)
    """
    if len(text) > LONGEST:
        raise InputError("answers.matrix.long", text=shown(text), count=len(text), most=LONGEST)
    bare = spelled(text).replace("\r\n", "\n").replace("\r", "\n").strip("\n ")
    bare = _NAMED.sub("", bare)
    bare = _QUOTED.sub(lambda quoted: quoted[2].replace(",", ".") or "_", bare)
    bare = without_keywords(bare)
    for kind in (latex, markdown, nested):
        ways = kind(bare, shape)
        if ways is not None:
            return _chosen(ways, text, shape)
    return _chosen(lines(bare, shape), text, shape)


def _chosen(ways: Ways, text: str, asked: Shape | None) -> GivenMatrix:
    """The reading that has the shape asked for, or else the only one of the most likely."""
    refused: list[InputError] = []
    likely: list[GivenMatrix] = []
    for equally_likely in ways:
        readings: dict[Shape, GivenMatrix] = {}  # two ways that give the same shape give the same numbers
        for way in equally_likely:
            try:
                reading = _read(way(), text, asked)
                readings.setdefault(reading.shape, reading)
            except InputError as error:
                refused.append(error)
        if asked in readings:
            return readings[asked]
        likely = likely or list(readings.values())
    if not likely:
        raise refused[0]
    if len(likely) > 1:
        one, other, *_ = likely
        key = "answers.matrix.lines" if len(one.entries) == len(other.entries) else "answers.matrix.comma"
        raise InputError(key, text=shown(text), one=shown(str(one)), other=shown(str(other)))
    return likely[0]


def _read(layout: Layout, text: str, asked: Shape | None) -> GivenMatrix:
    if len(layout.cells) > MOST:
        raise InputError("answers.matrix.many", text=shown(text), count=len(layout.cells), most=MOST)
    try:
        entries = tuple(read_number(cell) for cell in layout.cells)
    except InputError as error:
        raise InputError("answers.matrix.number", text=shown(text), why=error.what.removesuffix(".")) from None
    return GivenMatrix(layout.fitted(asked), entries)
