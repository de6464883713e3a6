"""scale, divide_by: multiplication and division by a constant."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.errors import NumberError
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .parts.surroundings import last_terms


class Scale(Primitive):
    """Multiplies every entry by the same number.

    factor: the number
    """

    emit = "multiply({0}, {factor}, {out})"

    @formula(r"y_{ij} = factor \cdot x_{ij}")
    def forward(self, x: Array, *, factor: float) -> Array:
        return x * factor

    @rule("x", r"dx_{ij} = factor \cdot dy_{ij}")
    def dx(self, g: Tensor, *, factor: float) -> Tensor:
        return scale(g, factor=factor)

    derivation = (
        (r"y = factor \cdot x", "one entry"),
        (r"\frac{\partial y}{\partial x} = factor", "the derivative is the same number"),
    )

    def by_hand(self, at: Index, x: Paper, *, factor: float) -> Hand:
        return x[at] * Literal(factor)

    def by_hand_dx(self, at: Index, g: Paper, *, factor: float) -> Hand:
        return g[at] * Literal(factor)

    @mistake("You divided: multiply the entries by this number.")
    def divided(self, x: Tensor, *, factor: float) -> Tensor:
        return divide_by(x, divisor=factor)

    @mistake("You left out the factor.")
    def forgotten(self, x: Tensor) -> Tensor:
        return x + 0.0

    @mistake("You multiplied twice: multiply once.")
    def twice(self, x: Tensor, *, factor: float) -> Tensor:
        return scale(scale(x, factor=factor), factor=factor)

    @mistake("You added the number: multiply every entry by it.")
    def added(self, x: Tensor, *, factor: float) -> Tensor:
        return x + factor

    @mistake("You did not scale the gradient: multiply it by the factor as well.", of="x")
    def factor_forgotten(self, g: Tensor) -> Tensor:
        return g + 0.0

    @mistake("You divided the gradient: multiply it by the factor, as in the forward pass.", of="x")
    def gradient_divided(self, g: Tensor, *, factor: float) -> Tensor:
        return divide_by(g, divisor=factor)

    example = Example(
        values([[0.2, -0.5], [0.7, 0.1]], "token model"),
        factor=0.3,
        cotangent=[[0.3, -0.8], [0.6, 0.2]],
    )


class DivideBy(Primitive):
    """Divides every entry by the same number.

    divisor: the number
    """

    emit = "divide({0}, {divisor}, {out})"

    @formula(r"y_{ij} = \frac{x_{ij}}{divisor}")
    def forward(self, x: Array, *, divisor: float) -> Array:
        return x / divisor

    @rule("x", r"dx_{ij} = \frac{dy_{ij}}{divisor}")
    def dx(self, g: Tensor, *, divisor: float) -> Tensor:
        return divide_by(g, divisor=divisor)

    derivation = (
        (r"y = \frac{x}{divisor}", "one entry"),
        (r"\frac{\partial y}{\partial x} = \frac{1}{divisor}", "the derivative is the same for every entry"),
    )

    def by_hand(self, at: Index, x: Paper, *, divisor: float) -> Hand:
        return x[at] / Literal(divisor)

    def by_hand_dx(self, at: Index, g: Paper, *, divisor: float) -> Hand:
        return g[at] / Literal(divisor)

    @mistake("You multiplied: divide the entries by this number.")
    def multiplied(self, x: Tensor, *, divisor: float) -> Tensor:
        return scale(x, factor=divisor)

    @mistake("You left out the division.")
    def not_divided(self, x: Tensor) -> Tensor:
        return x + 0.0

    @mistake("You divided twice: divide once.")
    def divided_twice(self, x: Tensor, *, divisor: float) -> Tensor:
        return divide_by(divide_by(x, divisor=divisor), divisor=divisor)

    @mistake("You did not divide the gradient: it is divided as well.", of="x")
    def gradient_not_divided(self, g: Tensor) -> Tensor:
        return g + 0.0

    @mistake("You multiplied the gradient: divide it, as in the forward pass.", of="x")
    def gradient_multiplied(self, g: Tensor, *, divisor: float) -> Tensor:
        return scale(g, factor=divisor)

    @mistake("You divided the gradient twice: divide once.", of="x")
    def gradient_divided_twice(self, g: Tensor, *, divisor: float) -> Tensor:
        return divide_by(divide_by(g, divisor=divisor), divisor=divisor)

    @mistake(
        "You averaged an average with one more number: sum all of the numbers first, then divide once.",
        surroundings=last_terms,
    )
    def mean_of_means(self, x: Tensor, before: Tensor, last: Tensor, *, divisor: float) -> Tensor:
        return (before / (divisor - 1) + last) / 2

    @mistake("You left the last number out of the average: all of them count.", surroundings=last_terms)
    def last_left_out(self, x: Tensor, before: Tensor, last: Tensor, *, divisor: float) -> Tensor:
        return before / (divisor - 1)

    def check(self, x: Array, *, divisor: float) -> None:
        if divisor == 0:
            raise NumberError("Every entry would be divided by 0.", hint="Give a divisor other than 0.")

    example = Example(
        values([[0.2, -0.5], [0.7, 0.1]], "token model"),
        divisor=3,
        cotangent=[[0.3, -0.8], [0.6, 0.2]],
    )


scale = Scale()
divide_by = DivideBy()
