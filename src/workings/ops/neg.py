"""neg: negation."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Neg(Primitive):
    """Flips the sign of every entry."""

    emit = "negative({0}, {out})"

    @formula(r"y_{ij} = -x_{ij}")
    def forward(self, x: Array) -> Array:
        return -x

    @rule("x", r"dx_{ij} = -dy_{ij}")
    def dx(self, g: Tensor) -> Tensor:
        return -g

    derivation = (
        (r"y = -x", "one entry"),
        (r"\frac{\partial y}{\partial x} = -1", "y decreases by as much as x increases"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return -x[at]

    def by_hand_dx(self, at: Index, g: Paper) -> Hand:
        return -g[at]

    @mistake("You forgot to flip the sign.")
    def sign_kept(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You did not flip the sign of the gradient: it changes sign too.", of="x")
    def gradient_sign_kept(self, g: Tensor) -> Tensor:
        return 1.0 * g

    example = Example(
        values([[0.2, -0.5], [0.7, 0.1]], "token model"),
        cotangent=[[0.3, -0.8], [0.6, 0.2]],
    )


neg = Neg()
