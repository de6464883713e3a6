"""tanh: the hyperbolic tangent."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, namespace
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .exp import exp
from .parts.activation_mistakes import SmoothMistakes
from .sigmoid import sigmoid


class Tanh(SmoothMistakes, Primitive):
    """Squeezes each entry into the range from -1 to 1: it hardly changes entries near 0, and saturates far from 0."""

    emit = "tanh({0}, {out})"

    @formula(r"y_{ij} = \tanh(x_{ij}) = \frac{e^{x_{ij}} - e^{-x_{ij}}}{e^{x_{ij}} + e^{-x_{ij}}}")
    def forward(self, x: Array) -> Array:
        return namespace(x).tanh(x)

    @rule("x", r"dx_{ij} = dy_{ij} \left( 1 - y_{ij}^2 \right)")
    def dx(self, g: Tensor, out: Tensor) -> Tensor:
        return g * (1 - out * out)

    derivation = (
        (r"y = \frac{a}{b}, \quad a = e^{x} - e^{-x}, \quad b = e^{x} + e^{-x}", "one entry"),
        (
            r"\frac{\partial a}{\partial x} = b, \quad \frac{\partial b}{\partial x} = a",
            "each is the derivative of the other",
        ),
        (r"\frac{\partial y}{\partial x} = \frac{b \, b - a \, a}{b^2}", "quotient rule"),
        (r"\frac{\partial y}{\partial x} = 1 - y^2", "steepest at 0, where it is 1; flat at both ends"),
        (r"dx = dy \left( 1 - y^2 \right)", "chain rule: the backward pass reuses the result of the forward pass"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return hand.tanh(x[at])

    def by_hand_dx(self, at: Index, g: Paper, out: Paper) -> Hand:
        square = yield "square", out[at] * out[at]
        rest = yield "rest", Literal(1) - square
        return g[at] * rest

    @mistake("You used the sigmoid, which runs from 0 to 1: tanh runs from -1 to 1.")
    def as_sigmoid(self, x: Tensor) -> Tensor:
        return sigmoid(x)

    @mistake("You did not divide by the sum of the two exponentials: you computed sinh, which is unbounded.")
    def not_divided(self, x: Tensor) -> Tensor:
        return (exp(x) - exp(-x)) / 2

    @mistake("You flipped the sign: e^x comes first, so a positive entry stays positive.")
    def sign_turned(self, x: Tensor) -> Tensor:
        return tanh(-x)

    @mistake("You used the sigmoid of x: tanh is twice the sigmoid of 2 x, minus 1.")
    def two_forgotten(self, x: Tensor) -> Tensor:
        return 2 * sigmoid(x) - 1

    @mistake("You left out the square: the derivative is 1 - y², not 1 - y.", of="x")
    def square_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g * (1 - out)

    @mistake("You used the derivative of the sigmoid, y (1 - y): that of tanh is 1 - y².", of="x")
    def slope_of_sigmoid(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out * (1 - out)

    @mistake("You used x in the derivative: it is 1 - y², where y is the result.", of="x")
    def slope_of_input(self, g: Tensor, x: Tensor) -> Tensor:
        return g * (1 - x * x)

    @mistake("You used y² as the derivative: it is 1 - y².", of="x")
    def one_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g * (out * out)

    @mistake("You added the square: the derivative is 1 - y².", of="x")
    def square_added(self, g: Tensor, out: Tensor) -> Tensor:
        return g * (1 + out * out)

    @mistake("You gave the derivative alone: multiply it by the upstream gradient.", of="x")
    def gradient_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return 1 - out * out + 0.0 * g

    example = Example(
        values([[0.5, -1.2, 0.3], [2.0, 0.1, -0.4]], "token hidden"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )
    more_examples = (
        Example(values(0.7), cotangent=-0.6),
        Example(
            values([[[2.0, -1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch token hidden"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


tanh = Tanh()
