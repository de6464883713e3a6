"""Where batches come from: tasks that are made up, and long texts that windows are cut from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy

from ..engine.arrays import Array
from ..engine.errors import CallError
from ..engine.sentences import add_sentences
from ..ops.drawing import Draws
from ..text.tokens import Tokens
from .batch import Batch, filled
from .data import LongText, Pair, Task

WINDOWS = 1024  # of a long text that are looked at, at most: that takes some seconds
TEST_SEED = 0  # what is held out is drawn in the same way whatever seed training has


class Source(Protocol):
    """Batches to train on, and batches that training never sees."""

    @property
    def vocabulary(self) -> Tokens: ...

    @property
    def longest(self) -> int:
        """The tokens of the longest text: as many positions a model needs."""

    @property
    def fingerprint(self) -> str:
        """Tells this data from any other."""

    @property
    def has_answers(self) -> bool:
        """Whether a text is either right or wrong."""

    @property
    def most_held_out(self) -> int:
        """How many texts there are to test with."""

    def batch(self, draws: Draws, size: int) -> Batch: ...

    def held_out(self, size: int) -> Batch: ...


@dataclass(frozen=True)
class OfTask(ABC):
    """The base of what a task is made into."""

    task: Task
    has_answers: ClassVar[bool] = True
    most_held_out: ClassVar[int] = 10_000

    @property
    def vocabulary(self) -> Tokens:
        return self.task.vocabulary

    @property
    def fingerprint(self) -> str:
        return f"{type(self).__name__} {self.task!r}"

    def batch(self, draws: Draws, size: int) -> Batch:
        return self.of(self.task.draw(draws, size))

    def held_out(self, size: int) -> Batch:
        return self.of(self.task.draw(Draws(TEST_SEED), size, held_out=True))

    @abstractmethod
    def of(self, pairs: Sequence[Pair]) -> Batch:
        """These questions and answers as a batch."""

    def questions(self, pairs: Sequence[Pair]) -> list[list[int]]:
        return [self.vocabulary.encode(pair.question) for pair in pairs]

    def answers(self, pairs: Sequence[Pair]) -> list[list[int]]:
        """The answers, each with the token that ends it."""
        return [[*self.vocabulary.encode(pair.answer), self.task.end] for pair in pairs]

    def filled(self, rows: Sequence[Sequence[int]], length: int) -> Array:
        return filled(rows, length, self.task.padding)


@dataclass(frozen=True)
class Questions(OfTask):
    """A task for a decoder: question and answer are one text, of which only the answer counts."""

    @property
    def longest(self) -> int:
        return self.task.longest_question + self.task.longest_answer

    def of(self, pairs: Sequence[Pair]) -> Batch:
        both = list(zip(self.questions(pairs), self.answers(pairs), strict=True))
        tokens = self.filled([[*question, *answer[:-1]] for question, answer in both], self.longest)
        target = self.filled([[*question[1:], *answer] for question, answer in both], self.longest)
        counted = [[0] * (len(question) - 1) + [1] * len(answer) for question, answer in both]
        return Batch(tokens, target, filled(counted, self.longest).astype(float))


@dataclass(frozen=True)
class Translations(OfTask):
    """A task for an encoder-decoder: the question is read, the answer is written."""

    @property
    def longest(self) -> int:
        return max(self.task.longest_question, self.task.longest_answer + 1)

    def of(self, pairs: Sequence[Pair]) -> Batch:
        questions, answers = self.questions(pairs), self.answers(pairs)
        read, written = self.task.longest_question, self.task.longest_answer + 1
        return Batch(
            tokens=self.filled([[self.task.start, *answer[:-1]] for answer in answers], written),
            target=self.filled(answers, written),
            counted=filled([[1] * len(answer) for answer in answers], written).astype(float),
            source=self.filled(questions, read),
            keep=filled([[1] * len(question) for question in questions], read).astype(float),
        )


@dataclass(frozen=True)
class OfText(ABC):
    """The base of what a long text is cut into."""

    text: LongText
    has_answers: ClassVar[bool] = False

    @property
    def most_held_out(self) -> int:
        return min(self.text.most_held_out, WINDOWS)

    @property
    def vocabulary(self) -> Tokens:
        return self.text.vocabulary

    @property
    def longest(self) -> int:
        return self.text.context

    @property
    def fingerprint(self) -> str:
        return f"{type(self).__name__} {self.text.fingerprint}"


@dataclass(frozen=True)
class Continuations(OfText):
    """A long text for a decoder: windows of it, in which every token is to foretell the next."""

    def batch(self, draws: Draws, size: int) -> Batch:
        return _all_counted(*self.text.windows(draws, size))

    def held_out(self, size: int) -> Batch:
        return _all_counted(*self.text.held_out_windows(size))


@dataclass(frozen=True)
class Gaps(OfText):
    """A long text for an encoder: in windows of it some tokens are covered, and these are to be found."""

    share: float = 0.15  # of the tokens that are covered, as in BERT

    def __post_init__(self) -> None:
        if self.vocabulary.mask is None:
            raise CallError("source.mask")

    def batch(self, draws: Draws, size: int) -> Batch:
        return self._covered(self.text.windows(draws, size)[0], draws)

    def held_out(self, size: int) -> Batch:
        return self._covered(self.text.held_out_windows(size)[0], Draws(TEST_SEED))

    def _covered(self, tokens: Array, draws: Draws) -> Batch:
        covered = draws.uniform(tokens.shape) < self.share
        covered[:, 0] |= ~covered.any(axis=1)  # at least one in each text
        return Batch(numpy.where(covered, self.vocabulary.mask, tokens), tokens, covered.astype(float))


def _all_counted(tokens: Array, target: Array) -> Batch:
    return Batch(tokens, target, numpy.ones(tokens.shape))


add_sentences(
    "error",
    {
        "source.mask": "An encoder learns to find covered words, and the vocabulary has no token that covers one.",
        "source.mask.try": "Put <mask> among its special tokens.",
    },
)
