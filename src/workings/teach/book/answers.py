"""The answers of all exercises, at the end of the book."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ...explain.document import Block, Heading, Text, Words
from .chapter import Answer
from .sentences import say

NAME = "answers"


def answers_chapter(answers: list[Answer], letter: str) -> Iterator[Block]:
    """Answers, chapter by chapter; nothing if nobody asked."""
    if not answers:
        return
    yield Heading(2, say("book.chapter", number=letter, title=say("book.answers")), NAME)
    yield Text((Words(say("book.answers.about")),))
    for chapter, given in groupby(answers, key=lambda answer: answer.chapter):
        yield Heading(3, say("book.answers.of", chapter=chapter.called), f"{NAME}.{chapter.name}")
        for answer in given:
            yield Heading(4, answer.heading, answer.anchor)
            yield from answer.blocks
