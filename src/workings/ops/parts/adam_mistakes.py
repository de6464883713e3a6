"""The steps that Adam and AdamW have in common, and what goes wrong in both."""

from __future__ import annotations

from typing import Any

from ...engine.op import Group
from ...engine.page import mistake
from ...engine.tensor import Tensor, constant_like
from ..adam_direction import adam_direction
from ..bias_correction import bias_correction
from ..div import div
from ..mul import mul
from ..running_mean import running_mean
from ..sgd import sgd
from ..sqrt import sqrt

Updated = tuple[Tensor, Tensor, Tensor]


class AdamMistakes(Group):
    """A page says what happens to the weight before the step."""

    def pulled(self, W: Tensor, **settings: Any) -> Tensor:
        """The weight that the step is subtracted from."""
        raise NotImplementedError

    @mistake("You left out the bias correction: in the first steps both averages are much too small.")
    def correction_forgotten(self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, **settings: Any) -> Updated:
        m, v = moments(dW, m, v, settings["beta1"], settings["beta2"])
        return moved(self.pulled(W, **settings), m, v, settings["rate"], settings["epsilon"]), m, v

    @mistake("You averaged the gradient itself for v: v is the average of its square.")
    def square_forgotten(self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, **settings: Any) -> Updated:
        m = running_mean(m, dW, beta=settings["beta1"], name="m")
        v = running_mean(v, dW, beta=settings["beta2"], name="v")
        return self._finished(W, m, v, **settings), m, v

    @mistake("You swapped the two betas: beta1 belongs to the gradient, beta2 to its square.")
    def betas_exchanged(self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, **settings: Any) -> Updated:
        exchanged = {"beta1": settings["beta2"], "beta2": settings["beta1"]}
        made: Updated = self.forward(W, dW, m, v, **{**settings, **exchanged})
        return made

    @mistake("You squared the average gradient for v: v is the average of the squared gradients.")
    def average_squared(self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, **settings: Any) -> Updated:
        m = running_mean(m, dW, beta=settings["beta1"], name="m")
        v = running_mean(v, mul(m, m, name="squared"), beta=settings["beta2"], name="v")
        return self._finished(W, m, v, **settings), m, v

    @mistake("You took the root of v before its bias correction: correct v first, then take the root.")
    def root_before_correction(self, W: Tensor, dW: Tensor, m: Tensor, v: Tensor, **settings: Any) -> Updated:
        beta1, beta2, t = (settings[name] for name in ("beta1", "beta2", "t"))
        m, v = moments(dW, m, v, beta1, beta2)
        m_hat = bias_correction(m, beta=beta1, t=t, name="m_hat")
        size = bias_correction(sqrt(v), beta=beta2, t=t)
        direction = div(m_hat, size + constant_like(settings["epsilon"], v), name="direction")
        return sgd(self.pulled(W, **settings), direction, rate=settings["rate"], name="new"), m, v

    def _finished(self, W: Tensor, m: Tensor, v: Tensor, **settings: Any) -> Tensor:
        m_hat, v_hat = corrected(m, v, settings["t"], settings["beta1"], settings["beta2"])
        return moved(self.pulled(W, **settings), m_hat, v_hat, settings["rate"], settings["epsilon"])


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
