"""`workings book`: all lessons as one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ..engine.errors import InputError
from ..engine.sentences import say
from ..explain.document import Document
from ..teach.cache import kept_document
from .lesson import kept_lesson
from .output import WRITERS, check_format, write_whole

FORMATS = ("pdf", "html", "md")
FILE = "workings-book"  # and the ending of its format


def book_called(format: str | None, output: Path | None) -> Path:
    """Make the book, and write it: as the ending of the file says, unless a format is asked for. Whoever waits at a
    terminal sees how far it is. Stopped at any moment, it leaves what was there before.
    """
    format = _format(format, output)
    path = output or Path(f"{FILE}.{format}")
    check_format(format, path)
    if not path.parent.is_dir():
        raise InputError("book.folder", folder=path.parent)
    from ..teach.book import bound, chapters  # only who asks for it waits until it is loaded

    with _progress(len(chapters()) + 1) as progress:
        documents = {}
        for name in chapters():
            progress(name)
            documents[name] = _chapter(name)
        progress(say("cli.book.setting", format=format))
        content = WRITERS[format](bound(documents), dict, "utf-8")
    write_whole(path, content)
    return path


def _format(format: str | None, output: Path | None) -> str:
    """The format that is meant; another is refused."""
    ending = output.suffix.lower().lstrip(".") if output is not None else ""
    format = format or {"htm": "html"}.get(ending, ending) or FORMATS[0]
    if format not in FORMATS:
        raise InputError("book.format", format=format, formats=", ".join(FORMATS))
    return format


def _chapter(name: str) -> Document:
    """A lesson, or a chapter of the book itself; kept from before, or worked out."""
    from ..teach.book import OF_THE_BOOK, own_chapter

    if name not in OF_THE_BOOK:
        return kept_lesson(name, quietly=True)
    return kept_document(name, "book", lambda: own_chapter(name))


class Told(Protocol):
    """Is told what comes next."""

    def __call__(self, what: str) -> None: ...


@contextmanager
def _progress(steps: int) -> Iterator[Told]:
    """A bar on the terminal; it says what is being made, and what went before it is done. Elsewhere nothing is said."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=steps, completed=-1)

        def told(what: str) -> None:
            bar.update(task, description=what, advance=1)
            bar.refresh()

        yield told
