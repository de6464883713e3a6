"""Norms: each token's row brought to a common size, then stretched and shifted as learned."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.tensor import Tensor
from ..ops.layer_norm import layer_norm
from ..ops.rms_norm import rms_norm
from .module import Module


@dataclass(frozen=True)
class LayerNorm(Module):
    """Less its mean, divided by its standard deviation."""

    gamma: Tensor
    beta: Tensor
    epsilon: float = 1e-5
    correction: int = 0
    place: str = "inside"

    def forward(self, X: Tensor) -> Tensor:
        settings = {"epsilon": self.epsilon, "correction": self.correction, "place": self.place}
        return layer_norm(X, self.gamma, self.beta, **settings, name="normed")


@dataclass(frozen=True)
class RMSNorm(Module):
    """Divided by the root of its mean square; nothing is taken off."""

    gamma: Tensor
    epsilon: float = 1e-5

    def forward(self, X: Tensor) -> Tensor:
        return rms_norm(X, self.gamma, epsilon=self.epsilon, name="normed")
