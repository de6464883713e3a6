"""`workings lesson`, `lessons`, `new-lesson`: one lesson, the path through all of them, a new one."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..engine.errors import InputError
from ..engine.sentences import say
from ..explain.document import Document, Items, Text, Words
from ..explain.sentences import say_spans
from ..teach.cache import kept_document
from ..teach.shelf import names
from .new_file import can_be_name, write_template
from .output import give

if TYPE_CHECKING:
    from ..teach.written import Written

TEMPLATE = resources.files("workings.teach") / "templates" / "lesson.md"


Wishes: TypeAlias = tuple[int | None, str | None, str | None]  # digits, precision, convention


def give_lesson(
    name: str, wishes: Wishes, format: str, output: Path | None, values: Path | None, blanks: bool = False
) -> bool:
    """Show a lesson, or write it, if wanted with blanks for code. One of the package may be kept from before; then
    nothing is computed. Of any other, whether its checks hold: if not, they are told.
    """
    if blanks and format != "ipynb":
        raise InputError("input.blanks", format=format)
    for path in (output, values):
        if path is not None and path.exists() and Path(name).exists() and path.samefile(name):
            raise InputError("output.lesson", path=path)
    if name in names() and values is None and format != "json":
        kept = kept_lesson(name, wishes)
        give(_with_blanks(kept, blanks), dict, format, output, partial(_offline, name, kept, wishes))
        return True
    written = _worked_out(name, wishes)
    if values is not None:
        from .trace import write_values

        write_values(written.values(), values)
    document = written.document
    offline = partial(_offline, name, document, wishes)
    give(_with_blanks(document, blanks), written.to_data, format, output, offline)
    lines = [str(check.line) for check in written.checks if not check.holds]
    if lines and sys.stderr is not None:
        sys.stderr.write(say("cli.lesson.checks", name=name, lines=", ".join(lines)) + "\n")
    return not lines


def _offline(name: str, document: Document, wishes: Wishes) -> str:
    """The page with the front end of the lab in it."""
    from ..lab.offline_files import lesson_file
    from ..lab.wanted import Wanted
    from ..teach.lesson import lesson

    digits, precision, profile = wishes
    found = lesson(name, digits=digits, precision=precision, convention=profile)
    wanted = Wanted(found.name, digits=digits, precision=precision or "", convention=profile or "")
    return lesson_file(found, document, wanted)


def _with_blanks(document: Document, blanks: bool) -> Document:
    return replace(document, form="blanks") if blanks else document


def _worked_out(name: str, wishes: Wishes, quietly: bool = False) -> Written:
    from ..conventions import convention
    from ..teach.lesson import lesson
    from ..teach.runs import Asked

    if not quietly and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(say("cli.lesson.first", name=name) + "\n")
    digits, precision, profile = wishes
    return lesson(name).written(Asked(digits, precision, None if profile is None else convention(profile)))


def kept_lesson(name: str, wishes: Wishes = (None, None, None), quietly: bool = False) -> Document:
    """The document of a lesson of the package. On a terminal, a reader who has to wait is told so, unless it is to be
    done `quietly`.
    """
    return kept_document(name, " ".join(map(str, wishes)), lambda: _worked_out(name, wishes, quietly).document)


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
