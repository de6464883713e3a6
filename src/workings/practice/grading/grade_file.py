"""A stored grade, whose answers can be graded again. Its points are not believed: they must follow from its entries."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...engine.errors import InputError
from ...engine.file_check import READ_AS_IT_IS
from ...engine.files import read_user_file
from ..answers.file import MAX_ANSWER_BYTES, FileAnswers, read_answers
from ..answers.text_file import decoded
from .verdicts import POINTS, WRONG

SCHEMA_KIND = "workings/grade/"  # of every version
MAKE_AGAIN = "Grade the answers again: `workings grade SHEET ANSWERS --format json -o grade.json`."
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


def read_filled_file(path: Path, trust: bool = False) -> FileAnswers:
    """The answers in a file that a learner filled in, or in a grade that was stored as JSON."""
    if path.suffix.casefold() == ".json":
        data = _json(decoded(read_user_file(path, MAX_ANSWER_BYTES)))
        if str(data.get("schema", "")).startswith(SCHEMA_KIND):
            return answers_in_grade(data, path.name, trust)
    return read_answers(path)


def _json(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}  # the reader of answers says what is wrong with it
    return data if isinstance(data, dict) else {}


def answers_in_grade(data: dict[str, Any], name: str = "grade", trust: bool = False) -> FileAnswers:
    """What was answered, from the data of a grade. One whose points do not follow from its entries is refused.

    >>> entry = {"label": "loss", "step": "loss", "given": "0.25", "verdict": "right", "points": 1.0}
    >>> stored = {"sheet": "demo-1", "points": 1.0, "first_wrong": None, "entries": [entry]}
    >>> dict(answers_in_grade(stored).texts)
    {'loss': '0.25'}
    >>> answers_in_grade({**stored, "points": 9.0})
    Traceback (most recent call last):
        ...
    workings.engine.errors.InputError: This grade does not hold: its points do not follow from its entries.
      where: grade
      given: 9 points, and the entries give 1
    ...
    """
    try:
        if not trust:
            _check(data, name)
        texts = {str(entry["label"]): str(entry["given"]) for entry in data["entries"]}
        places = {label: f"the entry {label}" for label in texts}
        return FileAnswers(str(data["sheet"]), MappingProxyType(texts), MappingProxyType(places))
    except DAMAGE:
        raise InputError(f"{name} is not a complete grade.", hint=MAKE_AGAIN) from None


def _check(data: dict[str, Any], name: str) -> None:
    """Refuse the first entry whose points are not those of its verdict, and sums that are not those of the entries."""
    worth: dict[str, float] = {}  # of a right answer, by step
    for entry in data["entries"]:
        share, points = POINTS.get(entry["verdict"]), float(entry["points"])
        if share is None:  # a verdict of another version
            continue
        expected = share * worth.setdefault(entry["step"], points / share if points and share else 1.0)
        if not math.isclose(points, expected):
            given = f"{points:g} points, and the verdict '{entry['verdict']}' gives {expected:g}"
            raise _does_not_hold(
                "the points of an entry do not follow from its verdict", f"{name}, entry {entry['label']}", given
            )
    points, total = float(data["points"]), sum(float(entry["points"]) for entry in data["entries"])
    if not math.isclose(points, total):
        given = f"{points:g} points, and the entries give {total:g}"
        raise _does_not_hold("its points do not follow from its entries", name, given)
    wrong = [entry["step"] for entry in data["entries"] if entry["verdict"] in WRONG]
    if data["first_wrong"] not in (wrong[:1] or [None]):
        given = f"{data['first_wrong']}, and the entries give {wrong[0] if wrong else 'none'}"
        raise _does_not_hold("its first wrong step does not follow from its entries", name, given)


def _does_not_hold(what: str, where: str, given: str) -> InputError:
    hint = f"{MAKE_AGAIN} {READ_AS_IT_IS}"
    return InputError(f"This grade does not hold: {what}.", where=where, given=given, hint=hint)
