"""Numbers as people type them on a command line."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

from ..engine.errors import InputError

LONGEST = 1_000_000  # characters of a typed matrix


def read_matrix(text: str) -> Any:
    """A number, a row, or rows with ; between them; nested brackets for more axes.

    >>> read_matrix("2 1.5; 1 -1/4"), read_matrix("0.5"), read_matrix("[[[1, 2]], [[3, 4]]]")
    ([[2, 1.5], [1, -0.25]], 0.5, [[[1, 2]], [[3, 4]]])
    """
    if len(text) > LONGEST:
        raise InputError("numbers.text", text=f"{text[:20]}...")
    try:
        if text.strip().startswith("["):
            return _only_numbers(json.loads(text))
        rows = [[_number(word) for word in _words(row)] for row in text.split(";")]
    except (ValueError, ZeroDivisionError, RecursionError):
        raise InputError("numbers.text", text=text[:60]) from None
    if len(rows) == 1:
        return rows[0][0] if len(rows[0]) == 1 else rows[0]
    return rows


def _words(row: str) -> list[str]:
    """The numbers of a row, with spaces or with commas between them, but not both: 1,5 2,5 could mean two numbers."""
    if re.search(r"\S,\S", row) and re.search(r"[^\s,]\s+[^\s,]", row.strip()):
        raise InputError("numbers.comma", text=row.strip()[:60])
    return re.split(r"\s*,\s*|\s+", row.strip())


def _number(word: str) -> float | int:
    if re.fullmatch(r"[+-]?\d+", word):
        return int(word)
    return float(Fraction(word)) if "/" in word else float(word)


def _only_numbers(value: Any) -> Any:
    if isinstance(value, list) and value:
        return [_only_numbers(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(value)
    return value


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
        raise InputError("numbers.entry", text=text[:60])
    return tuple(int(word) for word in words)
