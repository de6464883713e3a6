"""What goes wrong with an activation function: mistakes that the pages of several share."""

from __future__ import annotations

from ...engine.op import Op
from ...engine.page import mistake
from ...engine.tensor import Tensor
from ..exp import exp


class ActivationMistakes(Op):
    """Another activation function is taken for this one."""

    @mistake("You used the sigmoid: this layer has another activation function.")
    def as_sigmoid(self, x: Tensor) -> Tensor:
        return sigmoid_of(x)

    @mistake("You used tanh: this layer has another activation function.")
    def as_tanh(self, x: Tensor) -> Tensor:
        return 2 * sigmoid_of(2 * x) - 1

    @mistake("You used SiLU, x times its sigmoid: this layer has another activation function.")
    def as_silu(self, x: Tensor) -> Tensor:
        return x * sigmoid_of(x)


class SmoothMistakes(Op):
    """The activation function, or its derivative, is left out."""

    @mistake("You left out the activation function, so the next step reads its inputs.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You left out the derivative of the activation function: multiply the upstream gradient by it.", of="x")
    def slope_forgotten(self, g: Tensor) -> Tensor:
        return 1.0 * g


def sigmoid_of(x: Tensor) -> Tensor:
    """The sigmoid, in powers alone, because the page of the sigmoid is written with a ReLU."""
    return 1 / (1 + exp(-x))
