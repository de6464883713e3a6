"""Embedding: each token's row of the embedding matrix, and its position."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.arrays import dtype_name
from ..engine.errors import ShapeError
from ..engine.tensor import Tensor
from ..ops.add import add
from ..ops.given import ids
from ..ops.lookup import lookup
from ..ops.positional_encoding import positional_encoding
from .module import Module


@dataclass(frozen=True)
class Embedding(Module):
    """The row of each token, without its position."""

    E: Tensor

    def forward(self, tokens: Tensor) -> Tensor:
        return lookup(self.E, tokens, name="X")


@dataclass(frozen=True)
class PositionedEmbedding(Module):
    """The row of each token, plus a row for its position."""

    E: Tensor
    position: Module

    def forward(self, tokens: Tensor) -> Tensor:
        embedded = lookup(self.E, tokens, name="embedded")
        return add(embedded, self.position(embedded), name="X")


@dataclass(frozen=True)
class BertEmbedding(Module):
    """As in BERT: token, position and segment (which of two sentences) are added, and a norm follows."""

    E: Tensor
    position: Module
    E_segment: Tensor
    norm: Module

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        embedded = lookup(self.E, tokens, name="embedded")
        segments = _first(tokens) if segments is None else segments
        placed = add(embedded, self.position(embedded), name="placed")
        normed: Tensor = self.norm(add(placed, lookup(self.E_segment, segments, name="segment"), name="X"))
        return normed


@dataclass(frozen=True)
class Sinusoidal(Module):
    """Positions as sines and cosines: nothing to learn, and no longest text."""

    layout: str = "interleaved"

    def forward(self, X: Tensor) -> Tensor:
        return positional_encoding(
            _order(X), size=X.shape[-1], layout=self.layout, dtype=dtype_name(X.array), name="places"
        )


@dataclass(frozen=True)
class LearnedPositions(Module):
    """A learned row for each position; there are as many positions as the table has rows."""

    E_position: Tensor

    def forward(self, X: Tensor) -> Tensor:
        most = self.E_position.shape[0]
        if X.size("token") > most:
            raise too_few_positions(X.size("token"), most)
        return lookup(self.E_position, _order(X), name="places")


def _order(X: Tensor) -> Tensor:
    """The positions of the tokens, counted from 0."""
    return ids(list(range(X.size("token"))), name="order")


def _first(tokens: Tensor) -> Tensor:
    """Every token in the first sentence."""
    return ids(tokens.array * 0, " ".join(tokens.axes), name="segments")


def too_few_positions(length: int, most: int) -> ShapeError:
    return ShapeError(
        f"The text has {length} tokens, but there are positions for only {most}.",
        hint=f"Shorten the text, or give the model more positions (`max_positions: {length}`).",
    )
