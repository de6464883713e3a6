"""What all tasks share: pairs are drawn in bulk, as rows of whole numbers, and only then written as texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy

from ...engine.arrays import Array
from ...engine.errors import CallError, DataError
from ...engine.sentences import add_sentences, say
from ...engine.settings import MOST
from ...ops.drawing import Draws
from ...text import Vocabulary
from . import split
from .pair import Pair

SPECIAL = PADDING, START, END = ("<pad>", "<s>", "</s>")
ROUND = 2**16  # rows that are drawn at once, at most: the memory that this takes stays small
PATIENCE = 100  # rounds without a single row that fits, until the search is given up

add_sentences("task", {"held_out": "held out", "left": "left to train on"})


@dataclass(frozen=True)
class Task(ABC):
    """Questions that a program can make up, and answer. One tenth of them is held out to test with.

    A task says how to draw rows of numbers, by which of them two questions are the same thing to learn, and how a
    row is written as a question and its answer.
    """

    name: ClassVar[str]

    @property
    def about(self) -> str:
        """What is to be learnt, in a sentence.

        >>> from workings.train.data import Sort
        >>> Sort().about
        'Put a row of symbols in order.'
        """
        return say(f"task.{self.name}")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All characters of questions and answers, and the tokens that fill up, begin and end a text.

        >>> from workings.train.data import Sort
        >>> Sort(symbols="abc").vocabulary.entries
        ('<pad>', '<s>', '</s>', 'a', 'b', 'c', '>')
        """
        return Vocabulary.characters(self._characters(), special=SPECIAL)

    @property
    def padding(self) -> int:
        """The token that fills a text up."""
        return self.vocabulary.id(PADDING)

    @property
    def start(self) -> int:
        """The token that begins an answer."""
        return self.vocabulary.id(START)

    @property
    def end(self) -> int:
        """The token that ends an answer."""
        return self.vocabulary.id(END)

    @property
    @abstractmethod
    def longest_question(self) -> int:
        """How many characters a question has at most."""

    @property
    @abstractmethod
    def longest_answer(self) -> int:
        """How many characters an answer has at most."""

    def draw(self, draws: Draws, count: int, held_out: bool = False) -> list[Pair]:
        """So many pairs to train on; or, if `held_out`, so many of those that training never sees.

        >>> from workings.train.data import Sort
        >>> Sort().draw(Draws(1), 1, held_out=True)
        [Pair(question='ec>', answer='ce')]
        """
        refuse_unless_whole(self.name, "count", count, most=MOST - 1)
        kept: list[Array] = []
        missing, misses, tries = count, 0, 0
        while missing:
            # A little more than are needed on the average, so that one round is nearly always enough.
            rows = self._rows(draws, min(missing * (12 if held_out else 2) + 32, ROUND))
            fitting = rows[split.held_out(self._identity(rows)) == held_out][:missing]
            missing, tries = missing - len(fitting), tries + len(rows)
            misses = 0 if len(fitting) else misses + 1
            if misses == PATIENCE:
                side = say("task.held_out" if held_out else "task.left")
                raise DataError("task.one_side", tries=tries, task=self.name, side=side)
            kept.append(fitting)
        return self._written(numpy.concatenate(kept))

    @abstractmethod
    def _characters(self) -> str:
        """All characters that a question or an answer may have, each once."""

    @abstractmethod
    def _rows(self, draws: Draws, count: int) -> Array:
        """So many questions, each as a row of whole numbers."""

    @abstractmethod
    def _identity(self, rows: Array) -> Array:
        """What must not have been seen, if the question is held out: rows that are the same here stay together."""

    @abstractmethod
    def _written(self, rows: Array) -> list[Pair]:
        """The questions of the rows as texts, with their answers."""


def refuse_unless_whole(task: str, setting: str, value: Any, least: int = 1, most: int = 1000) -> None:
    """Refuse what is not a whole number within the limits.

    >>> refuse_unless_whole("addition", "digits", 10, most=9)
    Traceback (most recent call last):
    ...
    workings.engine.errors.CallError: The setting digits of addition cannot be 10.
      try:   What fits: a whole number from 1 to 9.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        choices = say("setting.from_to", least=least, most=most) if most < MOST - 1 else say("setting.count")
        raise CallError("setting.choice", op=task, setting=setting, value=repr(value), choices=choices)
