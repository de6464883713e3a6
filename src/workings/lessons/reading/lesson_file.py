"""A lesson as a file: what stands in its head, and the text below it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...engine.errors import LessonError, WorkingsError, did_you_mean
from ...scenarios.reading.location import place
from ...scenarios.reading.yaml_tree import data_of, read_yaml
from .entry import MOST_DIGITS, no_digits

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
KINDS: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "question": (str,),
    "about": (str,),
    "minutes": (int,),
    "needs": (str, tuple),
    "next": (str,),
    "scenario": (str,),
    "digits": (int,),
    "calculator": (str,),
    "practice": (str,),
    "bibliography": (str,),
}
LARGEST = 2_000_000  # characters


@dataclass(frozen=True)
class LessonFile:
    """The head of a lesson, and its text. `name` is what errors call it, `folder` where its other files stand."""

    name: str
    text: str
    folder: Path | None = None
    title: str = ""
    question: str = ""  # that it answers
    about: str = ""  # the answer in one sentence
    minutes: int = 0
    needs: tuple[str, ...] = ()
    next: str = ""
    scenario: str = ""
    digits: int = 4
    lines: Mapping[str, int] = field(default_factory=dict)  # on which each key of the head stands
    calculator: str = ""  # the fewest digits with which its checks hold: "5 significant"
    practice: str = ""  # the run that worksheets ask for; else the one with distinguishing numbers, or the main run
    bibliography: str = ""  # a file with works that it cites, besides those of the package


def read_lesson(text: str, name: str, folder: Path | None = None) -> LessonFile:
    r"""A lesson from its text.

    >>> read_lesson("---\ntitle: Shares\nneeds: example-1\n---\n# Goal\n", "shares.md").needs
    ('example-1',)
    """
    text = text.removeprefix("\ufeff")
    if len(text) > LARGEST:
        raise LessonError(
            f"The lesson has {len(text)} characters.", hint=f"Divide it: at most {LARGEST} can be read.", where=name
        )
    front = _FRONT.match(text)
    if front is None and text.startswith("---"):
        raise LessonError(
            "The head of the lesson is not closed.", hint="Write another line --- below its keys.", where=place(name, 1)
        )
    if front is None or not front[1].strip():
        raise LessonError(
            "The lesson does not begin with a head.",
            hint="Begin the file with a line ---, then title: and scenario:, then another line ---.",
            where=place(name, 1),
        )
    # The lines before it are kept empty, so that errors name the lines of the file.
    entries = read_yaml("\n" + front[1], name)
    values: dict[str, Any] = {}
    for key, node in entries.entries.items():
        where = place(name, entries.lines[key], key)
        if key not in KINDS:
            raise LessonError(
                f"The head of a lesson has no key '{key}'.",
                hint=f"{did_you_mean(key, KINDS)}The keys are {', '.join(KINDS)}.",
                where=where,
            )
        value = data_of(node)
        if not isinstance(value, KINDS[key]) or isinstance(value, bool):
            raise LessonError(
                f"'{key}' cannot have this value.",
                hint=f"It takes one of this kind: {KINDS[key][0].__name__}.",
                where=where,
                given=repr(value)[:60],
            )
        values[key] = value
    needs = values.pop("needs", ())
    values["needs"] = tuple(needs.split()) if isinstance(needs, str) else tuple(map(str, needs))
    if not values.get("title"):
        raise LessonError(
            "The lesson has no title.",
            hint="Write one into its head: title: What this lesson is about.",
            where=place(name, 1),
        )
    if not 1 <= values.get("digits", 4) <= MOST_DIGITS:
        raise placed(no_digits(values["digits"]), name, entries.lines["digits"])
    return LessonFile(name, text, folder, lines=dict(entries.lines), **values)


def placed(error: WorkingsError, name: str, line: int) -> WorkingsError:
    """The error with the line of the lesson at which it came up, unless it knows one already."""
    if not error.where.startswith(name):
        error.where = ", ".join(part for part in (place(name, line), error.where) if part)
    return error
