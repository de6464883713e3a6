"""pass: the identity."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Pass(Primitive):
    """Passes a value on unchanged, under a name of its own."""

    view = True

    @formula(r"y_{ij} = x_{ij}")
    def forward(self, x: Array) -> Array:
        return x

    @rule("x", r"dx_{ij} = dy_{ij}")
    def dx(self, g: Tensor) -> Tensor:
        return g

    derivation = ((r"\frac{\partial y}{\partial x} = 1", "y is x, so it has the same gradient"),)

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return x[at]

    def by_hand_dx(self, at: Index, g: Paper) -> Hand:
        return g[at]

    @mistake("You flipped the sign: the value stays the same.")
    def sign_turned(self, x: Tensor) -> Tensor:
        return -x

    example = Example(
        values([[0.3, -0.7], [0.5, 0.1]], "token model"),
        cotangent=[[0.4, -0.9], [0.7, 0.2]],
    )


pass_ = Pass()
