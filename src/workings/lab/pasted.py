"""Numbers as somebody pasted them into a field that has a name. What cannot be read says which field and line it is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy
from numpy.typing import NDArray

from ..engine.errors import WorkingsError
from ..engine.sentences import add_sentences, say
from ..teach.answers.matrix import GivenMatrix, read_matrix
from ..teach.answers.places import line as line_in_words
from ..teach.answers.spelling import shown
from .errors import LabError

LONGEST = 20_000  # characters of a field
WIDEST = 32  # rows, and columns: what a page shows, and a second is enough for

add_sentences("lab", {"pasted.place": "{field}, {line}"})
add_sentences(
    "error",
    {
        "lab.pasted.long": "There are {count} characters, too many for one field.",
        "lab.pasted.long.try": "Give a smaller matrix: up to {most} characters are read.",
        "lab.pasted.large": "{name} is {shape}, and no more than {most} rows and columns are worked out here.",
        "lab.pasted.large.try": "Give fewer tokens or columns, or use `workings compare` on your own machine.",
        "lab.pasted.axes": "{name} has {count} axes, and a matrix has two: rows and columns.",
        "lab.pasted.axes.try": "Give one row for each token, and the columns of all heads side by side.",
        "lab.pasted.open": "{name} has an entry that is left open or is no finite number.",
        "lab.pasted.open.try": "Fill in every entry of what is given; only results may have blanks.",
    },
)


def filled(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields in which something stands, in their order.

    >>> filled({"Q": "1 0", "scores": "  "})
    {'Q': '1 0'}
    """
    return {name: text for name, text in fields.items() if text.strip()}


def read_field(name: str, text: str, shape: tuple[int, ...] | None = None) -> GivenMatrix:
    r"""The numbers in a field; `shape` is the one that is expected, which decides what a comma means.

    >>> read_field("Q", "[[1, 0.5], [0, 1/4]]").shape
    (2, 2)
    >>> read_field("K", "1 0\n0 one")
    Traceback (most recent call last):
        ...
    workings.engine.errors.InputError: '1 0 0 one' is not a matrix of numbers: 'one' is not a number.
    ...
    """
    if len(text) > LONGEST:
        raise LabError("lab.pasted.long", where=shown(name), count=len(text), most=LONGEST)
    try:
        return read_matrix(text, shape)
    except WorkingsError as error:
        line = _line(text, error)
        error.where = say("lab.pasted.place", field=shown(name), line=line_in_words(line)) if line else shown(name)
        raise


def read_rows(name: str, text: str) -> NDArray[numpy.float64]:
    """The matrix in a field, whole and finite: one row for each token. A single line of numbers is one row.

    >>> read_rows("Q", "1 0.5").tolist()
    [[1.0, 0.5]]
    """
    array = numpy.atleast_2d(read_field(name, text).array)
    if array.ndim > 2:
        raise LabError("lab.pasted.axes", where=shown(name), name=shown(name), count=array.ndim)
    if max(array.shape) > WIDEST:
        shape = " × ".join(map(str, array.shape))
        raise LabError("lab.pasted.large", where=shown(name), name=shown(name), shape=shape, most=WIDEST)
    if not numpy.all(numpy.isfinite(array)):
        raise LabError("lab.pasted.open", where=shown(name), name=shown(name))
    return array


def _line(text: str, error: WorkingsError) -> int:
    """The line, counted from 1, on which stands what cannot be read; 0 where it is not known, or there is only one."""
    lines = text.splitlines()
    cause = error.__context__
    inner = cause.values.get("text") if isinstance(cause, WorkingsError) else None
    word = str(error.values.get("word") or inner or "").strip()
    row = error.values.get("row")
    if len(lines) < 2:
        return 0
    if word:
        return next((number for number, line in enumerate(lines, 1) if word in line), 0)
    written = [number for number, line in enumerate(lines, 1) if line.strip()]
    return written[row] if isinstance(row, int) and row < len(written) else 0
