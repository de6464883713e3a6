"""`workings book`: all lessons as one file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ..document.blocks import Document
from ..engine.arguments import unknown_choice
from ..engine.errors import InputError
from ..engine.files import shown_path, write_user_file
from ..lessons.cache import kept_document
from .lesson import packaged_lesson
from .output import WRITERS, check_format

FORMATS = ("pdf", "html", "md")
FILE = "workings-book"  # and the ending of its format


def write_book(format: str | None, output: Path | None) -> Path:
    """Make the book and write it, in the format that is named or that the ending of the file implies. A terminal shows
    the progress. Stopped at any moment, it leaves a file that was there before as it is.
    """
    format = _format(format, output)
    path = output or Path(f"{FILE}.{format}")
    check_format(format, path)
    if not os.path.isdir(path.parent):
        raise InputError(
            f"There is no folder {shown_path(path.parent)}.", hint="Make it first, or choose another one with -o."
        )
    from ..lessons.book import bound, chapters  # loaded only for a book

    with _progress(len(chapters()) + 1) as show_progress:
        documents = {}
        for name in chapters():
            show_progress(name)
            documents[name] = _chapter(name)
        show_progress(f"writing {format}")
        content = WRITERS[format](bound(documents), dict, "utf-8")
    write_user_file(path, content)
    return path


def _format(format: str | None, output: Path | None) -> str:
    ending = output.suffix.lower().lstrip(".") if output is not None else ""
    format = format or {"htm": "html"}.get(ending, ending) or FORMATS[0]
    if format not in FORMATS:
        raise unknown_choice("--format", format, FORMATS)
    return format


def _chapter(name: str) -> Document:
    """A lesson, or a chapter of the book itself, from the cache or computed."""
    from ..lessons.book import OF_THE_BOOK, own_chapter

    if name not in OF_THE_BOOK:
        return packaged_lesson(name, quietly=True)
    return kept_document(name, "book", lambda: own_chapter(name))


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[str], None]]:
    """A function that shows what is made next: a bar on a terminal, and nothing elsewhere."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=steps, completed=-1)

        def show_progress(part: str) -> None:
            bar.update(task, description=part, advance=1)
            bar.refresh()

        yield show_progress
