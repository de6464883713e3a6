"""Answers in JSON: {"sheet": CODE, "answers": {"loss": 0.25, "scores": [[1, 2], [3, null]]}}."""

from __future__ import annotations

import json
from typing import Any

from ...engine.errors import InputError
from . import places
from .collected import Collected
from .labels import read_label
from .spelling import shown


class _Number(str):
    """A number as it is written: 0.0070 has a digit more than the same number as a float."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object in their order, a key that stands there twice included."""


def collect_json(text: str, answers: Collected) -> None:
    """
    >>> answers = Collected()
    >>> collect_json('{"sheet": "demo-1", "answers": {"loss": 0.0070, "P": [[1, null]]}}', answers)
    >>> answers.sheet, answers.written
    ('demo-1', {'loss': '0.0070', 'P': '[[1, _]]'})
    """
    try:
        data = json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=_Number, object_pairs_hook=_Pairs
        )
    except json.JSONDecodeError as error:
        raise InputError("answers.json", reason=error.msg, where=places.line(error.lineno)) from None
    except RecursionError:
        raise InputError("answers.json.deep") from None
    given = [value for key, value in data if key == "answers"] if isinstance(data, _Pairs) else []
    if not given or not all(isinstance(value, _Pairs) for value in given):
        raise InputError("answers.json.form")
    for key, value in data:
        if key == "sheet":
            answers.name_sheet(_written(value, key), "")
    lines = _Lines(text)
    for key, value in (pair for pairs in given for pair in pairs):
        label = read_label(key)
        if label is None:
            raise InputError("answers.file.label", label=shown(key), where=lines.place(key))
        answers.add(label, _written(value, label), lines.place(key))


def _written(value: Any, label: str, depth: int = 0) -> str:
    """What stands for an entry, as text. In a list a comma inside one answer can only be a decimal sign."""
    if value is None:
        return "_" if depth else ""
    if isinstance(value, _Pairs):
        raise InputError("answers.json.value", label=shown(label))
    if isinstance(value, list):
        return "[" + ", ".join(_written(item, label, depth + 1) for item in value) + "]"
    if isinstance(value, str):
        return (value.replace(",", ".").strip() or "_") if depth else value
    return str(value).lower()  # true and false


class _Lines:
    """The lines of keys, which are looked for in their order; a key in another spelling ends the search."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

    def place(self, key: str) -> str:
        found = self.text.find(f'"{key}"', self.at) if self.at >= 0 else -1
        if found < 0:
            self.at = -1
            return places.key(shown(key))
        self.line += self.text.count("\n", self.at, found)
        self.at = found
        return places.line(self.line)
