"""mul: elementwise multiplication."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Mul(Primitive):
    """Multiplies two tensors entry by entry. This is not the matrix product."""

    emit = "multiply({0}, {1}, {out})"

    @formula(r"y_{ij} = a_{ij} \, b_{ij}")
    def forward(self, a: Array, b: Array) -> Array:
        return a * b

    @rule("a", r"da_{ij} = dy_{ij} \, b_{ij}")
    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g * b

    @rule("b", r"db_{ij} = dy_{ij} \, a_{ij}")
    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return g * a

    derivation = (
        (r"y = a \, b", "one entry"),
        (r"\frac{\partial y}{\partial a} = b", "when a increases, y increases b times as much"),
        (r"da = dy \cdot b", "so each input gets the gradient times the other input"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        return a[at] * b[at]

    def by_hand_da(self, at: Index, g: Paper, b: Paper) -> Hand:
        return g[at] * b[at]

    def by_hand_db(self, at: Index, g: Paper, a: Paper) -> Hand:
        return g[at] * a[at]

    @mistake("You added: multiply the entries.")
    def added(self, a: Tensor, b: Tensor) -> Tensor:
        return a + b

    @mistake("You multiplied by the input itself: its gradient contains the other input.", of="a")
    def own_value(self, g: Tensor, a: Tensor) -> Tensor:
        return g * a

    @mistake("You forgot to multiply by the other input.", of="b")
    def factor_forgotten(self, g: Tensor) -> Tensor:
        return 1.0 * g

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
        values([[0.1, 0.4, -0.6], [-0.2, 0.5, 0.9]], "token model"),
        cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]],
    )
    more_examples = (
        Example(
            values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
            values([0.1, 0.4, -0.6], "model"),
            cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]],
        ),
    )


mul = Mul()
