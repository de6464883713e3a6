"""log: the natural logarithm."""

from __future__ import annotations

import math

from ..engine.arrays import Array, Index, namespace
from ..engine.checks import refuse
from ..engine.hand import Hand, Paper, ln
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .exp import exp


class Log(Primitive):
    """Takes the natural logarithm of each entry: the power to which e must be raised to give that entry."""

    emit = "log({0}, {out})"

    @formula(r"y_{ij} = \ln x_{ij}")
    def forward(self, x: Array) -> Array:
        return namespace(x).log(x)

    @rule("x", r"dx_{ij} = \frac{dy_{ij}}{x_{ij}}")
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return g / x

    derivation = (
        (r"y = \ln x", "one entry"),
        (r"e^{y} = x", "the logarithm is the inverse of the exponential"),
        (
            r"e^{y} \, \frac{\partial y}{\partial x} = 1",
            "differentiate both sides; the exponential is its own derivative",
        ),
        (r"\frac{\partial y}{\partial x} = \frac{1}{e^{y}} = \frac{1}{x}", "steep near 0, then ever flatter"),
        (r"dx = \frac{dy}{x}", "chain rule"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return ln(x[at])

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        return g[at] / x[at]

    @mistake("You used log base 10: the base is e, which is the key ln on a calculator.")
    def base_ten(self, x: Tensor) -> Tensor:
        return log(x) / math.log(10)

    @mistake("You used log base 2: the base is e, which is the key ln on a calculator.")
    def base_two(self, x: Tensor) -> Tensor:
        return log(x) / math.log(2)

    @mistake("You raised e to the power of the entry: the logarithm is the inverse.")
    def exponential(self, x: Tensor) -> Tensor:
        return exp(x)

    @mistake("You divided by the logarithm: the derivative is 1 / x, where x is the input.", of="x")
    def slope_of_result(self, g: Tensor, out: Tensor) -> Tensor:
        return g / out

    @mistake("You multiplied by x: the derivative of the logarithm is 1 / x.", of="x")
    def multiplied(self, g: Tensor, x: Tensor) -> Tensor:
        return g * x

    def check(self, x: Array) -> None:
        refuse_no_logarithm(x)

    example = Example(
        values([[0.5, 1.2, 0.3], [2.0, 0.1, 3.4]], "token vocab"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )
    more_examples = (Example(values(0.7), cotangent=-0.6),)


def refuse_no_logarithm(x: Array) -> None:
    """Raise unless every entry is above 0."""
    refuse(
        x <= 0,
        x,
        "The logarithm of {value} (entry {index}) does not exist.",
        hint="Probabilities must stay above 0: use cross_entropy on the logits, which never takes the logarithm of"
        " a rounded 0.",
    )


log = Log()
