"""adamw: Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .adam import adam, refuse_unfit
from .adam_direction import adam_direction
from .add import add
from .parts.adam_mistakes import AdamMistakes, corrected, moments, moved
from .scale import scale
from .sgd import sgd
from .weight_decay import weight_decay


class Adamw(AdamMistakes):
    """Shrinks every weight slightly towards 0, then moves it as Adam does. The decay stays out of the moving averages,
    so it is equally strong for weights with large and with small gradients.

    `m` and `v` start at 0, `t` counts the updates from 1. Returns the new weight and the new m and v.
    """

    stage = "update"
    parts = ("squared", "m", "v", "m_hat", "v_hat", "decayed", "direction", "new")

    @formula(r"y = W - rate \cdot decay \cdot W - rate \cdot \frac{\hat{m}}{\sqrt{\hat{v}} + epsilon}")
    def forward(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
        t: int, rate: float, decay: float = 0.01, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        m, v = moments(dW, m, v, beta1, beta2)
        m_hat, v_hat = corrected(m, v, t, beta1, beta2)
        decayed = weight_decay(W, rate=rate, decay=decay, name="decayed")
        return moved(decayed, m_hat, v_hat, rate, epsilon), m, v

    @mistake("You left out the weight decay: without it, this is Adam.")
    def decay_forgotten(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
        t: int, rate: float, beta1: float, beta2: float, epsilon: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        return adam.forward(W, dW, m, v, t=t, rate=rate, beta1=beta1, beta2=beta2, epsilon=epsilon)

    @mistake("You added the decay to the gradient, where Adam divides it away: subtract it from the weight itself.")
    def decay_in_gradient(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
        t: int, rate: float, decay: float, beta1: float, beta2: float, epsilon: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        pulled = add(dW, scale(W, factor=decay, name="pull"), name="pulled")
        return adam.forward(W, pulled, m, v, t=t, rate=rate, beta1=beta1, beta2=beta2, epsilon=epsilon)

    @mistake("You applied the decay to the new weight: it is computed from the old one.")
    def decay_last(
        self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
        t: int, rate: float, decay: float, beta1: float, beta2: float, epsilon: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        m, v = moments(dW, m, v, beta1, beta2)
        m_hat, v_hat = corrected(m, v, t, beta1, beta2)
        direction = adam_direction(m_hat, v_hat, epsilon=epsilon, name="direction")
        return weight_decay(sgd(W, direction, rate=rate), rate=rate, decay=decay, name="new"), m, v

    def pulled(self, W: Tensor, **settings: Any) -> Tensor:
        return weight_decay(W, rate=settings["rate"], decay=settings["decay"], name="decayed")

    def check(self, W: Array, dW: Array, m: Array, v: Array, **settings: float) -> None:
        refuse_unfit(self, (W, dW, m, v), settings)
        self.not_negative("decay", settings["decay"])

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values([[0.3, 0.8, -0.6], [-0.4, 0.5, 0.9]], "model hidden"),
        values([[0.05, -0.02, 0.01], [0.04, -0.06, 0.08]], "model hidden"),
        values([[0.2, 0.4, 0.3], [0.35, 0.5, 0.6]], "model hidden"),
        t=2,
        rate=0.1,
        decay=0.2,
        beta2=0.8,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )


adamw = Adamw()
