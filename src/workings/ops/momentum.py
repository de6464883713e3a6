"""momentum: gradient descent with momentum."""

from __future__ import annotations

from ..engine.arrays import Array
from ..engine.checks import refuse_other_shape
from ..engine.op import Group
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .add import add
from .running_mean import running_mean
from .scale import scale
from .sgd import sgd
from .sub import sub


class Momentum(Group):
    """Adds each gradient to a decaying velocity, and moves the weight against the velocity.

    `beta` is the part of the velocity that each step keeps. The velocity starts at 0. Returns the new weight and the
    new velocity.

    beta: the part of the velocity that each step keeps
    """

    stage = "update"
    parts = ("kept", "velocity", "new")

    @formula(r"y = W - rate \cdot \left( beta \cdot velocity + dW \right)")
    def forward(
        self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float, beta: float = 0.9
    ) -> tuple[Tensor, Tensor]:
        kept = scale(velocity, factor=beta, name="kept")
        velocity = add(kept, dW, name="velocity")
        return sgd(W, velocity, rate=rate, name="new"), velocity

    @mistake("You left out the velocity: without it, this is plain gradient descent.")
    def velocity_forgotten(self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float) -> tuple[Tensor, Tensor]:
        velocity = scale(dW, factor=1.0, name="velocity")
        return sgd(W, velocity, rate=rate, name="new"), velocity

    @mistake("You did not decay the velocity: keep only the part beta of it.")
    def nothing_fades(self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float) -> tuple[Tensor, Tensor]:
        velocity = add(velocity, dW, name="velocity")
        return sgd(W, velocity, rate=rate, name="new"), velocity

    @mistake("You averaged: add the whole gradient to the velocity.")
    def averaged(self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float, beta: float) -> tuple[Tensor, Tensor]:
        velocity = running_mean(velocity, dW, beta=beta, name="velocity")
        return sgd(W, velocity, rate=rate, name="new"), velocity

    @mistake("You moved the weight by the old velocity: use the new one, which contains this gradient.")
    def old_velocity(
        self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float, beta: float
    ) -> tuple[Tensor, Tensor]:
        kept = scale(velocity, factor=beta, name="kept")
        return sgd(W, velocity, rate=rate, name="new"), add(kept, dW, name="velocity")

    @mistake("You multiplied only the gradient by the learning rate: multiply the whole velocity by it.")
    def rate_in_velocity(
        self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float, beta: float
    ) -> tuple[Tensor, Tensor]:
        kept = scale(velocity, factor=beta, name="kept")
        velocity = add(kept, scale(dW, factor=rate), name="velocity")
        return sub(W, velocity, name="new"), velocity

    @mistake("You used Nesterov momentum, which looks one step ahead: here the weight moves by the velocity itself.")
    def nesterov(self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float, beta: float) -> tuple[Tensor, Tensor]:
        velocity = add(scale(velocity, factor=beta, name="kept"), dW, name="velocity")
        return sgd(W, dW + scale(velocity, factor=beta), rate=rate, name="new"), velocity

    @mistake("You multiplied the gradient by beta: multiply the old velocity by it.")
    def beta_on_gradient(
        self, W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float, beta: float
    ) -> tuple[Tensor, Tensor]:
        velocity = add(velocity, scale(dW, factor=beta), name="velocity")
        return sgd(W, velocity, rate=rate, name="new"), velocity

    def check(self, W: Array, dW: Array, velocity: Array, *, rate: float, beta: float) -> None:
        refuse_other_shape(W, dW)
        refuse_other_shape(W, velocity)
        self.below_one("beta", beta)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values([[0.3, 0.8, -0.6], [-0.4, 0.5, 0.9]], "model hidden"),
        values([[0.5, -0.2, 0.1], [0.4, -0.6, 0.8]], "model hidden"),
        rate=0.1,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )


momentum = Momentum()
