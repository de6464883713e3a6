"""sqrt: the square root."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.checks import refuse
from ..engine.hand import Hand, Literal, Paper, root
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Sqrt(Primitive):
    """Takes the square root of each entry: the number that gives the entry when multiplied by itself."""

    emit = "sqrt({0}, {out})"

    @formula(r"y_{ij} = \sqrt{x_{ij}}")
    def forward(self, x: Array) -> Array:
        return namespace(x).sqrt(x)

    @rule("x", r"dx_{ij} = \frac{dy_{ij}}{2 \, y_{ij}}")
    def dx(self, g: Tensor, out: Tensor) -> Tensor:
        return g / (2 * out)

    derivation = (
        (r"y = \sqrt{x}", "one entry"),
        (r"y \, y = x", "the definition of the root"),
        (r"2 \, y \, \frac{\partial y}{\partial x} = 1", "differentiate both sides, with the product rule on the left"),
        (r"\frac{\partial y}{\partial x} = \frac{1}{2 \, y}", "in terms of the root itself"),
        (r"dx = \frac{dy}{2 \, y}", "chain rule: the backward pass reuses the result of the forward pass"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return root(x[at])

    def by_hand_dx(self, at: Index, g: Paper, out: Paper) -> Hand:
        double = yield "double", out[at] * Literal(2)
        return g[at] / double

    @mistake("You left the entry as it was: take its square root.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You halved the entry: the square root times itself gives the entry.")
    def halved(self, x: Tensor) -> Tensor:
        return x / 2

    @mistake("You squared the entry: the result is its square root.")
    def squared(self, x: Tensor) -> Tensor:
        return x * x

    @mistake("You left out the 2: the derivative is 1 divided by twice the root.", of="x")
    def factor_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g / out

    @mistake("You divided by twice the entry: divide by twice its root.", of="x")
    def root_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        return g / (2 * x)

    def check(self, x: Array) -> None:
        refuse_no_root(x)

    example = Example(
        values([[0.5, 1.2, 0.3], [2.0, 7.0, 3.4]], "token model"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )


def refuse_no_root(x: Array) -> None:
    """Raise if any entry is below 0."""
    refuse(
        x < 0,
        x,
        "The square root of {value} (entry {index}) does not exist.",
        hint="Square roots need entries of 0 or more.",
    )


sqrt = Sqrt()
