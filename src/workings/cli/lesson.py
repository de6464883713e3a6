"""`workings lesson` and `lessons`: one lesson, and the path through all of them."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from ..document.blocks import Document, Items, Text, Words
from ..document.spans import fill_spans
from ..engine.arguments import unknown_choice
from ..engine.errors import InputError
from ..lessons.cache import kept_document
from ..lessons.contents import names
from .output import give
from .streams import print_note

if TYPE_CHECKING:
    from ..lessons.built import BuiltLesson
    from ..lessons.runs import Numbers


class NumberOptions(NamedTuple):
    """How the numbers of a lesson are computed and shown, where that differs from what the lesson says."""

    digits: int | None = None
    precision: str | None = None
    convention: str | None = None
    numbers: Numbers = "document"


UNCHANGED = NumberOptions()


def check_numbers(numbers: str) -> Numbers:
    """Refuse a set of numbers that no lesson has."""
    from ..lessons.runs import Numbers

    for known in get_args(Numbers):
        if numbers == known:
            return cast("Numbers", known)
    raise unknown_choice("--numbers", numbers, get_args(Numbers))


def give_lesson(
    name: str, options: NumberOptions, format: str, output: Path | None, values: Path | None, blanks: bool = False
) -> bool:
    """Show a lesson, or write it; as a notebook with blanks for code, if wanted. The document of a lesson that comes
    with the package may be in the cache. Whether the checks of the lesson hold; those that do not are named.
    """
    if blanks and format != "ipynb":
        raise InputError(
            f"Only a notebook has blanks, not the format {format}.",
            hint="Add --format ipynb, or leave out --blanks.",
        )
    for path in (output, values):
        if path is not None and os.path.exists(path) and os.path.exists(name) and os.path.samefile(path, name):
            raise InputError(f"{path} is the lesson itself, and would be overwritten.", hint="Choose another name.")
    if name in names() and values is None and format != "json":
        kept = packaged_lesson(name, options)
        give(_with_blanks(kept, blanks), dict, format, output, partial(_offline, name, kept, options))
        return True
    computed = _compute(name, options)
    if values is not None:
        from .trace import write_values

        write_values(computed.values(), values)
    document = computed.document
    offline = partial(_offline, name, document, options)
    give(_with_blanks(document, blanks), computed.to_data, format, output, offline)
    failed = [str(check.line) for check in computed.checks if not check.holds]
    if failed:
        print_note(f"Checks of {name} do not hold: line {', '.join(failed)}.")
    return not failed


def packaged_lesson(name: str, options: NumberOptions = UNCHANGED, quietly: bool = False) -> Document:
    """The document of a lesson that comes with the package, from the cache if it is there. On a terminal, a reader who
    has to wait sees a note, unless it is to be done `quietly`.
    """
    key = " ".join(map(str, options))
    return kept_document(name, key, lambda: _compute(name, options, quietly).document)


def lesson_list() -> Document:
    """The path through the lessons: what each is about, and what it needs."""
    from ..lessons.frame import list_entry
    from ..lessons.lesson import lesson

    entries = tuple((Text(list_entry(lesson(name).file, name)),) for name in names())
    opens = Text(fill_spans("{command} opens one.", command=Words("workings lesson NAME", "code")))
    return Document("Lessons", (Items(entries, counted=True), opens))


def _offline(name: str, document: Document, options: NumberOptions) -> str:
    """The page with the front end of the lab in it."""
    from ..lab.offline.files import lesson_file
    from ..lab.traces.wanted import Wanted
    from ..lessons.lesson import lesson

    digits, precision, convention, numbers = options
    found = lesson(name, digits=digits, precision=precision, convention=convention, numbers=numbers)
    wanted = Wanted(found.name, digits=digits, precision=precision or "", convention=convention or "", numbers=numbers)
    return lesson_file(found, document, wanted)


def _with_blanks(document: Document, blanks: bool) -> Document:
    return replace(document, form="blanks") if blanks else document


def _compute(name: str, options: NumberOptions, quietly: bool = False) -> BuiltLesson:
    from ..conventions import convention
    from ..lessons.lesson import lesson
    from ..lessons.runs import LessonOptions

    if not quietly and sys.stderr.isatty():
        print_note(f"Computing {name} ...")
    chosen = None if options.convention is None else convention(options.convention)
    return lesson(name).build(LessonOptions(options.digits, options.precision, chosen, options.numbers))
