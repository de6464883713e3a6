"""What goes wrong with an activation function: mistakes that the pages of several share."""

from __future__ import annotations

from ...engine.op import Op
from ...engine.page import mistake
from ...engine.tensor import Tensor
from ..exp import exp


class ActivationMistakes(Op):
    """Another activation function is taken for this one."""

    @mistake("You took the sigmoid; this layer has another activation function.")
    def as_sigmoid(self, x: Tensor) -> Tensor:
        return sigmoid_of(x)

    @mistake("You took tanh; this layer has another activation function.")
    def as_tanh(self, x: Tensor) -> Tensor:
        return 2 * sigmoid_of(2 * x) - 1

    @mistake("You took SiLU, x times its sigmoid; this layer has another activation function.")
    def as_silu(self, x: Tensor) -> Tensor:
        return x * sigmoid_of(x)


class SmoothMistakes(Op):
    """The activation function, or its slope, is left out."""

    @mistake("You left out the activation function: the next step reads the entries as they were.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You left out the slope of the activation function; the gradient is multiplied by it.", of="x")
    def slope_forgotten(self, g: Tensor) -> Tensor:
        return 1.0 * g


def sigmoid_of(x: Tensor) -> Tensor:
    """The sigmoid, in powers alone, because the page of the sigmoid is written with a ReLU."""
    return 1 / (1 + exp(-x))
