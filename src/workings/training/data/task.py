"""What all tasks share: questions are drawn many at a time, as rows of whole numbers, and then written as texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy

from ...engine.arrays import Array
from ...engine.errors import CallError, DataError
from ...engine.settings import MAX_WHOLE
from ...ops.parts.drawing import Draws
from ...text import Vocabulary
from . import split

SPECIAL = PADDING, START, END = ("<pad>", "<s>", "</s>")
MAX_ROWS_DRAWN = 2**16  # at once, so that little memory is needed
MAX_EMPTY_ROUNDS = 100  # without a single row that fits, until the search is given up


@dataclass(frozen=True)
class Pair:
    """A question and its answer, both as texts.

    >>> Pair("cab>", "abc").answer
    'abc'
    """

    question: str
    answer: str


@dataclass(frozen=True)
class Task(ABC):
    """Questions that a program can make up and answer. One tenth of them is held out to test with.

    A task says how to draw rows of numbers, which of these numbers make two questions the same thing to learn, and how
    a row is written as a question and its answer.
    """

    name: ClassVar[str]
    about: ClassVar[str]  # what is to be learned, in a sentence

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All characters of questions and answers, and the tokens that pad, begin and end a text.

        >>> from workings.training.data import Sort
        >>> Sort(symbols="abc").vocabulary.entries
        ('<pad>', '<s>', '</s>', 'a', 'b', 'c', '>')
        """
        return Vocabulary.characters(self._characters(), special=SPECIAL)

    @property
    def padding(self) -> int:
        """The token that pads a text."""
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
        """The most characters that a question has."""

    @property
    @abstractmethod
    def longest_answer(self) -> int:
        """The most characters that an answer has."""

    def draw(self, draws: Draws, count: int, held_out: bool = False) -> list[Pair]:
        """Pairs to train on; or, if `held_out`, pairs that training never sees.

        >>> from workings.training.data import Sort
        >>> Sort().draw(Draws(1), 1, held_out=True)
        [Pair(question='ec>', answer='ce')]
        """
        refuse_unless_whole(self.name, "count", count, most=MAX_WHOLE - 1)
        kept: list[Array] = []
        missing, empty_rounds, tries = count, 0, 0
        while missing:
            # A few more than are needed on average, so that one round is nearly always enough.
            rows = self._rows(draws, min(missing * (12 if held_out else 2) + 32, MAX_ROWS_DRAWN))
            fitting = rows[split.held_out(self._identity(rows)) == held_out][:missing]
            missing, tries = missing - len(fitting), tries + len(rows)
            empty_rounds = 0 if len(fitting) else empty_rounds + 1
            if empty_rounds == MAX_EMPTY_ROUNDS:
                side = "held out" if held_out else "left to train on"
                raise DataError(
                    f"Of {tries} questions of the task {self.name}, none was {side}.",
                    hint="Allow more different questions, so that a tenth of them can be held out: more symbols, or "
                    "longer rows.",
                )
            kept.append(fitting)
        return self._pairs(numpy.concatenate(kept))

    @abstractmethod
    def _characters(self) -> str:
        """All characters that a question or an answer may have, each once."""

    @abstractmethod
    def _rows(self, draws: Draws, count: int) -> Array:
        """Questions, each as a row of whole numbers."""

    @abstractmethod
    def _identity(self, rows: Array) -> Array:
        """What training must not see of a held-out question: rows that are equal here are held out together."""

    @abstractmethod
    def _pairs(self, rows: Array) -> list[Pair]:
        """The questions of the rows as texts, with their answers."""


def refuse_unless_whole(task: str, setting: str, value: Any, least: int = 1, most: int = 1000) -> None:
    """Refuse anything but a whole number within the limits.

    >>> refuse_unless_whole("addition", "digits", 10, most=9)
    Traceback (most recent call last):
    ...
    workings.engine.errors.CallError: The setting digits of addition cannot be 10.
      try:   It can be a whole number from 1 to 9.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        choices = f"a whole number from {least} to {most}" if most < MAX_WHOLE - 1 else "a whole number above 0"
        raise unfit_setting(task, setting, value, choices)


def unfit_setting(task: str, setting: str, value: Any, choices: str) -> CallError:
    return CallError(f"The setting {setting} of {task} cannot be {value!r}.", hint=f"It can be {choices}.")
