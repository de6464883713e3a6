"""running_mean: the exponential moving average, used for the moments of Adam."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.checks import refuse_other_shape
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .scale import scale


class RunningMean(Composite):
    """Keeps the part `beta` of the average so far and adds the part 1 - beta of the new value, so old values fade.

    beta: the decay rate, the part of the average that is kept
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
        (r"y = beta \cdot mean + (1 - beta) \, x", "one entry; beta is a constant"),
        (r"\frac{\partial y}{\partial mean} = beta", "the old average has the weight beta"),
        (r"\frac{\partial y}{\partial x} = 1 - beta", "and the new value the weight 1 - beta"),
    )

    def by_hand(self, at: Index, mean: Paper, x: Paper, *, beta: float) -> Hand:
        kept = yield "old", mean[at] * Literal(beta)
        rest = yield "rest", Literal(1) - Literal(beta)
        fresh = yield "new", x[at] * rest
        return kept + fresh

    def by_hand_dmean(self, at: Index, g: Paper, *, beta: float) -> Hand:
        return g[at] * Literal(beta)

    def by_hand_dx(self, at: Index, g: Paper, *, beta: float) -> Hand:
        rest = yield "rest", Literal(1) - Literal(beta)
        return g[at] * rest

    @mistake("You added the whole new value: multiply it by 1 - beta.")
    def rest_forgotten(self, mean: Tensor, x: Tensor, *, beta: float) -> Tensor:
        return beta * mean + x

    @mistake("You swapped the weights: beta belongs to the average so far, 1 - beta to the new value.")
    def parts_exchanged(self, mean: Tensor, x: Tensor, *, beta: float) -> Tensor:
        return (1 - beta) * mean + beta * x

    @mistake("You left out the average so far: add the part beta of it.")
    def past_forgotten(self, mean: Tensor, x: Tensor, *, beta: float) -> Tensor:
        return (1 - beta) * x

    @mistake("You added both in full: weight the average so far by beta, and the new value by 1 - beta.")
    def plain_sum(self, mean: Tensor, x: Tensor) -> Tensor:
        return mean + x

    @mistake("You weighted both equally: the average so far has the weight beta, the new value 1 - beta.")
    def plain_average(self, mean: Tensor, x: Tensor) -> Tensor:
        return (mean + x) / 2

    @mistake("You used the new value alone: average it with those before it.")
    def not_averaged(self, mean: Tensor, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You gave the average so far the whole gradient: multiply it by beta, its weight.", of="mean")
    def gradient_in_full(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You multiplied by beta: the new value has the weight 1 - beta.", of="x")
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
