"""The answers of all exercises, at the end of the book."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ...document.blocks import Block, Heading, Text, Words
from .chapter import BookAnswer

NAME = "answers"


def answers_chapter(answers: list[BookAnswer]) -> Iterator[Block]:
    """Answers, chapter by chapter; nothing if nobody asked."""
    if not answers:
        return
    yield Heading(2, "Answers", NAME)
    yield Text((Words("The answers to all questions, exercises and worksheets, chapter by chapter."),))
    for chapter, given in groupby(answers, key=lambda answer: answer.chapter):
        yield Heading(3, chapter.answers_title, f"{NAME}.{chapter.name}")
        for answer in given:
            yield Heading(4, answer.heading, answer.anchor)
            yield from answer.blocks
