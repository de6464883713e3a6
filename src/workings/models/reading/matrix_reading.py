"""Matrices as people write them in a file: nested lists, rows as text, or words for common ones.

[[2, 1.5], [1, 0]]    lists
"2 1.5; 1 0"          text, with ; or a new line between rows; a fraction such as 1/3 is a number, too
0.1 I, zeros, ones    where the shape is known; a number may stand before each
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy
from numpy.typing import NDArray

from ...engine.arrays import brackets
from ...engine.errors import ScenarioError
from .likely import LONGEST

Shape: TypeAlias = tuple[int, ...]
At: TypeAlias = tuple[int, ...]

NUMBER = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
FRACTION = re.compile(rf"{NUMBER}(?:/[0-9]+)?")
WORDS = re.compile(rf"(?P<sign>[-+])?\s*(?P<factor>{NUMBER}(?:/[0-9]+)?)?\s*\*?\s*(?P<word>I|zeros|ones)")
LARGEST = 1e300  # what is larger leaves the range of numbers in the first product


def matrix_of(value: Any, shape: Shape | None, where: str) -> NDArray[numpy.float64]:
    """The real numbers that a written matrix means. `where` says in an error where it stands.

    >>> matrix_of("2 1.5; 1 0", (2, 2), "example.yaml, line 7, given.X").tolist()
    [[2.0, 1.5], [1.0, 0.0]]
    >>> matrix_of("0.1 I", (2, 2), "example.yaml, line 8, parameters.W_Q").tolist()
    [[0.1, 0.0], [0.0, 0.1]]
    """
    words = _in_words(value)
    if words is not None:
        return _filled(words, shape, where)
    array = numpy.array(_numbers(value, where), dtype=numpy.float64)
    if shape is not None and array.shape != tuple(shape):
        _refuse("matrix.shape", where, needed=sizes(shape), got=sizes(array.shape))
    return array


def ids_of(value: Any, where: str) -> NDArray[numpy.int64]:
    """The whole numbers that are written: token numbers or labels.

    >>> ids_of((0, 3), "example.yaml, line 7, given.target").tolist()
    [0, 3]
    """
    numbers = matrix_of(value, None, where)
    unfit = (numbers != numpy.floor(numbers)) | (abs(numbers) >= 2**53)
    for at in numpy.argwhere(unfit):
        _refuse("matrix.whole", where, tuple(at.tolist()), entry=f"{numbers[tuple(at)]:g}")
    return numbers.astype(numpy.int64)


def check_matrix(value: Any, where: str) -> Shape | None:
    """Refuse what is no matrix; the shape of one that is, or None if it takes whatever shape is needed.

    >>> check_matrix("1 0 2", ""), check_matrix("zeros", "")
    ((3,), None)
    """
    return None if _in_words(value) is not None else matrix_of(value, None, where).shape


def sizes(shape: Shape) -> str:
    """
    >>> sizes((2, 3)), sizes(())
    ('2 × 3', 'one number')
    """
    return " × ".join(map(str, shape)) or "one number"


class _Words(NamedTuple):
    factor: float
    word: str


def _in_words(value: Any) -> _Words | None:
    found = WORDS.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None or (found["sign"] and found["factor"] and found["factor"][0] in "+-"):
        return None
    factor = _number(found["factor"]) if found["factor"] else 1.0
    if factor is None or not math.isfinite(factor):
        return None  # and so it is refused as a text that is no matrix
    return _Words(-factor if found["sign"] == "-" else factor, found["word"])


def _filled(words: _Words, shape: Shape | None, where: str) -> NDArray[numpy.float64]:
    if shape is None:
        _refuse("matrix.words", where, word=words.word)
    if words.word != "I":
        return numpy.full(shape, words.factor if words.word == "ones" else 0.0)
    if len(shape) != 2 or shape[0] != shape[1]:
        _refuse("matrix.square", where, needed=sizes(shape))
    return words.factor * numpy.eye(shape[0])


def _numbers(value: Any, where: str, at: At = ()) -> Any:
    """Nested lists of numbers, all rows equally long."""
    if isinstance(value, str):
        return _from_text(value, where, at)
    if not isinstance(value, list | tuple):
        return _entry(value, where, at)
    if not value:
        _refuse("matrix.empty", where, at)
    rows = [_numbers(row, where, (*at, place)) for place, row in enumerate(value)]
    _refuse_ragged(rows, where, at)
    return rows


def _entry(value: Any, where: str, at: At) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse("matrix.entry", where, at, entry=_shown(value))
    if not abs(value) < LARGEST:  # NaN is not below it, either
        _refuse("matrix.finite", where, at, entry=_shown(value))
    return float(value)


def _from_text(text: str, where: str, at: At) -> Any:
    rows = [row.strip() for row in re.split(r"[;\n]", text.strip().removesuffix(";"))]
    found: list[Any] = []
    for place, row in enumerate(rows):
        if re.search(r"\S,\S", row) and re.search(r"[^\s,]\s+[^\s,]", row):  # 1,5 2,5 could be two numbers or four
            _refuse("matrix.comma", where, at, entry=_shown(row))
        words = re.split(r"\s*,\s*|\s+", row)
        numbers = [_number(word) for word in words]
        if None in numbers:
            _refuse("matrix.entry", where, at, entry=_shown(words[numbers.index(None)]))
        index = at if len(rows) == 1 else (*at, place)
        found.append([_entry(number, where, index) for number in numbers])
    if re.search(r"[;\n]", text.strip()):
        _refuse_ragged(found, where, at)
        return found
    return found[0] if len(found[0]) > 1 else found[0][0]


def _number(word: str) -> float | None:
    """A number or a fraction; infinite if it is too large, None if it is neither."""
    if not FRACTION.fullmatch(word):
        return None
    above, _, below = word.partition("/")
    divisor = float(below or 1)
    return float(above) / divisor if divisor else None


def _refuse_ragged(rows: list[Any], where: str, at: At) -> None:
    first = _shape(rows[0])
    for place, row in enumerate(rows):
        if _shape(row) != first:
            values = {"one": sizes(first), "other": sizes(_shape(row))}
            _refuse("matrix.ragged", where, (*at, place), row=brackets((*at, place)), **values)


def _shape(row: Any) -> Shape:
    """The shape of nested lists whose own rows are equally long."""
    return (len(row), *_shape(row[0])) if isinstance(row, list) else ()


def _shown(value: Any) -> str:
    return str(value)[:LONGEST] if str(value).strip() else "nothing"


def _refuse(key: str, where: str, at: At = (), **values: Any) -> NoReturn:
    """An error with the position `at` which it happened, from which a reader can tell the line."""
    raise ScenarioError(key, where=where, at=at, index=brackets(at), **values)
