"""The way around a part of a block: straight through it, a residual, and where a norm stands.

    Straight   part(X)                    Residual   X + part(X)
    PreNorm    X + part(norm(X))          PostNorm   norm(X + part(X))
    NormFirst  part(norm(X))              NormLast   norm(part(X))

The steps of the part stand under the name of the sublayer: `block1.attention.scores`, beside
`block1.attention.norm.normed` and `block1.attention.residual`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..engine.tensor import Tensor
from ..ops.add import add
from ..ops.drawing import Draws
from ..ops.dropout import dropout
from .module import Module


@dataclass(frozen=True)
class Straight(Module):
    """What the part gives, and nothing else."""

    part: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        return _found(self.part, X, beside)


@dataclass(frozen=True)
class Residual(Module):
    """What came in, and added to it what the part gives."""

    part: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        return add(X, _found(self.part, X, beside), name="residual")


@dataclass(frozen=True)
class PreNorm(Module):
    """The part sees what came in normed; the residual is what came in."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        return add(X, _found(self.part, self.norm(X), beside), name="residual")


@dataclass(frozen=True)
class PostNorm(Module):
    """A residual, and its sum is normed."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        normed: Tensor = self.norm(add(X, _found(self.part, X, beside), name="residual"))
        return normed


@dataclass(frozen=True)
class NormFirst(Module):
    """The part sees what came in normed, and there is no residual."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        return _found(self.part, self.norm(X), beside)


@dataclass(frozen=True)
class NormLast(Module):
    """What the part gives is normed, and there is no residual."""

    part: Module
    norm: Module
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        normed: Tensor = self.norm(_found(self.part, X, beside))
        return normed


@dataclass(frozen=True)
class Dropped(Module):
    """A part, of whose result some entries are left out at random."""

    part: Module
    rate: float
    draws: Draws
    transparent: ClassVar[tuple[str, ...]] = ("part",)

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        found: Tensor = self.part(X, *beside)
        kept = self.draws.kept(found.shape, self.rate, " ".join(found.axes))
        return dropout(found, kept, rate=self.rate, name="dropped")


def _found(part: Module, X: Tensor, beside: tuple[Any, ...]) -> Tensor:
    """What a part gives, as columns of the same kind as came in: a head without W_O would call them `head_size`."""
    found: Tensor = part(X, *beside)
    return found.relabelled((*found.axes[:-1], X.axes[-1]))
