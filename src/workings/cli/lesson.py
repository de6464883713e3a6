"""`workings lesson`, `lessons`, `new-lesson`: one lesson, the path through all of them, a new one."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from ..engine.errors import InputError
from ..engine.sentences import say
from ..explain.document import Document, Items, Text, Words
from ..explain.sentences import say_spans
from ..teach.cache import kept_document
from ..teach.shelf import names
from .new_file import can_be_name, write_template

if TYPE_CHECKING:
    from ..teach.written import Written

TEMPLATE = resources.files("workings.teach") / "templates" / "lesson.md"


def lesson_called(name: str, digits: int | None, precision: str | None, profile: str | None) -> Written:
    """A lesson worked out, as it was asked for."""
    from ..conventions import convention
    from ..teach.lesson import lesson
    from ..teach.runs import Asked

    return lesson(name).written(Asked(digits, precision, None if profile is None else convention(profile)))


def lesson_page(
    name: str, digits: int | None, precision: str | None, profile: str | None, cells: bool = False
) -> Document:
    """The document of a lesson, with hand calculations to be opened if `cells` are wanted. One of the package may be
    kept from before; then nothing is computed.
    """

    def make(cells: bool) -> Document:
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(say("cli.lesson.first", name=name) + "\n")
        written = lesson_called(name, digits, precision, profile)
        return written.with_cells() if cells else written.document

    return kept_document(name, f"{digits} {precision} {profile}", make, cells) if name in names() else make(cells)


def lesson_list() -> Document:
    """The path through the lessons: what each is about, and what it needs."""
    from ..teach.frame import list_entry
    from ..teach.lesson import lesson

    entries = tuple((Text(list_entry(lesson(name).file, name)),) for name in names())
    opens = Text(say_spans("lesson.list.open", command=Words("workings lesson NAME", "code")))
    return Document(say("lesson.list"), (Items(entries, counted=True), opens))


def write_lesson(name: str) -> Path:
    """Write a lesson to start from under a name, unless something is there already."""
    if not can_be_name(name):
        raise InputError("input.lesson.name", name=name)
    path = Path(name) if name.endswith(".md") else Path(f"{name}.md")
    write_template(TEMPLATE, path)
    return path
