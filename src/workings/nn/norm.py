"""Norms: each token's row brought to a common size, then scaled and shifted as learned."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.arrays import namespace
from ..engine.form import form_of
from ..engine.tensor import Tensor
from ..ops.layer_norm import layer_norm
from ..ops.rms_norm import rms_norm
from .module import Module


@dataclass(frozen=True)
class LayerNorm(Module):
    """Less its mean, divided by its standard deviation. Without a gamma or beta, nothing is scaled or shifted."""

    gamma: Tensor | None
    beta: Tensor | None
    epsilon: float = 1e-5
    correction: int = 0
    place: str = "inside"

    def forward(self, X: Tensor) -> Tensor:
        gamma = _row("gamma", 1.0, X) if self.gamma is None else self.gamma
        beta = _row("beta", 0.0, X) if self.beta is None else self.beta
        settings = {"epsilon": self.epsilon, "correction": self.correction, "place": self.place}
        return layer_norm(X, gamma, beta, **settings, name="normed")


@dataclass(frozen=True)
class RMSNorm(Module):
    """Divided by the root of its mean square; nothing is subtracted."""

    gamma: Tensor | None
    epsilon: float = 1e-5

    def forward(self, X: Tensor) -> Tensor:
        gamma = _row("gamma", 1.0, X) if self.gamma is None else self.gamma
        return rms_norm(X, gamma, epsilon=self.epsilon, name="normed")


def _row(name: str, value: float, X: Tensor) -> Tensor:
    """A constant row in place of a learned one."""
    size = X.shape[-1:]
    row = namespace(X.array).full(size, value, dtype=X.array.dtype)
    return Tensor(row, form_of(X.axes[-1:], size), name=name, leaf="constant")
