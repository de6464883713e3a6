"""One lesson as a chapter: its headings, steps and references in the names of the book, its answers taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...document.blocks import Block, Heading, Note, Question, Reference, Spans, Text, Words
from ..frame import is_foot
from ..rewriting import rewritten, step_located

SENTENCE_END = re.compile(r"(?:^|(?<!e\.g)(?<!i\.e)[.!?]\s+)$")


@dataclass(frozen=True)
class Chapter:
    name: str
    part: str
    number: str
    title: str

    @property
    def heading(self) -> str:
        return f"{self.number} {self.title}" if self.number else self.title

    @property
    def reference(self) -> str:
        """How a sentence refers to it."""
        if self.part == "front":
            return "the beginning of this book"
        return f"appendix {self.number}" if self.part == "appendices" else f"chapter {self.number}"


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


def rewritten_chapter(
    chapter: Chapter, blocks: tuple[Block, ...], chapters: Mapping[str, Chapter], answers: list[BookAnswer]
) -> Iterator[Block]:
    """The blocks of a lesson under the heading of their chapter. Its answers are added to `answers`."""
    yield Heading(2, chapter.heading, chapter.name)
    change = _Change(chapter, chapters, answers)
    for block in blocks:
        if not is_foot(block):  # in a book the next lesson stands on the next page
            yield rewritten(block, change)


class _Change:
    """What becomes of each block and span of a chapter."""

    def __init__(self, chapter: Chapter, chapters: Mapping[str, Chapter], answers: list[BookAnswer]) -> None:
        self.chapter = chapter
        self.chapters = chapters
        self.answers = answers
        self.options = 0

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
        text = chapter.reference if item.text in (item.lesson, chapter.title) else item.text
        anchor = f"{item.lesson}.{item.anchor}" if item.anchor else item.lesson
        return Reference(text, anchor=anchor)

    def _question(self, item: Question) -> Question:
        if not item.answer:
            return item
        self.options += 1
        answer = BookAnswer(self.chapter, f"{self.chapter.number}.{self.options}", item.title, item.answer)
        self.answers.append(answer)
        there = (Words(" "), Reference("Answer", anchor=answer.anchor))
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
