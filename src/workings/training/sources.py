"""Where batches come from: tasks whose questions are made up, and windows of long texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy

from ..engine.arrays import Array
from ..engine.errors import CallError
from ..ops.parts.drawing import Draws
from ..text.tokens import Tokens
from .batch import Batch, padded
from .data import LongText, Pair, Task

MAX_HELD_OUT_WINDOWS = 1024  # of a long text: evaluating them takes some seconds
HELD_OUT_SEED = 0  # so that the same examples are evaluated whatever the seed of the training is


class Source(Protocol):
    """Batches to train on, and batches that training never sees."""

    @property
    def vocabulary(self) -> Tokens: ...

    @property
    def longest(self) -> int:
        """The tokens of the longest text: a model needs as many positions."""

    @property
    def fingerprint(self) -> str:
        """Identifies the data in a checkpoint: changing how it is written locks out the old ones."""

    @property
    def has_answers(self) -> bool:
        """Whether a text is either right or wrong."""

    @property
    def most_held_out(self) -> int:
        """How many texts there are to test with."""

    def batch(self, draws: Draws, size: int) -> Batch: ...

    def held_out(self, size: int) -> Batch: ...


@dataclass(frozen=True)
class TaskSource(ABC):
    """The questions and answers of a task as batches."""

    task: Task
    label: ClassVar[str]  # in the fingerprint
    has_answers: ClassVar[bool] = True
    most_held_out: ClassVar[int] = 10_000

    @property
    def vocabulary(self) -> Tokens:
        return self.task.vocabulary

    @property
    @abstractmethod
    def longest(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        return f"{self.label} {self.task!r}"

    def batch(self, draws: Draws, size: int) -> Batch:
        return self.of(self.task.draw(draws, size))

    def held_out(self, size: int) -> Batch:
        return self.of(self.held_out_pairs(size))

    def held_out_pairs(self, size: int) -> list[Pair]:
        return self.task.draw(Draws(HELD_OUT_SEED), size, held_out=True)

    @abstractmethod
    def of(self, pairs: Sequence[Pair]) -> Batch:
        """These questions and answers as a batch."""

    def questions(self, pairs: Sequence[Pair]) -> list[list[int]]:
        return [self.vocabulary.encode(pair.question) for pair in pairs]

    def answers(self, pairs: Sequence[Pair]) -> list[list[int]]:
        """The answers, each with the token that ends it."""
        return [[*self.vocabulary.encode(pair.answer), self.task.end] for pair in pairs]

    def padded(self, rows: Sequence[Sequence[int]], length: int) -> Array:
        return padded(rows, length, self.task.padding)


@dataclass(frozen=True)
class Questions(TaskSource):
    """A task for a decoder: question and answer are one text, of which only the answer counts."""

    label: ClassVar[str] = "Questions"

    @property
    def longest(self) -> int:
        return self.task.longest_question + self.task.longest_answer

    def of(self, pairs: Sequence[Pair]) -> Batch:
        both = list(zip(self.questions(pairs), self.answers(pairs), strict=True))
        tokens = self.padded([[*question, *answer[:-1]] for question, answer in both], self.longest)
        target = self.padded([[*question[1:], *answer] for question, answer in both], self.longest)
        counted = [[0] * (len(question) - 1) + [1] * len(answer) for question, answer in both]
        return Batch(tokens, target, padded(counted, self.longest).astype(float))


@dataclass(frozen=True)
class Translations(TaskSource):
    """A task for an encoder-decoder: the encoder reads the question, the decoder writes the answer."""

    label: ClassVar[str] = "Translations"

    @property
    def longest(self) -> int:
        return max(self.task.longest_question, self.task.longest_answer + 1)

    def of(self, pairs: Sequence[Pair]) -> Batch:
        questions, answers = self.questions(pairs), self.answers(pairs)
        source_length, target_length = self.task.longest_question, self.task.longest_answer + 1
        return Batch(
            tokens=self.padded([[self.task.start, *answer[:-1]] for answer in answers], target_length),
            target=self.padded(answers, target_length),
            counted=padded([[1] * len(answer) for answer in answers], target_length).astype(float),
            source=self.padded(questions, source_length),
            keep=padded([[1] * len(question) for question in questions], source_length).astype(float),
        )


@dataclass(frozen=True)
class TextSource(ABC):
    """Windows of a long text as batches."""

    text: LongText
    label: ClassVar[str]  # in the fingerprint
    has_answers: ClassVar[bool] = False

    @property
    def most_held_out(self) -> int:
        return min(self.text.most_held_out, MAX_HELD_OUT_WINDOWS)

    @property
    def vocabulary(self) -> Tokens:
        return self.text.vocabulary

    @property
    def longest(self) -> int:
        return self.text.context

    @property
    def fingerprint(self) -> str:
        return f"{self.label} {self.text.fingerprint}"


@dataclass(frozen=True)
class Continuations(TextSource):
    """A long text for a decoder: every token of a window predicts the next."""

    label: ClassVar[str] = "Continuations"

    def batch(self, draws: Draws, size: int) -> Batch:
        return _all_counted(*self.text.windows(draws, size))

    def held_out(self, size: int) -> Batch:
        return _all_counted(*self.text.held_out_windows(size))


@dataclass(frozen=True)
class MaskedText(TextSource):
    """A long text for an encoder: some tokens of a window are masked, and the model predicts these."""

    label: ClassVar[str] = "Gaps"
    fraction: float = 0.15  # of the tokens that are masked, as in BERT

    def __post_init__(self) -> None:
        if self.vocabulary.mask is None:
            raise CallError(
                "An encoder learns to predict masked tokens, and its vocabulary has no mask token.",
                hint="Add <mask> to its special tokens.",
            )

    def batch(self, draws: Draws, size: int) -> Batch:
        return self._masked(self.text.windows(draws, size)[0], draws)

    def held_out(self, size: int) -> Batch:
        return self._masked(self.text.held_out_windows(size)[0], Draws(HELD_OUT_SEED))

    def _masked(self, tokens: Array, draws: Draws) -> Batch:
        masked = draws.uniform(tokens.shape) < self.fraction
        masked[:, 0] |= ~masked.any(axis=1)  # at least one in each text
        return Batch(numpy.where(masked, self.vocabulary.mask, tokens), tokens, masked.astype(float))


def _all_counted(tokens: Array, target: Array) -> Batch:
    return Batch(tokens, target, numpy.ones(tokens.shape))
