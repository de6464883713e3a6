"""bias_correction: compensates an average that began at zero."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Lines, Literal, Named, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .power import power


class BiasCorrection(Composite):
    """Divides a running average that began at 0 by the part of it that real values make up after `t` steps.

    After t steps the zeros of the beginning still count with beta^t. Divided by 1 - beta^t, the
    average is as large as if they had never been there. The first step is t = 1.

    beta: how much of the average was kept at each step
    """

    @formula(r"y_{ij} = \frac{x_{ij}}{1 - beta^t}")
    def forward(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / _real_part(x, beta, t)

    @rule("x", r"dx_{ij} = \frac{dy_{ij}}{1 - beta^t}")
    def dx(self, g: Tensor, *, beta: float, t: int) -> Tensor:
        return g / _real_part(g, beta, t)

    derivation = (
        (r"y = \frac{x}{1 - beta^t}", "one entry; beta and t are fixed"),
        (r"\frac{\partial y}{\partial x} = \frac{1}{1 - beta^t}", "the slope is the same for every entry"),
        (r"dx = \frac{dy}{1 - beta^t}", "chain rule: the gradient is divided by the same number"),
    )

    def by_hand(self, at: Index, x: Paper, *, beta: float, t: int) -> Hand:
        part = yield from _part_by_hand(beta, t)
        return x[at] / part

    def by_hand_dx(self, at: Index, g: Paper, *, beta: float, t: int) -> Hand:
        part = yield from _part_by_hand(beta, t)
        return g[at] / part

    @mistake("You left out the correction: at the beginning the average is much too small.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You counted the steps from 0; the first step is t = 1.")
    def counted_from_zero(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return bias_correction(x, beta=beta, t=t - 1)

    @mistake("You left out the power: beta is multiplied with itself t times.")
    def power_forgotten(self, x: Tensor, *, beta: float) -> Tensor:
        return x / (1 - beta)

    @mistake("You multiplied; the average is divided by 1 - beta^t.")
    def multiplied(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x * (1 - beta**t)

    @mistake("You counted one step too many; t is the number of this step, and the first is 1.")
    def one_step_ahead(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return bias_correction(x, beta=beta, t=t + 1)

    @mistake("You multiplied beta by t; beta is raised to the power t.")
    def beta_times_t(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / (1 - beta * t)

    @mistake("You divided by beta^t; the average is divided by 1 - beta^t.")
    def one_forgotten(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / beta**t

    @mistake("You raised 1 - beta to the power t; the power is that of beta alone.")
    def power_of_rest(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / (1 - beta) ** t

    @mistake("The gradient is divided as well.", of="x")
    def gradient_not_divided(self, g: Tensor) -> Tensor:
        return 1.0 * g

    def check(self, x: Array, *, beta: float, t: int) -> None:
        self.below_one("beta", beta)
        self.positive("t", t)

    example = Example(
        values([[0.02, -0.05, 0.1], [0.07, 0.01, -0.03]], "model hidden"),
        beta=0.9,
        t=2,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )
    more_examples = (Example(values([0.02, -0.05], "model"), beta=0.999, t=1, cotangent=[0.4, -0.7]),)


def _real_part(like: Tensor, beta: float, t: int) -> Tensor:
    """Which part of the average real values make up."""
    zeros = power(constant_like(beta, like), exponent=t, name="zeros")
    return constant_like(1, like) - zeros


def _part_by_hand(beta: float, t: int) -> Lines:
    zeros: Named = yield "zeros", hand.power(Literal(beta), Literal(t))
    part: Named = yield "part", Literal(1) - zeros
    return part


bias_correction = BiasCorrection()
