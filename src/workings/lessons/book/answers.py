"""The answers of all exercises, at the end of the book."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ...document.blocks import Block, Heading, Text, Words
from .chapter import BookAnswer

NAME = "answers"


def answers_chapter(answers: list[BookAnswer], letter: str) -> Iterator[Block]:
    """Answers, chapter by chapter; nothing if nobody asked."""
    if not answers:
        return
    yield Heading(2, f"{letter} Answers", NAME)
    yield Text((Words("One answer for each exercise and each question of the book, in their order."),))
    for chapter, given in groupby(answers, key=lambda answer: answer.chapter):
        yield Heading(3, f"Answers of {chapter.reference}", f"{NAME}.{chapter.name}")
        for answer in given:
            yield Heading(4, answer.heading, answer.anchor)
            yield from answer.blocks
