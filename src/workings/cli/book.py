"""`workings book`: lessons as one book, from a file that says which."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ..document.blocks import Document
from ..engine.arguments import unknown_choice
from ..engine.errors import InputError
from ..engine.files import shown_path
from ..lessons.cache import kept_document
from ..lessons.contents import names
from .lesson import packaged_lesson
from .output import check_format, write_with_files

if TYPE_CHECKING:
    from ..lessons.book import ChapterPlan

FORMATS = ("pdf", "html", "md", "tex")
FILES = {"book": "workings-book", "workbook": "workings-workbook"}  # without the ending of the format


def write_book(source: str, format: str | None, output: Path | None) -> Path:
    """Make a book and write it, in the format that is named or that the ending of the file implies. A terminal shows
    the progress. Stopped at any moment, it leaves a file that was there before as it is.
    """
    from ..lessons.book import bound, open_book  # loaded only for a book

    format = _format(format, output)
    path = output or Path(f"{FILES.get(source, Path(source).stem)}.{format}")
    check_format(format, path)
    if not os.path.isdir(path.parent):
        raise InputError(
            f"There is no folder {shown_path(path.parent)}.", hint="Make it first, or choose another one with -o."
        )
    plan = open_book(source)
    with _progress(len(plan.chapters) + 1) as show_progress:
        documents = {}
        for chapter, following in pairwise((*plan.chapters, None)):
            assert chapter is not None
            show_progress(chapter.name)
            documents[chapter.name] = _chapter(chapter, plan.folder, following)
        show_progress(f"writing {format}")
        write_with_files(bound(documents, plan), dict, format, path)
    return path


def _format(format: str | None, output: Path | None) -> str:
    ending = output.suffix.lower().lstrip(".") if output is not None else ""
    format = format or {"htm": "html"}.get(ending, ending) or FORMATS[0]
    if format not in FORMATS:
        raise unknown_choice("--format", format, FORMATS)
    return format


def _chapter(chapter: ChapterPlan, folder: Path, following: ChapterPlan | None) -> Document:
    """A lesson, a chapter of the book itself, or a worksheet, from the cache or computed. A worksheet names the chapter
    that follows.
    """
    from ..lessons.book import own_chapter, own_names
    from ..lessons.lesson import lesson

    if chapter.sheet is not None:
        from ..practice.worksheets.chapter import NextChapter, worksheet_chapter

        title = "" if following is None else _title(following, folder)
        next_chapter = NextChapter(following.name, title) if following is not None and title else None
        return worksheet_chapter(chapter.source, folder, **chapter.sheet, following=next_chapter)
    if chapter.source in names():
        return packaged_lesson(chapter.source, quietly=True)
    if chapter.source in own_names():
        return kept_document(chapter.source, "book", lambda: own_chapter(chapter.source))
    path = folder / chapter.source
    if not chapter.source.endswith(".md") or not path.is_file():
        raise InputError(
            f"There is no lesson {shown_path(chapter.source)} for the book.",
            hint=f"Take a lesson of the package, such as {names()[0]}, or a file that ends in .md; its path begins at "
            "the folder of the book's file.",
        )
    return lesson(path).document


def _title(chapter: ChapterPlan, folder: Path) -> str:
    """The title of a chapter that is not made yet; one that has none is not named."""
    from ..lessons.lesson import lesson

    if chapter.sheet is not None and chapter.sheet.get("title"):
        return str(chapter.sheet["title"])
    path = folder / chapter.source
    is_lesson = chapter.source in names() or (chapter.source.endswith(".md") and path.is_file())
    return lesson(chapter.source if chapter.source in names() else path).title if is_lesson else ""


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
