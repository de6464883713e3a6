"""What a book contains: its title page, its parts and their chapters, read from a YAML file such as book.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

from ...engine.errors import LessonError, did_you_mean
from ...engine.files import read_user_text
from ...scenarios.reading.location import place
from ...scenarios.reading.yaml_tree import MappingNode, YamlNode, data_of, read_yaml

FOLDER = Path(str(resources.files(__package__)))
PACKAGED = {"book": "book.yaml", "workbook": "workbook.yaml"}  # books that come with the package
MAX_BOOK_BYTES, MAX_CHAPTERS = 1_000_000, 500
Numbers = Literal["numbers", "letters", "none"]
BOOK_KEYS = ("title", "subtitle", "author", "rights", "answers", "index", "parts", "chapters")
PART_KEYS = ("title", "about", "numbers", "chapters")
SHEET_KEYS = ("worksheet", "seed", "run", "blanks", "digits", "lines", "training_step", "title", "about")


@dataclass(frozen=True)
class ChapterPlan:
    """A lesson by its name or file, or, with a `sheet`, a worksheet for it."""

    source: str
    sheet: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """The anchor of the chapter.

        >>> ChapterPlan("lessons/my-lesson.md").name
        'my-lesson'
        """
        stem = Path(self.source).stem if self.source.endswith(".md") else self.source
        return stem if self.sheet is None else f"worksheet-{stem}-{self.sheet.get('seed', 0)}"


@dataclass(frozen=True)
class PartPlan:
    """Chapters under a title, numbered, lettered as appendices are, or without a number. One without a title has no
    page of its own.
    """

    title: str
    about: str
    numbers: Numbers
    chapters: tuple[ChapterPlan, ...]


@dataclass(frozen=True)
class BookPlan:
    title: str
    subtitle: str
    author: str
    rights: str
    parts: tuple[PartPlan, ...]
    has_answers: bool = True
    has_index: bool = True
    folder: Path = FOLDER  # where the files of its own chapters are

    @property
    def chapters(self) -> tuple[ChapterPlan, ...]:
        return tuple(chapter for part in self.parts for chapter in part.chapters)


@cache
def packaged_book(name: str = "book") -> BookPlan:
    """A book that comes with the package.

    >>> packaged_book().chapters[1].name
    'why-transformers'
    """
    return read_book((FOLDER / PACKAGED[name]).read_text(encoding="utf-8"), PACKAGED[name], FOLDER)


def open_book(source: str) -> BookPlan:
    """A book by its name or its file."""
    if source in PACKAGED:
        return packaged_book(source)
    if not source.endswith((".yaml", ".yml")):
        raise LessonError(
            f"There is no book '{source[:80]}'.",
            hint=f"{did_you_mean(source, PACKAGED)}The books are {', '.join(PACKAGED)}; a book of your own is a file "
            "that ends in .yaml.",
        )
    path = Path(source)
    return read_book(read_user_text(path, MAX_BOOK_BYTES), path.name, path.parent)


def read_book(text: str, name: str, folder: Path) -> BookPlan:
    r"""A book from the text of its file.

    >>> read_book("title: Attention\nchapters: [example-1, mine.md]\n", "book.yaml", Path()).chapters[1].name
    'mine'
    """
    tree = read_yaml(text, name)
    _check_keys(tree, BOOK_KEYS, name)
    data = data_of(tree)
    title = _text(data, "title", name)
    if not title:
        raise LessonError("The book has no title.", hint="Begin the file with title: and a name.", where=place(name, 1))
    if ("parts" in data) == ("chapters" in data):
        raise LessonError(
            "A book has either parts or chapters.",
            hint="Write chapters: with a list of lessons; or parts:, each with a title and chapters of its own.",
            where=place(name, 1),
        )
    plan = BookPlan(
        title=title,
        subtitle=_text(data, "subtitle", name),
        author=_text(data, "author", name),
        rights=_text(data, "rights", name),
        parts=_parts(tree, data, name),
        has_answers=_flag(data, "answers", name),
        has_index=_flag(data, "index", name),
        folder=folder,
    )
    _check_chapters(plan, name)
    return plan


def _parts(tree: MappingNode, data: Mapping[str, Any], name: str) -> tuple[PartPlan, ...]:
    if "chapters" in data:
        return (PartPlan("", "", "numbers", _chapters(tree.entries["chapters"], data["chapters"], name)),)
    nodes = getattr(tree.entries["parts"], "items", ())
    if not isinstance(data["parts"], tuple) or not nodes:
        raise LessonError(
            "`parts` is not a list.", hint="Begin each part with - title:.", where=_at(tree, "parts", name)
        )
    parts = []
    for node, part in zip(nodes, data["parts"], strict=True):
        if not isinstance(part, dict) or "chapters" not in part or not part.get("title"):
            raise LessonError(
                "A part needs a title and chapters.",
                hint="Write - title: NAME, and below it chapters: [example-1, example-2].",
                where=place(name, node.line),
            )
        _check_keys(node, PART_KEYS, name)
        numbers = part.get("numbers", "numbers")
        if numbers not in get_args(Numbers):
            raise LessonError(
                "The chapters of a part cannot be numbered like this.",
                hint=f"Write numbers: and one of {', '.join(get_args(Numbers))}.",
                given=str(numbers)[:40],
                where=_at(node, "numbers", name),
            )
        chapters = _chapters(node.entries["chapters"], part["chapters"], name)
        parts.append(PartPlan(_text(part, "title", name), _text(part, "about", name), numbers, chapters))
    return tuple(parts)


def _chapters(node: YamlNode, data: Any, name: str) -> tuple[ChapterPlan, ...]:
    if not isinstance(data, tuple) or not data:
        raise LessonError(
            "`chapters` is not a list of lessons.", hint="Write chapters: [example-1, my-lesson.md].",
            where=place(name, node.line),
        )  # fmt: skip
    found = []
    for item, entry in zip(getattr(node, "items", ()), data, strict=True):
        if isinstance(entry, str):
            found.append(ChapterPlan(entry))
        elif isinstance(entry, dict) and isinstance(entry.get("worksheet"), str):
            _check_keys(item, SHEET_KEYS, name)
            settings = {key: value for key, value in entry.items() if key != "worksheet"}
            found.append(ChapterPlan(entry["worksheet"], settings))
        else:
            raise LessonError(
                "A chapter is the name of a lesson, a file, or a worksheet.",
                hint="Write - example-1, - my-lesson.md, or - {worksheet: example-1, seed: 7}.",
                where=place(name, item.line),
            )
    return tuple(found)


def _check_chapters(plan: BookPlan, name: str) -> None:
    names = [chapter.name for chapter in plan.chapters]
    twice = next((one for one in names if names.count(one) > 1), "")
    if twice:
        raise LessonError(
            f"The chapter {twice} is in the book twice.",
            hint="Leave one of them out, or give a worksheet another seed.",
            where=name,
        )
    if len(names) > MAX_CHAPTERS:
        raise LessonError(f"The book has {len(names)} chapters.", hint=f"At most {MAX_CHAPTERS} fit.", where=name)


def _check_keys(node: YamlNode, keys: tuple[str, ...], name: str) -> None:
    for key in getattr(node, "entries", {}):
        if key not in keys:
            raise LessonError(
                f"There is no key '{key[:40]}' here.",
                hint=f"{did_you_mean(key, keys)}The keys are {', '.join(keys)}.",
                where=_at(node, key, name),
            )


def _text(data: Mapping[str, Any], key: str, name: str) -> str:
    text = data.get(key) or ""
    if not isinstance(text, str | int | float):
        raise LessonError(f"`{key}` is not a text.", hint=f"Write {key}: and some words.", where=name)
    return str(text)


def _flag(data: Mapping[str, Any], key: str, name: str) -> bool:
    value = data.get(key, "yes")
    if value not in ("yes", "no", True, False):
        raise LessonError(f"`{key}` takes yes or no.", hint=f"Write {key}: no to leave it out.", where=name)
    return value in ("yes", True)


def _at(node: YamlNode, key: str, name: str) -> str:
    return place(name, getattr(node, "lines", {}).get(key, getattr(node, "line", 1)))
