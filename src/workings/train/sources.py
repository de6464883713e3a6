"""Where batches come from: tasks that are made up, and long texts that windows are cut from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy

from ..engine.errors import CallError
from ..engine.sentences import add_sentences
from ..ops.drawing import Draws
from .batch import Batch, filled
from .data import LongText, Pair, Task

WINDOWS = 1024  # of a long text that are looked at, at most: that takes some seconds
TEST_SEED = 0  # what is held out is drawn in the same way whatever seed training has


class Source(Protocol):
    """Batches to train on, and batches that training never sees."""

    @property
    def vocabulary(self) -> Any: ...

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
class Questions:
    """A task for a decoder: question and answer are one text, of which only the answer counts."""

    task: Task
    has_answers: ClassVar[bool] = True
    most_held_out: ClassVar[int] = 10_000

    @property
    def vocabulary(self) -> Any:
        return self.task.vocabulary

    @property
    def longest(self) -> int:
        return self.task.longest_question + self.task.longest_answer

    @property
    def fingerprint(self) -> str:
        return f"decoder {self.task!r}"

    def batch(self, draws: Draws, size: int) -> Batch:
        return self.of(self.task.draw(draws, size))

    def held_out(self, size: int) -> Batch:
        return self.of(self.task.draw(Draws(TEST_SEED), size, held_out=True))

    def of(self, pairs: Sequence[Pair]) -> Batch:
        vocabulary = self.vocabulary
        questions = [vocabulary.encode(pair.question) for pair in pairs]
        texts = [[*question, *_ended(pair, vocabulary)] for question, pair in zip(questions, pairs, strict=True)]
        tokens = filled([text[:-1] for text in texts], self.longest, vocabulary.padding)
        target = filled([text[1:] for text in texts], self.longest, vocabulary.padding)
        counted = filled(
            [
                [0] * (len(question) - 1) + [1] * (len(text) - len(question))
                for question, text in zip(questions, texts, strict=True)
            ],
            self.longest,
        )
        return Batch(tokens, target, counted.astype(float))


@dataclass(frozen=True)
class Translations:
    """A task for an encoder-decoder: the question is read, the answer is written."""

    task: Task
    has_answers: ClassVar[bool] = True
    most_held_out: ClassVar[int] = 10_000

    @property
    def vocabulary(self) -> Any:
        return self.task.vocabulary

    @property
    def longest(self) -> int:
        return max(self.task.longest_question, self.task.longest_answer + 1)

    @property
    def fingerprint(self) -> str:
        return f"encoder-decoder {self.task!r}"

    def batch(self, draws: Draws, size: int) -> Batch:
        return self.of(self.task.draw(draws, size))

    def held_out(self, size: int) -> Batch:
        return self.of(self.task.draw(Draws(TEST_SEED), size, held_out=True))

    def of(self, pairs: Sequence[Pair]) -> Batch:
        vocabulary = self.vocabulary
        questions = [vocabulary.encode(pair.question) for pair in pairs]
        answers = [_ended(pair, vocabulary) for pair in pairs]
        length = self.task.longest_answer + 1
        source = filled(questions, self.task.longest_question, vocabulary.padding)
        tokens = filled([[vocabulary.start, *answer[:-1]] for answer in answers], length, vocabulary.padding)
        target = filled(answers, length, vocabulary.padding)
        counted = filled([[1] * len(answer) for answer in answers], length)
        keep = filled([[1] * len(question) for question in questions], self.task.longest_question)
        return Batch(tokens, target, counted.astype(float), source, keep.astype(float))


@dataclass(frozen=True)
class Continuations:
    """A long text for a decoder: windows of it, in which every token is to foretell the next."""

    text: LongText
    has_answers: ClassVar[bool] = False

    @property
    def most_held_out(self) -> int:
        return min(self.text.most_held_out, WINDOWS)

    @property
    def vocabulary(self) -> Any:
        return self.text.vocabulary

    @property
    def longest(self) -> int:
        return self.text.context

    @property
    def fingerprint(self) -> str:
        return f"decoder {self.text.fingerprint}"

    def batch(self, draws: Draws, size: int) -> Batch:
        return _all_counted(*self.text.windows(draws, size))

    def held_out(self, size: int) -> Batch:
        return _all_counted(*self.text.held_out_windows(size))


@dataclass(frozen=True)
class Gaps:
    """A long text for an encoder: in windows of it some tokens are covered, and these are to be found."""

    text: LongText
    share: float = 0.15  # of the tokens that are covered, as in BERT
    has_answers: ClassVar[bool] = False

    @property
    def most_held_out(self) -> int:
        return min(self.text.most_held_out, WINDOWS)

    def __post_init__(self) -> None:
        if self.vocabulary.mask is None:
            raise CallError("source.mask")

    @property
    def vocabulary(self) -> Any:
        return self.text.vocabulary

    @property
    def longest(self) -> int:
        return self.text.context

    @property
    def fingerprint(self) -> str:
        return f"encoder {self.text.fingerprint} {self.share}"

    def batch(self, draws: Draws, size: int) -> Batch:
        return self._covered(self.text.windows(draws, size)[0], draws)

    def held_out(self, size: int) -> Batch:
        return self._covered(self.text.held_out_windows(size)[0], Draws(TEST_SEED))

    def _covered(self, tokens: Any, draws: Draws) -> Batch:
        covered = draws.uniform(tokens.shape) < self.share
        covered[:, 0] |= ~covered.any(axis=1)  # at least one in each text
        return Batch(numpy.where(covered, self.vocabulary.mask, tokens), tokens, covered.astype(float))


def _all_counted(tokens: Any, target: Any) -> Batch:
    return Batch(tokens, target, numpy.ones(tokens.shape))


def _ended(pair: Pair, vocabulary: Any) -> list[int]:
    """The answer, and the token that ends it."""
    return [*vocabulary.encode(pair.answer), vocabulary.end]


add_sentences(
    "error",
    {
        "source.mask": "An encoder learns to find covered words, and the vocabulary has no token that covers one.",
        "source.mask.try": "Put <mask> among its special tokens.",
    },
)
