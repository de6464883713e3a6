"""A lesson as a file: what stands in its head, and the text below it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...engine.errors import LessonError, WorkingsError
from ...models.reading.likely import likely
from ...models.reading.yaml_reading import data_of, place, read_yaml

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
KINDS: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "about": (str,),
    "minutes": (int,),
    "needs": (str, tuple),
    "next": (str,),
    "scenario": (str,),
    "digits": (int,),
    "calculator": (str,),
    "practice": (str,),
}
LARGEST = 2_000_000  # characters


@dataclass(frozen=True)
class LessonFile:
    """The head of a lesson, and its text. `name` is what errors call it, `folder` where its other files stand."""

    name: str
    text: str
    folder: Path | None = None
    title: str = ""
    about: str = ""
    minutes: int = 0
    needs: tuple[str, ...] = ()
    next: str = ""
    scenario: str = ""
    digits: int = 4
    lines: Mapping[str, int] = field(default_factory=dict)  # on which each key of the head stands
    calculator: str = ""  # the fewest digits with which its checks hold: "5 significant"
    practice: str = ""  # the run that worksheets ask for; else the telling twin, or the main run


def read_lesson(text: str, name: str, folder: Path | None = None) -> LessonFile:
    r"""A lesson from its text.

    >>> read_lesson("---\ntitle: Shares\nneeds: example-1\n---\n# Goal\n", "shares.md").needs
    ('example-1',)
    """
    text = text.removeprefix("\ufeff")
    if len(text) > LARGEST:
        raise LessonError("lesson.long", count=len(text), most=LARGEST, where=name)
    front = _FRONT.match(text)
    if front is None and text.startswith("---"):
        raise LessonError("lesson.front.open", where=place(name, 1))
    if front is None or not front[1].strip():
        raise LessonError("lesson.front", where=place(name, 1))
    # The lines before it are kept empty, so that errors name the lines of the file.
    entries = read_yaml("\n" + front[1], name)
    values: dict[str, Any] = {}
    for key, node in entries.entries.items():
        where = place(name, entries.lines[key], key)
        if key not in KINDS:
            near = likely(key, KINDS)
            wrong = "lesson.key" if near else "lesson.key.none"
            raise LessonError(wrong, word=key, nearest=near, keys=", ".join(KINDS), where=where)
        value = data_of(node)
        if not isinstance(value, KINDS[key]) or isinstance(value, bool):
            raise LessonError(
                "lesson.value", word=key, kind=KINDS[key][0].__name__, where=where, given=repr(value)[:60]
            )
        values[key] = value
    needs = values.pop("needs", ())
    values["needs"] = tuple(needs.split()) if isinstance(needs, str) else tuple(map(str, needs))
    if not values.get("title"):
        raise LessonError("lesson.title", where=place(name, 1))
    if not 1 <= values.get("digits", 4) <= 17:
        raise LessonError("lesson.digits", digits=values["digits"], most=17, where=place(name, entries.lines["digits"]))
    return LessonFile(name, text, folder, lines=dict(entries.lines), **values)


def placed(error: WorkingsError, name: str, line: int) -> WorkingsError:
    """The error with the line of the lesson at which it came up, unless it knows one already."""
    if not error.where.startswith(name):
        error.where = ", ".join(part for part in (place(name, line), error.where) if part)
    return error
