"""Feed-forward: each token by itself goes through a wider layer and back."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.op import Op
from ..engine.tensor import Tensor
from ..ops.relu import relu
from .module import Module
from .projection import project


@dataclass(frozen=True)
class FeedForward(Module):
    """Two linear layers with a bend between them: relu, gelu or gelu_tanh."""

    W_1: Tensor
    b_1: Tensor | None
    W_2: Tensor
    b_2: Tensor | None
    activation: Op = relu

    def forward(self, X: Tensor) -> Tensor:
        hidden = project(X, self.W_1, self.b_1, name="hidden")
        return project(self.activation(hidden, name="activated"), self.W_2, self.b_2, name="output")
