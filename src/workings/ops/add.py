"""add: entry by entry."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Add(Primitive):
    """Adds two tensors entry by entry; a bias row is added to every row."""

    emit = "add({0}, {1}, {out})"
    adds = True

    @formula(r"y_{ij} = a_{ij} + b_{ij}")
    def forward(self, a: Array, b: Array) -> Array:
        return a + b

    @rule("a", r"da_{ij} = dy_{ij}")
    def da(self, g: Tensor) -> Tensor:
        return g

    @rule("b", r"db_{ij} = dy_{ij}")
    def db(self, g: Tensor) -> Tensor:
        return g

    derivation = (
        (r"y = a + b", "one entry of the sum"),
        (r"\frac{\partial y}{\partial a} = 1", "raising a by a little raises y by just as much"),
        (r"da = dy \cdot 1", "so the gradient passes through unchanged, to a and to b alike"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        return a[at] + b[at]

    def by_hand_da(self, at: Index, g: Paper) -> Hand:
        return g[at]

    def by_hand_db(self, at: Index, g: Paper) -> Hand:
        return g[at]

    @mistake("You subtracted; the two are added.")
    def subtracted(self, a: Tensor, b: Tensor) -> Tensor:
        return a - b

    @mistake("You left out the second input; a residual or a bias still has to be added.")
    def forgotten(self, a: Tensor, b: Tensor) -> Tensor:
        return a + 0.0 * b

    @mistake("The gradient goes to both inputs in full; it is not shared out between them.", of="a")
    def halved(self, g: Tensor) -> Tensor:
        return 0.5 * g

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


add = Add()
