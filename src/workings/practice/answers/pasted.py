"""Numbers that a user pasted into a named field. What cannot be read is reported with its field and line."""

from __future__ import annotations

from collections.abc import Mapping

import numpy
from numpy.typing import NDArray

from ...engine.errors import InputError, WorkingsError
from .layout import MatrixError
from .matrix import GivenMatrix, read_matrix
from .spelling import shown

MAX_FIELD_CHARS = 20_000
MAX_SIZE = 32  # rows, and columns: what a page shows, and what a second is enough for


def filled(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields that are not empty, in their order.

    >>> filled({"Q": "1 0", "scores": "  "})
    {'Q': '1 0'}
    """
    return {name: text for name, text in fields.items() if text.strip()}


def read_field(name: str, text: str, shape: tuple[int, ...] | None = None) -> GivenMatrix:
    r"""The numbers in a field; `shape` is the expected one, which decides what a comma means.

    >>> read_field("Q", "[[1, 0.5], [0, 1/4]]").shape
    (2, 2)
    >>> read_field("K", "1 0\n0 one")
    Traceback (most recent call last):
        ...
    workings.practice.answers.layout.MatrixError: '1 0 0 one' is not a matrix of numbers: 'one' is not a number.
      where: K, line 2
    ...
    """
    if len(text) > MAX_FIELD_CHARS:
        raise InputError(
            f"There are {len(text)} characters, too many for one field.",
            hint=f"Give a smaller matrix: at most {MAX_FIELD_CHARS} characters are read.",
            where=shown(name),
        )
    try:
        return read_matrix(text, shape)
    except WorkingsError as error:
        line = _line(text, error)
        error.where = f"{shown(name)}, line {line}" if line else shown(name)
        raise


def read_rows(name: str, text: str) -> NDArray[numpy.float64]:
    """The matrix in a field, complete and finite: one row for each token. A single line of numbers is one row.

    >>> read_rows("Q", "1 0.5").tolist()
    [[1.0, 0.5]]
    """
    array = numpy.atleast_2d(read_field(name, text).array)
    if array.ndim > 2:
        raise InputError(
            f"{shown(name)} has {array.ndim} axes, and a matrix has two: rows and columns.",
            hint="Give one row for each token, and the columns of all heads side by side.",
            where=shown(name),
        )
    if max(array.shape) > MAX_SIZE:
        raise InputError(
            f"{shown(name)} is {' × '.join(map(str, array.shape))}; we compute at most {MAX_SIZE} rows and columns.",
            hint="Give fewer tokens or columns, or use `workings compare` on your own machine.",
            where=shown(name),
        )
    if not numpy.all(numpy.isfinite(array)):
        raise InputError(
            f"{shown(name)} has an entry that is blank or not finite.",
            hint="Fill in every entry of the inputs; only results may have blanks.",
            where=shown(name),
        )
    return array


def _line(text: str, error: WorkingsError) -> int:
    """The line, counted from 1, of what cannot be read; 0 if it is not known, or if there is only one."""
    lines = text.splitlines()
    if len(lines) < 2 or not isinstance(error, MatrixError):
        return 0
    word = error.word.strip()
    if word:
        return next((number for number, line in enumerate(lines, 1) if word in line), 0)
    filled_lines = [number for number, line in enumerate(lines, 1) if line.strip()]
    return filled_lines[error.row] if error.row is not None and error.row < len(filled_lines) else 0
