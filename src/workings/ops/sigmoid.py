"""sigmoid: turns a logit into a probability."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Index
from ..engine.hand import Hand, Lines, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .add import add
from .exp import exp
from .parts.activation_mistakes import SmoothMistakes
from .relu import relu


class Sigmoid(SmoothMistakes, Composite):
    """Turns every score into a number between 0 and 1: almost 0 far below 0, 1/2 at 0, almost 1 far above."""

    @formula(r"s_{ij} = \frac{1}{1 + e^{-x_{ij}}}")
    def forward(self, x: Tensor) -> Tensor:
        # Above 0 this is 1 / (1 + e^-x), below 0 it is e^x / (e^x + 1): the same, and no power overflows.
        positive, negative = relu(x, name="positive"), relu(-x, name="negative")
        numerator, other = exp(-negative, name="numerator"), exp(-positive, name="other")
        return numerator / add(numerator, other, name="total")

    @rule("x", r"dx_{ij} = ds_{ij} \, s_{ij} \left( 1 - s_{ij} \right)")
    def dx(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out * (1 - out)

    derivation = (
        (r"s = \frac{1}{1 + e^{-x}}", "one entry"),
        (r"\frac{\partial s}{\partial x} = \frac{e^{-x}}{(1 + e^{-x})^2}", "quotient rule; the inner derivative is -1"),
        (r"\frac{e^{-x}}{1 + e^{-x}} = 1 - s", "one of the two factors is 1 minus the other"),
        (r"\frac{\partial s}{\partial x} = s (1 - s)", "the other is s: steepest in the middle, flat at both ends"),
        (r"dx = ds \cdot s (1 - s)", "chain rule: the backward pass reuses the result of the forward pass"),
    )

    def by_hand(self, at: Index, x: Paper) -> Lines:
        positive = yield "positive", hand.largest((Literal(0), x[at]))
        negative = yield "negative", hand.largest((Literal(0), -x[at]))
        numerator = yield "numerator", hand.exp(-negative)
        other = yield "other", hand.exp(-positive)
        total = yield "total", numerator + other
        return numerator / total

    def by_hand_dx(self, at: Index, g: Paper, out: Paper) -> Hand:
        product = yield "product", g[at] * out[at]
        rest = yield "rest", Literal(1) - out[at]
        return product * rest

    @mistake("You left out the minus sign in the exponent: it is e to the power -x.")
    def sign_forgotten(self, x: Tensor) -> Tensor:
        return sigmoid(-x)

    @mistake("You left out the 1 in the denominator.")
    def one_forgotten(self, x: Tensor) -> Tensor:
        return 1 / exp(-x)

    @mistake("You stopped at the denominator: s is 1 divided by 1 + e^-x.")
    def not_inverted(self, x: Tensor) -> Tensor:
        return 1 + exp(-x)

    @mistake("You put x in the numerator: s is 1 divided by 1 + e^-x.")
    def input_above(self, x: Tensor) -> Tensor:
        return x * sigmoid(x)

    @mistake("You used tanh, which runs from -1 to 1: the sigmoid runs from 0 to 1.")
    def as_tanh(self, x: Tensor) -> Tensor:
        return 2 * sigmoid(2 * x) - 1

    @mistake("You used x in the derivative: it is s (1 - s), where s is the result.", of="x")
    def slope_of_input(self, g: Tensor, x: Tensor) -> Tensor:
        return g * x * (1 - x)

    @mistake("You left out the factor 1 - s: the derivative is s (1 - s).", of="x")
    def rest_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out

    @mistake("You left out the factor s: the derivative is s (1 - s).", of="x")
    def result_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g * (1 - out)

    @mistake("You used the derivative of tanh, 1 - s²: that of the sigmoid is s (1 - s).", of="x")
    def slope_of_tanh(self, g: Tensor, out: Tensor) -> Tensor:
        return g * (1 - out * out)

    @mistake("You gave the derivative alone: multiply it by the upstream gradient.", of="x")
    def gradient_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return out * (1 - out) + 0.0 * g

    example = Example(
        values([[2.0, -1.5, 0.3], [-0.1, 0.4, -0.8]], "token model"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (Example(values(0.7), cotangent=-0.4),)


sigmoid = Sigmoid()
