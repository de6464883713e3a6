"""sub: elementwise subtraction."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Sub(Primitive):
    """Subtracts the second tensor from the first, entry by entry."""

    emit = "subtract({0}, {1}, {out})"
    adds = True

    @formula(r"y_{ij} = a_{ij} - b_{ij}")
    def forward(self, a: Array, b: Array) -> Array:
        return a - b

    @rule("a", r"da_{ij} = dy_{ij}")
    def da(self, g: Tensor) -> Tensor:
        return g

    @rule("b", r"db_{ij} = -dy_{ij}")
    def db(self, g: Tensor) -> Tensor:
        return -g

    derivation = (
        (r"y = a - b", "one entry of the difference"),
        (r"\frac{\partial y}{\partial a} = 1", "y increases with a"),
        (r"\frac{\partial y}{\partial b} = -1", "y decreases as b increases, so the gradient of b changes sign"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        return a[at] - b[at]

    def by_hand_da(self, at: Index, g: Paper) -> Hand:
        return g[at]

    def by_hand_db(self, at: Index, g: Paper) -> Hand:
        return -g[at]

    @mistake("You subtracted the first input from the second: subtract the second from the first.")
    def reversed(self, a: Tensor, b: Tensor) -> Tensor:
        return b - a

    @mistake("You left out the minus sign: the input that is subtracted gets the negative gradient.", of="b")
    def sign_kept(self, g: Tensor) -> Tensor:
        return 1.0 * g

    example = Example(
        values([[1.2, -0.4], [0.3, 0.8]], "token model"),
        values([[0.5, 0.9], [-0.7, 0.1]], "token model"),
        cotangent=[[0.4, -0.3], [0.9, 0.2]],
    )
    more_examples = (
        Example(
            values([[1.2, -0.4], [0.3, 0.8]], "token model"),
            values([0.5, 0.9], "model"),
            cotangent=[[0.4, -0.3], [0.9, 0.2]],
        ),
    )


sub = Sub()
