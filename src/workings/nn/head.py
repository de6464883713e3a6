"""Heads: what is asked of the vectors that a stack of blocks gives.

Each gives its scores, records the probabilities that they mean, and knows the loss that fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..engine.errors import CallError
from ..engine.tensor import Tensor
from ..ops.binary_cross_entropy_from_logits import binary_cross_entropy_from_logits
from ..ops.cross_entropy import cross_entropy
from ..ops.lookup import lookup
from ..ops.matmul import matmul
from ..ops.mean import mean
from ..ops.sigmoid import sigmoid
from ..ops.softmax import softmax
from ..ops.take_row import take_row
from ..ops.tanh import tanh
from ..ops.transpose import transpose
from .module import Module
from .projection import project


@dataclass(frozen=True)
class Scores(Module):
    """A logit for each token of the vocabulary, at every position."""

    W_vocab: Tensor
    b_vocab: Tensor | None = None

    def forward(self, X: Tensor) -> Tensor:
        return project(X, self.W_vocab, self.b_vocab, name="logits")


@dataclass(frozen=True)
class TiedScores(Module):
    """The same with the transposed embedding matrix: a token's logit is the dot product with its own row."""

    E: Tensor

    def forward(self, X: Tensor) -> Tensor:
        return matmul(X, transpose(self.E), name="logits")


@dataclass(frozen=True)
class Answer(Module):
    """The base of heads that give a probability for each token of the vocabulary, or each class."""

    whole: ClassVar[bool] = False  # whether it reads the end of a text, or all of it together

    def loss(self, scores: Tensor, target: Tensor, reduction: str) -> Tensor:
        return cross_entropy(scores, target, reduction=reduction, name="loss")


@dataclass(frozen=True)
class AllTokens(Answer):
    """A language model: after every token, which comes next?"""

    scores: Module
    transparent: ClassVar[tuple[str, ...]] = ("scores",)

    def forward(self, X: Tensor) -> Tensor:
        return _with_probabilities(self.scores(X))


@dataclass(frozen=True)
class LastToken(Answer):
    """A language model that predicts only what follows the whole text."""

    scores: Module
    whole: ClassVar[bool] = True
    transparent: ClassVar[tuple[str, ...]] = ("scores",)

    def forward(self, X: Tensor) -> Tensor:
        return _with_probabilities(self.scores(take_row(X, index=-1, axis="token", name="last")))


@dataclass(frozen=True)
class MaskedTokens(Answer):
    """A masked language model: which tokens are behind the mask? `places` are their positions."""

    scores: Module
    transparent: ClassVar[tuple[str, ...]] = ("scores",)

    def forward(self, X: Tensor, places: Tensor | None = None) -> Tensor:
        if places is None:
            raise CallError(
                "MaskedTokens needs to know which tokens are masked.",
                hint="Give their positions after the tokens: model(tokens, places).",
            )
        return _with_probabilities(self.scores(lookup(X, places.rename(token="place"), name="covered")))


@dataclass(frozen=True)
class TokenSigmoid(Answer):
    """Yes or no for every token."""

    W_yes: Tensor
    b_yes: Tensor | None = None

    def forward(self, X: Tensor) -> Tensor:
        z = take_row(project(X, self.W_yes, self.b_yes, name="answers"), index=0, axis=-1, name="z")
        sigmoid(z, name="P")
        return z

    def loss(self, scores: Tensor, target: Tensor, reduction: str) -> Tensor:
        return binary_cross_entropy_from_logits(scores, target, reduction=reduction, name="loss")


@dataclass(frozen=True)
class Classifier(Answer):
    """One answer for the whole text: its pooled vector, and a score for each class."""

    pool: Module
    W_class: Tensor
    b_class: Tensor | None = None
    transparent: ClassVar[tuple[str, ...]] = ("pool",)

    @property
    def whole(self) -> bool:  # type: ignore[override]
        return isinstance(self.pool, MeanPool)

    def forward(self, X: Tensor) -> Tensor:
        return _with_probabilities(project(self.pool(X), self.W_class, self.b_class, name="logits"))


@dataclass(frozen=True)
class MeanPool(Module):
    """The mean of all tokens."""

    def forward(self, X: Tensor) -> Tensor:
        return mean(X, axis="token", name="pooled")


@dataclass(frozen=True)
class FirstPool(Module):
    """The first token, which many models set aside for this."""

    def forward(self, X: Tensor) -> Tensor:
        return take_row(X, index=0, axis="token", name="pooled")


@dataclass(frozen=True)
class Pooler(Module):
    """As in BERT: the first token through one more linear layer and tanh."""

    W_pool: Tensor
    b_pool: Tensor | None = None

    def forward(self, X: Tensor) -> Tensor:
        first = take_row(X, index=0, axis="token", name="first")
        return tanh(project(first, self.W_pool, self.b_pool, name="pool"), name="pooled")


def _with_probabilities(logits: Tensor) -> Tensor:
    """The logits; their probabilities are recorded too."""
    softmax(logits, axis=-1, name="P")
    return logits
