"""adam: an adaptive step size for every weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine.arrays import Array
from ..engine.checks import refuse_other_shape
from ..engine.op import Op
from ..engine.page import Example, formula, values
from ..engine.tensor import Tensor
from .parts.adam_mistakes import AdamMistakes, corrected, moments, moved


class Adam(AdamMistakes):
    """Moves every weight by about the learning rate: its average gradient, divided by the typical size of its
    gradients.

    `m` and `v` are exponential moving averages of the gradient and of its square. Both start at 0; bias correction
    compensates for that. `t` counts the updates from 1. Returns the new weight and the new m and v.
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

    def pulled(self, W: Tensor, **settings: Any) -> Tensor:
        return W

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


adam = Adam()
