"""bias_correction: corrects a moving average that started at zero."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Lines, Literal, Named, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .power import power


class BiasCorrection(Composite):
    """Divides a moving average that started at 0 by the total weight that real values have in it after `t` steps.

    After t steps the initial zero still has the weight beta^t. Dividing by 1 - beta^t makes the average as large as if
    it had never been there. The first step is t = 1.

    beta: the decay rate, the part of the average that each step keeps
    """

    @formula(r"y_{ij} = \frac{x_{ij}}{1 - beta^t}")
    def forward(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / _real_part(x, beta, t)

    @rule("x", r"dx_{ij} = \frac{dy_{ij}}{1 - beta^t}")
    def dx(self, g: Tensor, *, beta: float, t: int) -> Tensor:
        return g / _real_part(g, beta, t)

    derivation = (
        (r"y = \frac{x}{1 - beta^t}", "one entry; beta and t are constants"),
        (r"\frac{\partial y}{\partial x} = \frac{1}{1 - beta^t}", "the derivative is the same for every entry"),
        (r"dx = \frac{dy}{1 - beta^t}", "chain rule: the gradient is divided by the same number"),
    )

    def by_hand(self, at: Index, x: Paper, *, beta: float, t: int) -> Hand:
        part = yield from _part_by_hand(beta, t)
        return x[at] / part

    def by_hand_dx(self, at: Index, g: Paper, *, beta: float, t: int) -> Hand:
        part = yield from _part_by_hand(beta, t)
        return g[at] / part

    @mistake("You left out the bias correction: in the first steps the average is much too small.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You counted the steps from 0: the first step is t = 1.")
    def counted_from_zero(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return bias_correction(x, beta=beta, t=t - 1)

    @mistake("You left out the exponent: beta is raised to the power t.")
    def power_forgotten(self, x: Tensor, *, beta: float) -> Tensor:
        return x / (1 - beta)

    @mistake("You multiplied: the average is divided by 1 - beta^t.")
    def multiplied(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x * (1 - beta**t)

    @mistake("You counted one step too many: t is the number of this step, and the first is 1.")
    def one_step_ahead(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return bias_correction(x, beta=beta, t=t + 1)

    @mistake("You multiplied beta by t: raise it to the power t.")
    def beta_times_t(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / (1 - beta * t)

    @mistake("You divided by beta^t: divide by 1 - beta^t.")
    def one_forgotten(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / beta**t

    @mistake("You raised 1 - beta to the power t: only beta is raised.")
    def power_of_rest(self, x: Tensor, *, beta: float, t: int) -> Tensor:
        return x / (1 - beta) ** t

    @mistake("You did not divide the gradient: it is divided by 1 - beta^t as well.", of="x")
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
    initial = power(constant_like(beta, like), exponent=t, name="power")
    return constant_like(1, like) - initial


def _part_by_hand(beta: float, t: int) -> Lines:
    initial: Named = yield "power", hand.power(Literal(beta), Literal(t))
    part: Named = yield "correction", Literal(1) - initial
    return part


bias_correction = BiasCorrection()
