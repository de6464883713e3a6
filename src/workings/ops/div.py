"""div: elementwise division."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.checks import refuse
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Div(Primitive):
    """Divides the first tensor by the second, entry by entry."""

    emit = "divide({0}, {1}, {out})"

    @formula(r"y_{ij} = \frac{a_{ij}}{b_{ij}}")
    def forward(self, a: Array, b: Array) -> Array:
        return a / b

    @rule("a", r"da_{ij} = \frac{dy_{ij}}{b_{ij}}")
    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g / b

    @rule("b", r"db_{ij} = -\frac{dy_{ij} \, y_{ij}}{b_{ij}}")
    def db(self, g: Tensor, b: Tensor, out: Tensor) -> Tensor:
        return -(g * out / b)

    derivation = (
        (r"y = \frac{a}{b}", "one entry"),
        (r"\frac{\partial y}{\partial a} = \frac{1}{b}", "the smaller b is, the faster y grows with a"),
        (r"\frac{\partial y}{\partial b} = -\frac{a}{b^2} = -\frac{y}{b}", "y decreases as b increases"),
        (r"db = -dy \cdot \frac{y}{b}", "in terms of y, which the forward pass already computed"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        return a[at] / b[at]

    def by_hand_da(self, at: Index, g: Paper, b: Paper) -> Hand:
        return g[at] / b[at]

    def by_hand_db(self, at: Index, g: Paper, b: Paper, out: Paper) -> Hand:
        product = yield "product", g[at] * out[at]
        quotient = yield "quotient", product / b[at]
        return -quotient

    @mistake("You divided the second input by the first.")
    def reversed(self, a: Tensor, b: Tensor) -> Tensor:
        return b / a

    @mistake("You multiplied: divide the first input by the second.")
    def multiplied(self, a: Tensor, b: Tensor) -> Tensor:
        return a * b

    @mistake("You left out the minus sign: y decreases as b increases, so the gradient of b is negative.", of="b")
    def sign_kept(self, g: Tensor, b: Tensor, out: Tensor) -> Tensor:
        return g * out / b

    @mistake("You did not square the divisor: the derivative is -a / b², not -a / b.", of="b")
    def square_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return -(g * out)

    def check(self, a: Array, b: Array) -> None:
        refuse_division_by_zero(b)

    example = Example(
        values([[1.0, 0.6, -0.3], [0.4, 0.9, 1.1]], "query key"),
        values([[2.0, 1.5, 0.8], [0.5, -1.2, 1.6]], "query key"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (
        Example(
            values([[1.0, 0.6, -0.3], [0.4, 0.9, 1.1]], "query key"),
            values([2.0, 1.5, 0.8], "key"),
            cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
        ),
    )


def refuse_division_by_zero(divisor: Array) -> None:
    """Raise if any entry is 0."""
    refuse(
        divisor == 0,
        divisor,
        "Entry {index} would be divided by 0.",
        hint="Check what made the divisor 0. A norm adds a small epsilon to prevent this.",
    )


div = Div()
