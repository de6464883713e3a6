"""A weight, with a bias where there is one: X W or X W + b."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.tensor import Tensor
from ..ops.linear import linear
from ..ops.matmul import matmul
from .module import Module


def project(X: Tensor, W: Tensor, b: Tensor | None, name: str) -> Tensor:
    """X times a weight, plus a bias if there is one. The columns of X may have another word than the rows of W."""
    X = X.relabeled((*X.axes[:-1], W.axes[0]))
    return matmul(X, W, name=name) if b is None else linear(X, W, b, name=name)


@dataclass(frozen=True)
class Linear(Module):
    """One linear layer by itself."""

    W: Tensor
    b: Tensor | None = None

    def forward(self, X: Tensor) -> Tensor:
        return project(X, self.W, self.b, name="Y")
