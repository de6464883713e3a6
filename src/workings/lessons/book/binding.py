"""The lessons bound into one document.

Parts are headings of the first level, chapters of the second. The anchor of a chapter is the name of its lesson, that
of a section is `example-1.goal`, and step 17 of the run `twin` of a lesson is `example-1:twin:17`. Answers move to the
end, and what leads to another lesson leads to its chapter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path

from ...document.blocks import Block, Document, Heading, Text, Words
from ..contents import PART_PAGES, PARTS, names
from ..lesson import lesson
from .answers import answers_chapter
from .chapter import BookAnswer, Chapter, rewritten_chapter
from .index import index_chapter

FOLDER = Path(str(resources.files(__package__)))
OF_THE_BOOK = FRONT, END = "preface", "conclusion"  # chapters that are no lessons: files in this folder
APPENDICES = "appendices"
CONTENTS: dict[str, tuple[str, ...]] = {"front": (FRONT,), **PARTS, "pieces": (*PARTS["pieces"], END)}


def chapters() -> tuple[str, ...]:
    """The chapters that come with the package, in their order."""
    there = (*names(), *OF_THE_BOOK)
    return tuple(name for part in CONTENTS.values() for name in part if name in there)


def own_chapter(name: str) -> Document:
    """A chapter that is no lesson: it has no head that speaks of minutes and digits, and begins with its first
    heading.
    """
    document = lesson(FOLDER / f"{name}.md").build().document
    first = next(n for n, block in enumerate(document.blocks) if isinstance(block, Heading))
    return replace(document, blocks=document.blocks[first:])


def bound(documents: Mapping[str, Document]) -> Document:
    """The book of these chapters, in the order of the book. Chapters that are not given are left out."""
    numbered = {chapter.name: chapter for chapter in _numbered(documents)}
    blocks: list[Block] = []
    answers: list[BookAnswer] = []
    for part, of_part in CONTENTS.items():
        there = [name for name in of_part if name in numbered]
        if there:
            blocks += _part(part)
        for name in there:
            blocks += rewritten_chapter(numbered[name], documents[name].blocks, numbered, answers)
    blocks += answers_chapter(answers, _letter(len(PARTS[APPENDICES])))
    blocks += index_chapter(numbered, blocks)
    return Document(
        "The transformer that shows its workings",
        tuple(blocks),
        subtitle="From two small matrices to a whole model, with examples that you can calculate by hand",
        form="book",
    )


def _numbered(documents: Mapping[str, Document]) -> Iterator[Chapter]:
    """The chapters with their numbers: the appendices have letters, the preface has none."""
    count = 0
    for part, of_part in CONTENTS.items():
        for place, name in enumerate(of_part):
            if part not in ("front", APPENDICES):
                count += 1
            number = {"front": "", APPENDICES: _letter(place)}.get(part, str(count))
            if name in documents:
                yield Chapter(name, part, number, documents[name].title)


def _letter(place: int) -> str:
    return chr(ord("A") + place)


def _part(name: str) -> Iterator[Block]:
    title, about = PART_PAGES[name]
    yield Heading(1, title, f"part.{name}")
    yield Text((Words(about),))


__all__ = ["FOLDER", "OF_THE_BOOK", "bound", "chapters", "own_chapter"]
