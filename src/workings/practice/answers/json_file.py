"""Answers in JSON: {"sheet": CODE, "answers": {"loss": 0.25, "scores": [[1, 2], [3, null]]}}."""

from __future__ import annotations

import json
from typing import Any

from ...engine.errors import InputError
from .collector import AnswerCollector
from .labels import require_label
from .spelling import shown


class _Number(str):
    """A number as it appears in the file: 0.0070 has one digit more than the same number as a float."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object in their order, including repeated keys."""


def collect_json(text: str, answers: AnswerCollector) -> None:
    """
    >>> answers = AnswerCollector()
    >>> collect_json('{"sheet": "demo-1", "answers": {"loss": 0.0070, "P": [[1, null]]}}', answers)
    >>> answers.sheet, answers.texts
    ('demo-1', {'loss': '0.0070', 'P': '[[1, _]]'})
    """
    try:
        data = json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=_Number, object_pairs_hook=_Pairs
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"The file is not JSON: {error.msg}.",
            hint="Save it again, or write the answers into a table in CSV.",
            where=f"line {error.lineno}",
        ) from None
    except RecursionError:
        raise InputError(
            "The lists in the file are nested too deeply.",
            hint="Write a matrix as a list of rows: [[2, 1.5], [1, 0]].",
        ) from None
    given = [value for key, value in data if key == "answers"] if isinstance(data, _Pairs) else []
    if not given or not all(isinstance(value, _Pairs) for value in given):
        raise InputError(
            "The file has no object named answers.",
            hint='Write it as {"sheet": "CODE", "answers": {"loss": 0.25}}.',
        )
    for key, value in data:
        if key == "sheet":
            answers.name_sheet(_as_text(value, key), "")
    lines = _Lines(text)
    for key, value in (pair for pairs in given for pair in pairs):
        place = lines.place(key)
        label = require_label(key, place)
        answers.add(label, _as_text(value, label), place)


def _as_text(value: Any, label: str, depth: int = 0) -> str:
    """The answer to an entry as text. In a list, a comma inside one answer can only be a decimal sign."""
    if value is None:
        return "_" if depth else ""
    if isinstance(value, _Pairs):
        raise InputError(
            f"The answer for {shown(label)} is not a number, a text or a list.",
            hint=f'Write "{shown(label)}": 0.25, or a list of rows.',
        )
    if isinstance(value, list):
        return "[" + ", ".join(_as_text(item, label, depth + 1) for item in value) + "]"
    if isinstance(value, str):
        return (value.replace(",", ".").strip() or "_") if depth else value
    return str(value).lower()  # true and false


class _Lines:
    """The lines of keys, searched in their order; a key in another spelling ends the search."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

    def place(self, key: str) -> str:
        found = self.text.find(f'"{key}"', self.at) if self.at >= 0 else -1
        if found < 0:
            self.at = -1
            return f"key {shown(key)}"
        self.line += self.text.count("\n", self.at, found)
        self.at = found
        return f"line {self.line}"
