"""The chapters of a book bound into one document.

Parts are headings of the first level, chapters of the second. The anchor of a chapter is the name of its lesson, that
of a section is `example-1.goal`, and step 17 of the run `twin` of a lesson is `example-1:twin:17`. Answers move to the
end, and so does what a document prints; what leads to another lesson leads to its chapter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...document.blocks import Block, Document, Heading, Items, Text, Words, plain_text
from ..lesson import lesson
from .answers import answers_chapter
from .chapter import Chapter, EndMatter, rewritten_chapter
from .index import index_chapter
from .numbering import numbered
from .plan import FOLDER, BookPlan, packaged_book
from .sources import sources_chapter


def own_names() -> tuple[str, ...]:
    """The chapters of the packaged book that are no lessons: files in this folder."""
    return tuple(chapter.name for chapter in packaged_book().chapters if (FOLDER / f"{chapter.name}.md").is_file())


def own_chapter(name: str) -> Document:
    """A chapter that is no lesson: it has no head that speaks of minutes and digits, and begins with its first
    heading.
    """
    document = lesson(FOLDER / f"{name}.md").build().document
    first = next(n for n, block in enumerate(document.blocks) if isinstance(block, Heading))
    return replace(document, blocks=document.blocks[first:])


def bound(documents: Mapping[str, Document], plan: BookPlan | None = None) -> Document:
    """The book of these chapters, in the order of its plan. Chapters that are not given are left out."""
    plan = plan or packaged_book()
    chapters = {chapter.name: chapter for chapter in _numbered(documents, plan)}
    blocks: list[Block] = []
    end = EndMatter(plan.has_answers)
    for part in plan.parts:
        there = [chapter.name for chapter in part.chapters if chapter.name in chapters]
        if there and part.title:
            blocks += _part(part.title, part.about)
        for name in there:
            blocks += rewritten_chapter(chapters[name], documents[name].blocks, chapters, end)
    letters = sum(len(part.chapters) for part in plan.parts if part.numbers == "letters")
    answers = end.answers if plan.has_answers else []
    for made in (sources_chapter(end.printed), answers_chapter(answers), _bibliography(end.works)):
        chapter = list(made)
        if chapter and isinstance(chapter[0], Heading):
            blocks += [replace(chapter[0], text=f"{_letter(letters)} {chapter[0].text}"), *chapter[1:]]
            letters += 1
    blocks += index_chapter(chapters, blocks) if plan.has_index else ()
    return Document(
        plan.title,
        numbered(tuple(blocks)),
        subtitle=plan.subtitle,
        form="book",
        author=plan.author,
        rights=plan.rights,
    )


def _numbered(documents: Mapping[str, Document], plan: BookPlan) -> Iterator[Chapter]:
    """The chapters with their numbers or letters."""
    count = letters = 0
    for part in plan.parts:
        for chapter in part.chapters:
            count += part.numbers == "numbers"
            letters += part.numbers == "letters"
            number = {"numbers": str(count), "letters": _letter(letters - 1), "none": ""}[part.numbers]
            if chapter.name in documents:
                document = documents[chapter.name]
                yield Chapter(chapter.name, part.numbers, number, document.title, document.subtitle)


def _letter(place: int) -> str:
    return chr(ord("A") + place)


def _bibliography(works: list[tuple[Block, ...]]) -> Iterator[Block]:
    """Every work that the book cites, by author."""
    if works:
        yield Heading(2, "Bibliography", "bibliography")
        yield Items(tuple(sorted(dict.fromkeys(works), key=_as_text)))


def _as_text(entry: tuple[Block, ...]) -> str:
    return " ".join(plain_text(block.spans) for block in entry if isinstance(block, Text))


def _part(title: str, about: str) -> Iterator[Block]:
    yield Heading(1, title, f"part.{'-'.join(title.lower().split())}")
    if about:
        yield Text((Words(about),))
