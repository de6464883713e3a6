"""add: elementwise addition."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.changes import Changes
from ..engine.form import wrong_rank
from ..engine.hand import Hand, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .parts.biases import bias_added, other_bias
from .parts.residual_mistakes import ResidualMistakes


class Add(ResidualMistakes):
    """Adds two tensors entry by entry. A bias is added to every row."""

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
        (r"\frac{\partial y}{\partial a} = 1", "when a increases, y increases by the same amount"),
        (r"da = dy \cdot 1", "so the gradient passes through unchanged, to a and to b"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        return a[at] + b[at]

    def by_hand_da(self, at: Index, g: Paper) -> Hand:
        return g[at]

    def by_hand_db(self, at: Index, g: Paper) -> Hand:
        return g[at]

    @mistake("You subtracted: the two inputs are added.")
    def subtracted(self, a: Tensor, b: Tensor) -> Tensor:
        return a - b

    @mistake("You left out the second input: the residual or the bias must still be added.")
    def forgotten(self, a: Tensor, b: Tensor) -> Tensor:
        return a + 0.0 * b

    @mistake("You divided the gradient between the inputs: each gets all of it.", of="a")
    def halved(self, g: Tensor) -> Tensor:
        return 0.5 * g

    @mistake("You multiplied: the two inputs are added.")
    def multiplied(self, a: Tensor, b: Tensor) -> Tensor:
        refuse_single_numbers(a, b)
        return a * b

    @mistake("You averaged the two inputs: add them.")
    def averaged(self, a: Tensor, b: Tensor) -> Tensor:
        refuse_single_numbers(a, b)
        return 0.5 * (a + b)

    @mistake("You divided the gradient between the inputs: each gets all of it.", of="b")
    def second_halved(self, g: Tensor) -> Tensor:
        return 0.5 * g

    @mistake("You left out the bias: add it to every row.", across="wire")
    def bias_forgotten(self, here: Site) -> Changes | None:
        return here.left_out_for(here.input("a")) if bias_added(here) is not None else None

    @mistake("You added the bias twice: add it once.", surroundings=bias_added)
    def bias_twice(self, a: Tensor, b: Tensor) -> Tensor:
        return a + b + b

    @mistake("You added the bias of another layer: each layer has its own.", across="wire")
    def other_bias(self, here: Site) -> Changes | None:
        return other_bias(here)

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


def refuse_single_numbers(*inputs: Tensor) -> None:
    """Raise if an input is a single number, such as epsilon: nobody mistakes it for a factor."""
    if any(not x.shape for x in inputs):
        raise wrong_rank("add", "one axis or more", 0)


add = Add()
