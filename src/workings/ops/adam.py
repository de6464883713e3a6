"""adam: every weight with a step size of its own."""

from __future__ import annotations

from collections.abc import Mapping

from ..engine.arrays import Array
from ..engine.checks import refuse_other_shape
from ..engine.op import Group, Op
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .adam_direction import adam_direction
from .bias_correction import bias_correction
from .mul import mul
from .running_mean import running_mean
from .sgd import sgd


class Adam(Group):
    """Moves every weight by about the learning rate: its average gradient, divided by the usual size of its gradients.

    `m` and `v` are the running averages of the gradient and of its square; both begin at 0, which the bias
    correction compensates. `t` counts the updates from 1. Gives the new weight and the new m and v.
    """

    stage = "update"
    parts = ("squared", "m", "v", "m_hat", "v_hat", "direction", "new")

    @formula(r"y = W - rate \cdot \frac{\hat{m}}{\sqrt{\hat{v}} + epsilon}")
    def forward(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
        t: int, rate: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        m, v = moments(dW, m, v, beta1, beta2)
        m_hat, v_hat = corrected(m, v, t, beta1, beta2)
        return moved(W, m_hat, v_hat, rate, epsilon), m, v

    @mistake("You left out the bias correction: at the beginning both averages are much too small.")
    def correction_forgotten(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *, rate: float, beta1: float, beta2: float, epsilon: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        m, v = moments(dW, m, v, beta1, beta2)
        return moved(W, m, v, rate, epsilon), m, v

    @mistake("You averaged the gradient itself for v; v is the average of its square.")
    def square_forgotten(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
        t: int, rate: float, beta1: float, beta2: float, epsilon: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        m = running_mean(m, dW, beta=beta1, name="m")
        v = running_mean(v, dW, beta=beta2, name="v")
        m_hat, v_hat = corrected(m, v, t, beta1, beta2)
        return moved(W, m_hat, v_hat, rate, epsilon), m, v

    @mistake("You exchanged the two betas: beta1 belongs to the gradient, beta2 to its square.")
    def betas_exchanged(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
        t: int, rate: float, beta1: float, beta2: float, epsilon: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        return self.forward(W, dW, m, v, t=t, rate=rate, beta1=beta2, beta2=beta1, epsilon=epsilon)

    def check(self, W: Array, dW: Array, m: Array, v: Array, **settings: float) -> None:
        refuse_unfit(self, (W, dW, m, v), settings)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values([[0.3, 0.8, -0.6], [0.4, 0.5, -0.9]], "model hidden"),
        values([[0.05, -0.02, 0.01], [0.04, -0.06, 0.08]], "model hidden"),
        values([[0.2, 0.4, 0.3], [0.35, 0.5, 0.6]], "model hidden"),
        t=2,
        rate=0.1,
        beta2=0.8,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )


def refuse_unfit(op: Op, tensors: tuple[Array, ...], settings: Mapping[str, float]) -> None:
    """Raise unless all have the shape of the weight, and no step inside would refuse a setting."""
    for other in tensors[1:]:
        refuse_other_shape(tensors[0], other)
    op.positive("t", settings["t"])
    op.below_one("beta1", settings["beta1"])
    op.below_one("beta2", settings["beta2"])
    op.positive("epsilon", settings["epsilon"])


def moments(dW: Tensor, m: Tensor, v: Tensor, beta1: float, beta2: float) -> tuple[Tensor, Tensor]:
    """The running averages of the gradient and of its square."""
    squared = mul(dW, dW, name="squared")
    return running_mean(m, dW, beta=beta1, name="m"), running_mean(v, squared, beta=beta2, name="v")


def corrected(m: Tensor, v: Tensor, t: int, beta1: float, beta2: float) -> tuple[Tensor, Tensor]:
    """Both averages as if they had not begun at 0."""
    m_hat = bias_correction(m, beta=beta1, t=t, name="m_hat")
    return m_hat, bias_correction(v, beta=beta2, t=t, name="v_hat")


def moved(W: Tensor, m_hat: Tensor, v_hat: Tensor, rate: float, epsilon: float) -> Tensor:
    """The weight after one update."""
    direction = adam_direction(m_hat, v_hat, epsilon=epsilon, name="direction")
    return sgd(W, direction, rate=rate, name="new")


adam = Adam()
