"""What goes wrong with GELU, exact or with a tanh: what its two pages share, and the terms of the second."""

from __future__ import annotations

import math

from ...engine.page import mistake
from ...engine.tensor import Tensor, constant_like
from ..add import add
from ..power import power
from ..relu import positive
from ..sigmoid import sigmoid
from ..sqrt import sqrt
from ..tanh import tanh
from .activation_mistakes import ActivationMistakes, SmoothMistakes

CUBE = 0.044715  # how much of x³ brings the tanh nearest to erf
CUBE_SLOPE = 0.134145  # three times as much, because the slope of x³ is 3 x²


class GeluMistakes(ActivationMistakes, SmoothMistakes):
    """Another approximation, or the derivative of another activation function."""

    @mistake("You used the derivative of ReLU, 1 above 0 and 0 below: that of GELU changes smoothly.", of="x")
    def slope_of_relu(self, g: Tensor, x: Tensor) -> Tensor:
        return g * positive(x)

    @mistake("You used the derivative of SiLU, which contains the sigmoid: GELU has another factor.", of="x")
    def slope_of_silu(self, g: Tensor, x: Tensor) -> Tensor:
        s = sigmoid(x)
        return g * (s + x * (s * (1 - s)))


class TanhFormMistakes(GeluMistakes):
    """Mistakes in the form with a tanh."""

    @mistake("You used the sigmoid of 1.702 x, which is another approximation of the same factor.")
    def by_sigmoid(self, x: Tensor) -> Tensor:
        return x * sigmoid(1.702 * x)

    @mistake("You left out the root: the argument of tanh is multiplied by √(2/π).")
    def root_forgotten(self, x: Tensor) -> Tensor:
        return x * ((1 + tanh(2 / math.pi * (x + CUBE * power(x, exponent=3)))) / 2)

    @mistake("You left out the cube: add 0.044715 x³ to x.")
    def cube_forgotten(self, x: Tensor) -> Tensor:
        return x * ((1 + tanh(x * root_of(x))) / 2)

    @mistake("You left out the factor 1/2: 1 + tanh runs from 0 to 2, the factor from 0 to 1.")
    def half_forgotten(self, x: Tensor) -> Tensor:
        return x * (1 + tanh_of(x))

    @mistake("You stopped at the factor: multiply the entry by it.")
    def not_multiplied(self, x: Tensor) -> Tensor:
        return (1 + tanh_of(x)) / 2

    @mistake("You used the factor alone as the derivative: the factor itself depends on x.", of="x")
    def share_only(self, g: Tensor, x: Tensor) -> Tensor:
        return g * ((1 + tanh_of(x)) / 2)

    @mistake("You left out the inner derivative, that of the argument of tanh.", of="x")
    def inner_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        t = tanh_of(x)
        return g * ((1 + t) / 2 + x * ((1 - t * t) / 2))

    @mistake(
        "You left out the 3 from the derivative of the cube: add 3 times 0.044715 x², which is 0.134145 x², to 1.",
        of="x",
    )
    def three_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        t = tanh_of(x)
        inner = (1 + CUBE * (x * x)) * root_of(x)
        return g * ((1 + t) / 2 + x * ((1 - t * t) * inner / 2))


def root_of(x: Tensor) -> Tensor:
    """The root of 2 / π."""
    return sqrt(constant_like(2 / math.pi, x), name="root")


def tanh_of(x: Tensor) -> Tensor:
    """The tanh that takes the place of erf."""
    cubic = CUBE * power(x, exponent=3, name="cube")
    return tanh(add(x, cubic, name="inner") * root_of(x), name="t")
