"""Matrices as people write them in a file: nested lists, rows as text, or words for common ones.

[[2, 1.5], [1, 0]]    lists
"2 1.5; 1 0"          text, with ; or a new line between rows; a fraction such as 1/3 is a number, too
0.1 I, zeros, ones    where the shape is known; a number may come before each
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple, TypeAlias

import numpy
from numpy.typing import NDArray

from ...engine.arrays import brackets
from ...engine.errors import Keys, ScenarioError
from .location import MAX_SHOWN_CHARS

Shape: TypeAlias = tuple[int, ...]

NUMBER = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
FRACTION = re.compile(rf"{NUMBER}(?:/[0-9]+)?")
WORDS = re.compile(rf"(?P<sign>[-+])?\s*(?P<factor>{NUMBER}(?:/[0-9]+)?)?\s*\*?\s*(?P<word>I|zeros|ones)")
LARGEST = 1e300  # a larger number leaves the range of floats in the first product


def matrix_of(value: Any, shape: Shape | None = None, keys: Keys = ()) -> NDArray[numpy.float64]:
    """The real numbers of a matrix. `keys` are the path to it in the file, for errors.

    >>> matrix_of("2 1.5; 1 0", (2, 2)).tolist()
    [[2.0, 1.5], [1.0, 0.0]]
    >>> matrix_of("0.1 I", (2, 2)).tolist()
    [[0.1, 0.0], [0.0, 0.1]]
    """
    words = _in_words(value)
    if words is not None:
        return _filled(words, shape, keys)
    array = numpy.array(_numbers(value, keys), dtype=numpy.float64)
    if shape is not None and array.shape != tuple(shape):
        raise ScenarioError(
            f"The shape does not fit: needed {sizes(shape)}, given {sizes(array.shape)}.",
            hint=f"Give {sizes(shape)}, row by row.",
            keys=keys,
        )
    return array


def ids_of(value: Any, keys: Keys = ()) -> NDArray[numpy.int64]:
    """The whole numbers of a matrix: token ids or labels.

    >>> ids_of((0, 3)).tolist()
    [0, 3]
    """
    numbers = matrix_of(value, None, keys)
    unfit = (numbers != numpy.floor(numbers)) | (abs(numbers) >= 2**53)
    for index in numpy.argwhere(unfit):
        raise ScenarioError(
            f"{numbers[tuple(index)]:g} is not a whole number.",
            hint="Token ids and labels are whole numbers, counted from 0.",
            keys=(*keys, *index.tolist()),
        )
    return numbers.astype(numpy.int64)


def check_matrix(value: Any, keys: Keys = ()) -> Shape | None:
    """The shape of a matrix, or None if it takes any shape that is needed. Anything else is an error.

    >>> check_matrix("1 0 2"), check_matrix("zeros")
    ((3,), None)
    """
    return None if _in_words(value) is not None else matrix_of(value, None, keys).shape


def shape_unknown(word: str, keys: Keys = ()) -> ScenarioError:
    return ScenarioError(
        f"{word} needs a shape, which nothing here determines.", hint="Write the numbers out, row by row.", keys=keys
    )


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


def _filled(words: _Words, shape: Shape | None, keys: Keys) -> NDArray[numpy.float64]:
    if shape is None:
        raise shape_unknown(words.word, keys)
    if words.word != "I":
        return numpy.full(shape, words.factor if words.word == "ones" else 0.0)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ScenarioError(
            f"I is a square matrix, but {sizes(shape)} is needed.",
            hint="Write the rows out, or use zeros or ones.",
            keys=keys,
        )
    return words.factor * numpy.eye(shape[0])


def _numbers(value: Any, keys: Keys, index: tuple[int, ...] = ()) -> Any:
    """Nested lists of numbers, all rows equally long. `index` is the position within the matrix."""
    if isinstance(value, str):
        return _from_text(value, keys, index)
    if not isinstance(value, list | tuple):
        return _entry(value, keys, index)
    if not value:
        raise ScenarioError(
            "There are no numbers here.", hint="Give at least one number along every axis.", keys=(*keys, *index)
        )
    rows = [_numbers(row, keys, (*index, place)) for place, row in enumerate(value)]
    _refuse_ragged(rows, keys, index)
    return rows


def _entry(value: Any, keys: Keys, index: tuple[int, ...]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no_number(value, keys, index)
    if not abs(value) < LARGEST:  # NaN is not below it, either
        raise ScenarioError(
            f"{_shown(value)} is not a finite number, or too large.",
            hint="Inputs and weights must be finite numbers.",
            keys=(*keys, *index),
        )
    return float(value)


def _from_text(text: str, keys: Keys, index: tuple[int, ...]) -> Any:
    rows = [row.strip() for row in re.split(r"[;\n]", text.strip().removesuffix(";"))]
    found: list[Any] = []
    for place, row in enumerate(rows):
        here = index if len(rows) == 1 else (*index, place)
        if re.search(r"\S,\S", row) and re.search(r"[^\s,]\s+[^\s,]", row):  # 1,5 2,5 could be two numbers or four
            raise ScenarioError(
                f"'{_shown(row)}' has commas and spaces between its numbers.",
                hint='Write decimals with a point: "1.5 2.5".',
                keys=(*keys, *here),
            )
        words = re.split(r"\s*,\s*|\s+", row)
        numbers = [_number(word) for word in words]
        if None in numbers:
            raise _no_number(words[numbers.index(None)], keys, here)
        found.append([_entry(number, keys, here) for number in numbers])
    if re.search(r"[;\n]", text.strip()):
        _refuse_ragged(found, keys, index)
        return found
    return found[0] if len(found[0]) > 1 else found[0][0]


def _number(word: str) -> float | None:
    """A number or a fraction; infinite if it is too large, None if it is neither."""
    if not FRACTION.fullmatch(word):
        return None
    above, _, below = word.partition("/")
    divisor = float(below or 1)
    return float(above) / divisor if divisor else None


def _refuse_ragged(rows: list[Any], keys: Keys, index: tuple[int, ...]) -> None:
    first = _shape(rows[0])
    for place, row in enumerate(rows):
        here = (*index, place)
        if _shape(row) != first:
            one, other = sizes(first), sizes(_shape(row))
            raise ScenarioError(
                f"The rows are not equally long: {brackets(here)} has {other}, the first has {one}.",
                hint="Give each row the same number of entries.",
                keys=(*keys, *here),
            )


def _shape(row: Any) -> Shape:
    """The shape of nested lists whose own rows are equally long."""
    return (len(row), *_shape(row[0])) if isinstance(row, list) else ()


def _no_number(value: Any, keys: Keys, index: tuple[int, ...]) -> ScenarioError:
    return ScenarioError(
        f"{_shown(value)} is not a number.",
        hint='Write rows of numbers: [[2, 1.5], [1, 0]] or "2 1.5; 1 0".',
        keys=(*keys, *index),
    )


def _shown(value: Any) -> str:
    return str(value)[:MAX_SHOWN_CHARS] if str(value).strip() else "nothing"
