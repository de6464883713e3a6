"""Numbers as people type them on a command line."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from ..engine.errors import InputError
from ..practice.answers import matrix
from ..practice.answers.number import GivenNumber
from ..practice.answers.spelling import shown

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def read_matrix(text: str) -> Any:
    """A number, a row, or rows with ; between them, or whatever else can be pasted (practice/answers/matrix.py), as
    nested lists. Whole numbers stay whole.

    >>> read_matrix("2 1.5; 1 -1/4"), read_matrix("0.5"), read_matrix("[[[1, 2]], [[3, 4]]]")
    ([[2, 1.5], [1, -0.25]], 0.5, [[[1, 2]], [[3, 4]]])
    """
    given = matrix.read_matrix(text)
    if None in given.entries:
        raise InputError(
            f"'{shown(text)}' is not a matrix of numbers: one of them is left open.",
            hint='Give all of them, with ; between rows: "2 1.5; 1 0".',
        )
    numbers: list[Any] = [_plain(entry) for entry in given.entries if entry is not None]
    for size in reversed(given.shape[1:]):
        numbers = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return numbers if given.shape else numbers[0]


def _plain(given: GivenNumber) -> float | int:
    return int(given.text) if _WHOLE.fullmatch(given.text) else given.value


def _number(word: str) -> float | int:
    if re.fullmatch(r"[+-]?\d+", word):
        return int(word)
    return float(Fraction(word)) if "/" in word else float(word)


def read_setting(text: str) -> Any:
    """A setting: a number, a word, true or false, or several with commas between them.

    >>> read_setting("0.1"), read_setting("key"), read_setting("2,3"), read_setting("true")
    (0.1, 'key', (2, 3), True)
    """
    if "," in text:
        return tuple(read_setting(part.strip()) for part in text.split(",") if part.strip())
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return _number(text)
    except (ValueError, ZeroDivisionError):
        return text


def read_index(text: str) -> tuple[int, ...]:
    """An entry such as `1,0` or `[1][0]`.

    >>> read_index("1,0"), read_index("[1][0]")
    ((1, 0), (1, 0))
    """
    words = re.findall(r"-?\d+", text)
    if re.sub(r"[\[\],\s]|-?\d+", "", text) or (text.strip() and not words):
        raise InputError(
            f"'{text[:60]}' is not an entry.", hint="Give one position for each axis, counted from 0: --cell 1,0."
        )
    return tuple(int(word) for word in words)
