"""collect: sums the gradients of a value that is used several times."""

from __future__ import annotations

from functools import reduce
from operator import add, mul, sub

from ..engine import hand
from ..engine.arrays import Array, Index
from ..engine.form import Form
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .parts.surroundings import residual_first, three_paths


class Collect(Primitive):
    """Sums the gradients that flow back from all uses of a value: gradients accumulate, they never replace each
    other.
    """

    adds = True

    @formula(r"y_{ij} = \sum_n parts_{n,ij}")
    def forward(self, *parts: Array) -> Array:
        return reduce(add, parts)

    def source(self, *parts: Form) -> str:  # type: ignore[override]
        call = "{0}"
        for number in range(1, len(parts)):
            call = f"add({call}, {{{number}}}, {{out}})"
        return call

    @rule("parts", r"dparts_{n,ij} = dy_{ij}")
    def dparts(self, g: Tensor) -> Tensor:
        return g

    derivation = (
        (r"\frac{\partial L}{\partial x} = \sum_n \frac{\partial L}{\partial x_n}", "x affects the loss along n paths"),
        (r"dparts_n = dy", "each term of a sum has the derivative 1"),
    )

    def by_hand(self, at: Index, *parts: Paper) -> Hand:
        return hand.add(part[at] for part in parts)

    def by_hand_dparts(self, at: Index, g: Paper) -> Hand:
        return g[at]

    @mistake(
        "You left out the residual connection: the gradient flows through it too.",
        surroundings=residual_first,
    )
    def residual_path_forgotten(self, *parts: Tensor) -> Tensor:
        return collect(*parts[1:])

    @mistake(
        "You followed only the residual connection: the gradient also flows through the sublayer.",
        surroundings=residual_first,
    )
    def only_residual_path(self, *parts: Tensor) -> Tensor:
        return 1.0 * parts[0]

    @mistake("You kept only the last gradient: sum the gradients of all uses.")
    def assigned(self, *parts: Tensor) -> Tensor:
        return 1.0 * parts[-1]

    @mistake("You kept only the first gradient: sum the gradients of all uses.")
    def only_first_path(self, *parts: Tensor) -> Tensor:
        return 1.0 * parts[0]

    @mistake(
        "You kept only the second gradient: sum the gradients of all uses.",
        surroundings=three_paths,
    )
    def only_second_path(self, *parts: Tensor) -> Tensor:
        return 1.0 * parts[1]

    @mistake(
        "You left out the first gradient: sum the gradients of all uses.",
        surroundings=three_paths,
    )
    def first_path_forgotten(self, *parts: Tensor) -> Tensor:
        return collect(*parts[1:])

    @mistake(
        "You left out the second gradient: sum the gradients of all uses.",
        surroundings=three_paths,
    )
    def second_path_forgotten(self, *parts: Tensor) -> Tensor:
        return collect(parts[0], *parts[2:])

    @mistake(
        "You left out the last gradient: sum the gradients of all uses.",
        surroundings=three_paths,
    )
    def last_path_forgotten(self, *parts: Tensor) -> Tensor:
        return collect(*parts[:-1])

    @mistake("You averaged the gradients: sum them.")
    def averaged(self, *parts: Tensor) -> Tensor:
        return collect(*parts) / len(parts)

    @mistake("You multiplied the gradients: sum them.")
    def multiplied(self, *parts: Tensor) -> Tensor:
        return reduce(mul, parts)

    @mistake("You subtracted one gradient from another: sum them.")
    def subtracted(self, *parts: Tensor) -> Tensor:
        return reduce(sub, parts)

    @mistake("You added the first gradient twice: add each one once.")
    def first_path_twice(self, *parts: Tensor) -> Tensor:
        return collect(*parts, parts[0])

    @mistake("You added the last gradient twice: add each one once.")
    def last_path_twice(self, *parts: Tensor) -> Tensor:
        return collect(*parts, parts[-1])

    example = Example(
        values([[0.3, -0.7], [0.5, 0.1]], "token model"),
        values([[0.2, 0.9], [-0.4, 0.8]], "token model"),
        values([[-0.6, 0.1], [0.3, 0.5]], "token model"),
        cotangent=[[0.4, -0.9], [0.7, 0.2]],
    )


collect = Collect()
