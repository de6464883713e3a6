"""What surrounds a part of a block: nothing, a residual connection, a norm before or after it.

    Straight   part(X)                    Residual   X + part(X)
    PreNorm    X + part(norm(X))          PostNorm   norm(X + part(X))
    NormFirst  part(norm(X))              NormLast   norm(part(X))

The steps of the part have the name of the sublayer in their path: `block1.attention.scores`, like
`block1.attention.norm.normed` and `block1.attention.residual`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..engine.tensor import Tensor
from ..ops.add import add
from ..ops.dropout import dropout
from ..ops.parts.drawing import Draws
from .module import Module


@dataclass(frozen=True)
class Straight(Module):
    """The output of the part, and nothing else."""

    part: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        return _found(self.part, X, more)


@dataclass(frozen=True)
class Residual(Module):
    """The input plus the output of the part."""

    part: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        return add(X, _found(self.part, X, more), name="residual")


@dataclass(frozen=True)
class PreNorm(Module):
    """The part reads the normed input; the residual is the input itself."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        return add(X, _found(self.part, self.norm(X), more), name="residual")


@dataclass(frozen=True)
class PostNorm(Module):
    """A residual connection, and a norm of the sum."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        normed: Tensor = self.norm(add(X, _found(self.part, X, more), name="residual"))
        return normed


@dataclass(frozen=True)
class NormFirst(Module):
    """The part reads the normed input, and there is no residual connection."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        return _found(self.part, self.norm(X), more)


@dataclass(frozen=True)
class NormLast(Module):
    """A norm of the output of the part, and no residual connection."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        normed: Tensor = self.norm(_found(self.part, X, more))
        return normed


@dataclass(frozen=True)
class Dropped(Module):
    """A part with dropout on its output."""

    part: Module
    rate: float
    draws: Draws
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        found: Tensor = self.part(X, *more)
        kept = self.draws.kept(found.shape, self.rate, " ".join(found.axes))
        return dropout(found, kept, rate=self.rate, name="dropped")


def _found(part: Module, X: Tensor, more: tuple[Any, ...]) -> Tensor:
    """The output of a part, with the column word of its input: a head without W_O would call them `head_size`."""
    found: Tensor = part(X, *more)
    return found.relabeled((*found.axes[:-1], X.axes[-1]))
