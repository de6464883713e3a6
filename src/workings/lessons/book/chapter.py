"""One lesson as a chapter: its headings, steps and references in the names of the book; its answers, its references and
what its document prints are taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...document.blocks import Block, Fold, Heading, Items, Note, Question, Reference, Spans, Text, Words
from ..frame import REFERENCES, is_foot
from ..rewriting import rewritten, step_located

PRINTED = "what-the-document-prints"  # the anchor of a section
SECTION = 2  # the level of its heading
SENTENCE_END = re.compile(r"(?:^|(?<!e\.g)(?<!i\.e)[.!?]\s+)$")


@dataclass(frozen=True)
class Chapter:
    """A chapter of a part whose chapters have `numbers`, letters or none."""

    name: str
    numbers: str
    number: str
    title: str
    question: str = ""  # that it answers

    @property
    def heading(self) -> str:
        return f"{self.number} {self.title}" if self.number else self.title

    @property
    def reference(self) -> str:
        """How a sentence refers to it."""
        if not self.number:
            return "the beginning of this book"
        return f"appendix {self.number}" if self.numbers == "letters" else f"chapter {self.number}"

    @property
    def answers_title(self) -> str:
        """The heading above its answers."""
        return f"Answers to {self.reference}" if self.number else f"Answers to {self.title}"


@dataclass(frozen=True)
class BookAnswer:
    chapter: Chapter
    number: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def anchor(self) -> str:
        return f"answer.{self.number}"

    @property
    def heading(self) -> str:
        return f"{self.number} {self.title}" if self.title else self.number


@dataclass(frozen=True)
class PrintedInDocument:
    """What the document prints that a chapter follows, in the names of the book."""

    chapter: Chapter
    blocks: tuple[Block, ...]


@dataclass
class EndMatter:
    """What chapters leave for the end of the book. Where it `has_answers`, questions lead to them."""

    has_answers: bool = True
    answers: list[BookAnswer] = field(default_factory=list)
    printed: list[PrintedInDocument] = field(default_factory=list)
    works: list[tuple[Block, ...]] = field(default_factory=list)  # that are cited, each as it is listed


def rewritten_chapter(
    chapter: Chapter, blocks: tuple[Block, ...], chapters: Mapping[str, Chapter], end: EndMatter
) -> Iterator[Block]:
    """The blocks of a lesson under the heading of their chapter, without what goes to the end of the book."""
    yield Heading(2, chapter.heading, chapter.name)
    if chapter.question:
        yield Text((Words(chapter.question, "emphasis"),))
    change = _Change(chapter, chapters, end)
    end.works += [
        entry
        for block in blocks
        if isinstance(block, Fold) and block.title == REFERENCES
        for items in block.blocks
        if isinstance(items, Items)
        for entry in items.entries
    ]
    for anchor, section in _sections(blocks):
        # In a book the next lesson is on the next page.
        changed = [rewritten(block, change) for block in section if not is_foot(block)]
        if anchor == PRINTED:
            end.printed.append(PrintedInDocument(chapter, tuple(changed[1:])))
        else:
            yield from changed


def _sections(blocks: tuple[Block, ...]) -> Iterator[tuple[str, list[Block]]]:
    """The sections of a lesson with their anchors; what comes before the first one has none."""
    anchor, section = "", list[Block]()
    for block in blocks:
        if isinstance(block, Heading) and block.level <= SECTION:
            yield anchor, section
            anchor, section = block.anchor, []
        section.append(block)
    yield anchor, section


class _Change:
    """What becomes of each block and span of a chapter."""

    def __init__(self, chapter: Chapter, chapters: Mapping[str, Chapter], end: EndMatter) -> None:
        self.chapter = chapter
        self.chapters = chapters
        self.end = end
        self.questions = 0

    def __call__(self, item: Any) -> Any:
        if isinstance(item, Heading):
            anchor = f"{self.chapter.name}.{item.anchor}" if item.anchor else ""
            return replace(item, level=item.level + 1, anchor=anchor)
        if isinstance(item, Reference):
            return self._reference(item)
        if isinstance(item, Question):
            return self._question(item)
        if isinstance(item, Text | Note):
            return replace(item, spans=_begun(item.spans))
        return step_located(item, self.chapter.name)

    def _reference(self, item: Reference) -> Reference | Words:
        """To a chapter instead of a lesson. What has words of its own keeps them."""
        if item.address:
            return item
        if not item.lesson:
            return replace(item, anchor=f"{self.chapter.name}.{item.anchor}")
        if item.lesson not in self.chapters:
            return Words(item.text)
        chapter = self.chapters[item.lesson]
        titles = (item.lesson, chapter.title, chapter.title.partition(":")[0])
        text = chapter.reference if item.text in titles else item.text
        anchor = f"{item.lesson}.{item.anchor}" if item.anchor else item.lesson
        return Reference(text, anchor=anchor)

    def _question(self, item: Question) -> Question:
        if not item.answer:
            return item
        self.questions += 1
        answer = BookAnswer(self.chapter, f"{self.chapter.number}.{self.questions}", item.title, item.answer)
        self.end.answers.append(answer)
        there = (Words(" "), Reference("Answer", anchor=answer.anchor)) if self.end.has_answers else ()
        return replace(item, title=answer.heading, spans=_begun(item.spans) + there, answer=(), label="")


def _begun(spans: Spans) -> Spans:
    """A chapter that is named where a sentence begins begins with a capital."""
    before, found = "", []
    for span in spans:
        if isinstance(span, Reference) and span.anchor and SENTENCE_END.search(before):
            span = replace(span, text=span.text[:1].upper() + span.text[1:])  # noqa: PLW2901 - the same one
        found.append(span)
        before += span.text
    return tuple(found)
