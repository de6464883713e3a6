"""running_mean: an average that forgets, the moments of Adam."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.checks import refuse_other_shape
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .scale import scale


class RunningMean(Composite):
    """Keeps a part `beta` of the average so far and fills the rest up with the new value: old values fade away.

    beta: how much of the average is kept
    """

    @formula(r"y_{ij} = beta \cdot mean_{ij} + (1 - beta) \, x_{ij}")
    def forward(self, mean: Tensor, x: Tensor, *, beta: float) -> Tensor:
        kept = scale(mean, factor=beta, name="kept")
        return kept + x * _rest(x, beta)

    @rule("mean", r"dmean_{ij} = beta \cdot dy_{ij}")
    def dmean(self, g: Tensor, *, beta: float) -> Tensor:
        return scale(g, factor=beta)

    @rule("x", r"dx_{ij} = (1 - beta) \, dy_{ij}")
    def dx(self, g: Tensor, *, beta: float) -> Tensor:
        return g * _rest(g, beta)

    derivation = (
        (r"y = beta \cdot mean + (1 - beta) \, x", "one entry; beta is fixed"),
        (r"\frac{\partial y}{\partial mean} = beta", "the old average counts with the part that is kept"),
        (r"\frac{\partial y}{\partial x} = 1 - beta", "and the new value with the rest"),
    )

    def by_hand(self, at: Index, mean: Paper, x: Paper, *, beta: float) -> Hand:
        kept = yield "kept", mean[at] * Literal(beta)
        rest = yield "rest", Literal(1) - Literal(beta)
        fresh = yield "fresh", x[at] * rest
        return kept + fresh

    def by_hand_dmean(self, at: Index, g: Paper, *, beta: float) -> Hand:
        return g[at] * Literal(beta)

    def by_hand_dx(self, at: Index, g: Paper, *, beta: float) -> Hand:
        rest = yield "rest", Literal(1) - Literal(beta)
        return g[at] * rest

    @mistake("You added the whole new value; only the part 1 - beta of it counts.")
    def rest_forgotten(self, mean: Tensor, x: Tensor, *, beta: float) -> Tensor:
        return beta * mean + x

    @mistake("You exchanged the parts: beta belongs to the average so far, 1 - beta to the new value.")
    def parts_exchanged(self, mean: Tensor, x: Tensor, *, beta: float) -> Tensor:
        return (1 - beta) * mean + beta * x

    @mistake("You forgot the average so far: a part of it is kept.")
    def past_forgotten(self, mean: Tensor, x: Tensor, *, beta: float) -> Tensor:
        return (1 - beta) * x

    @mistake("You added both in full; the average so far counts with beta, the new value with 1 - beta.")
    def plain_sum(self, mean: Tensor, x: Tensor) -> Tensor:
        return mean + x

    @mistake("You gave both the same weight; the average so far counts with beta, the new value with 1 - beta.")
    def plain_average(self, mean: Tensor, x: Tensor) -> Tensor:
        return (mean + x) / 2

    @mistake("You took the new value alone; it is averaged with those before it.")
    def not_averaged(self, mean: Tensor, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("The average so far counts with beta, and so does its gradient.", of="mean")
    def gradient_in_full(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("The new value counts with 1 - beta, not with beta.", of="x")
    def part_instead_of_rest(self, g: Tensor, *, beta: float) -> Tensor:
        return beta * g

    def check(self, mean: Array, x: Array, *, beta: float) -> None:
        refuse_other_shape(mean, x)
        self.below_one("beta", beta)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values([[0.3, 0.8, -0.6], [-0.4, 0.5, 0.9]], "model hidden"),
        beta=0.9,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )
    more_examples = (
        Example(values([0.2, -0.5], "model"), values([0.3, 0.8], "model"), beta=0.25, cotangent=[0.4, -0.7]),
    )


def _rest(like: Tensor, beta: float) -> Tensor:
    """The part that is not kept."""
    return constant_like(1, like) - constant_like(beta, like)


running_mean = RunningMean()
