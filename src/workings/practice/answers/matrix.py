r"""Several numbers as people paste them. A small grammar takes them apart; nothing is ever evaluated.

[[1, 2], [3, 4]]                    Python, with array(...) or tensor(...) around it; the output of NumPy and PyTorch
[1 2; 3 4]   1 2; 3 4               MATLAB
1,2 / 1;2 / tabs, line by line      CSV
\begin{bmatrix} 1 & 2 \\ 3 & 4      LaTeX
| 1 | 2 |                           a Markdown table

A comma may separate two numbers, or be the decimal sign of one. If both are possible, the expected shape decides; if it
cannot, the text is refused with both readings. In a Python list commas separate, unless the expected shape says
otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from ...engine.errors import InputError
from .brackets import nested, without_keywords
from .layout import CellLayout, MatrixError, Shape, Ways
from .number import GivenNumber, read_number
from .spelling import shown, spelled
from .tables import latex, lines, markdown

MAX_CHARS = 1_000_000
MAX_NUMBERS = 100_000

_NAMED = re.compile(r"\A(?:Parameter containing:|[^\W\d][\w.]{0,100}(?:\[[0-9]{1,9}\]){0,9}\s{0,9}[:=])\s{0,99}")
_QUOTED = re.compile(r"([\"'])([^\"'\n]{0,400})\1")


@dataclass(frozen=True)
class GivenMatrix:
    """Several numbers as a learner wrote them, row by row; None for an entry that was left blank."""

    shape: Shape
    entries: tuple[GivenNumber | None, ...]

    @property
    def array(self) -> NDArray[numpy.float64]:
        """The values, with NaN for blank entries.

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
    r"""The numbers in a text. `shape` is the expected one: it decides what a comma means, and whether a row is a
    vector; numbers of another shape are read as well.

    >>> read_matrix("[1 2; 3 4]").array.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    >>> read_matrix("1,5; 2,5", (2, 1)).array.tolist(), read_matrix("1,5; 2,5", (2, 2)).array.tolist()
    ([[1.5], [2.5]], [[1.0, 5.0], [2.0, 5.0]])
    >>> read_matrix(r"\begin{pmatrix} 1/2 & 0 \\ -1 & 3 \end{pmatrix}").shape
    (2, 2)
    """
    if len(text) > MAX_CHARS:
        raise InputError(
            f"'{shown(text)}' has {len(text)} characters, too many for one answer.",
            hint=f"Give fewer numbers: at most {MAX_CHARS} characters are read.",
        )
    bare = spelled(text).replace("\r\n", "\n").replace("\r", "\n").strip("\n ")
    bare = _NAMED.sub("", bare)
    bare = _QUOTED.sub(lambda quoted: quoted[2].replace(",", ".") or "_", bare)
    bare = without_keywords(bare)
    for kind in (latex, markdown, nested):
        ways = kind(bare, shape)
        if ways is not None:
            return _chosen(ways, text, shape)
    return _chosen(lines(bare, shape), text, shape)


def _chosen(ways: Ways, text: str, expected: Shape | None) -> GivenMatrix:
    """The reading that has the expected shape, or else the only one of the most likely."""
    refused: list[InputError] = []
    likely: list[GivenMatrix] = []
    for equally_likely in ways:
        readings: dict[Shape, GivenMatrix] = {}  # two ways that give the same shape give the same numbers
        for way in equally_likely:
            try:
                reading = _read(way(), text, expected)
                readings.setdefault(reading.shape, reading)
            except InputError as error:
                refused.append(error)
        if expected in readings:
            return readings[expected]
        likely = likely or list(readings.values())
    if not likely:
        raise refused[0]
    if len(likely) > 1:
        raise _ambiguous(text, *likely[:2])
    return likely[0]


def _ambiguous(text: str, one: GivenMatrix, other: GivenMatrix) -> InputError:
    first, second = shown(str(one)), shown(str(other))
    by_commas = f'Write decimals with a point: "{second}". Write "{first}" if the commas separate numbers.'
    by_lines = "Put brackets around each row, or write all numbers of a vector on one line."
    return InputError(
        f"'{shown(text)}' can be read as {first}, or as {second}.",
        hint=by_lines if len(one.entries) == len(other.entries) else by_commas,
    )


def _read(layout: CellLayout, text: str, expected: Shape | None) -> GivenMatrix:
    if len(layout.cells) > MAX_NUMBERS:
        raise InputError(
            f"'{shown(text)}' has {len(layout.cells)} numbers, too many for one answer.",
            hint=f"Give fewer: at most {MAX_NUMBERS} are read.",
        )
    entries: list[GivenNumber | None] = []
    for cell in layout.cells:
        try:
            entries.append(read_number(cell))
        except InputError as error:
            raise MatrixError(
                f"'{shown(text)}' is not a matrix of numbers: {error.what.removesuffix('.')}.",
                hint='Write rows with ; between them: "2 1.5; 1 0".',
                word=shown(cell),
            ) from None
    return GivenMatrix(layout.fitted(expected), tuple(entries))
