"""relu, positive: the rectified linear unit, and the mask of positive entries."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.hand import Hand, Literal, Paper, chosen, is_greater, largest
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .parts.activation_mistakes import ActivationMistakes, sigmoid_of


class Positive(Primitive):
    """Marks the entries above 0 with 1 and all others, including 0, with 0."""

    emit = "({0} > 0).astype({0}.dtype)"

    @formula(r"y_{ij} = [x_{ij} > 0]")
    def forward(self, x: Array) -> Array:
        xp: Any = namespace(x)
        return xp.astype(x > 0, x.dtype)

    no_rule = {"x": "A small change of x does not change the mask, so its derivative is 0."}

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return is_greater(x[at], Literal(0))

    @mistake("You marked 0 as well: it is not above 0.")
    def zero_marked(self, x: Tensor) -> Tensor:
        return 1 - positive(-x)

    @mistake("You kept the entry itself: mark it with 1.")
    def entry_kept(self, x: Tensor) -> Tensor:
        return relu(x)

    example = Example(values([[0.2, -0.5, 1.0], [0.0, 0.1, -0.3]], "token hidden"))


class Relu(ActivationMistakes, Primitive):
    """Keeps every positive entry and sets the others to 0."""

    conventions = {"activation": "relu"}
    emit = "maximum({0}, 0, out={out})"

    @formula(r"y_{ij} = \max(0, x_{ij})")
    def forward(self, x: Array) -> Array:
        return namespace(x).clip(x, min=0)

    @rule("x", r"dx_{ij} = dy_{ij} \, [x_{ij} > 0]")
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return g * positive(x)

    derivation = (
        (r"y = \max(0, x)", "one entry"),
        (r"\frac{\partial y}{\partial x} = 1", "above 0, y is x, so it changes with x"),
        (r"\frac{\partial y}{\partial x} = 0", "below 0, y stays 0 whatever x does"),
        (r"dx = dy \, [x > 0]", "the gradient passes where x was above 0; at 0 itself we take 0"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return largest((Literal(0), x[at]))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        return chosen(is_greater(x[at], Literal(0)), g[at])

    @mistake("You kept the negative entries: ReLU sets them to 0.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You took the absolute value: ReLU sets negative entries to 0.")
    def absolute(self, x: Tensor) -> Tensor:
        return relu(x) + relu(-x)

    @mistake("You kept the negative entries and set the positive ones to 0: it is the other way around.")
    def negative_kept(self, x: Tensor) -> Tensor:
        return -relu(-x)

    @mistake("You used leaky ReLU, 0.01 x below 0: ReLU sets negative entries to 0.")
    def leaky(self, x: Tensor) -> Tensor:
        return relu(x) - 0.01 * relu(-x)

    @mistake("You used leaky ReLU, 0.1 x below 0: ReLU sets negative entries to 0.")
    def leaky_tenth(self, x: Tensor) -> Tensor:
        return relu(x) - 0.1 * relu(-x)

    @mistake("You used leaky ReLU, 0.2 x below 0: ReLU sets negative entries to 0.")
    def leaky_fifth(self, x: Tensor) -> Tensor:
        return relu(x) - 0.2 * relu(-x)

    @mistake("You wrote 1 for every positive entry: ReLU keeps the entry itself.")
    def as_step(self, x: Tensor) -> Tensor:
        return positive(x)

    @mistake("You let the gradient pass everywhere: it is 0 where x was below 0.", of="x")
    def mask_forgotten(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You used the sign of the gradient: the sign of x decides where it passes.", of="x")
    def mask_from_gradient(self, g: Tensor) -> Tensor:
        return g * positive(g)

    @mistake("You inverted the mask: the gradient passes where x was above 0 and is 0 elsewhere.", of="x")
    def mask_reversed(self, g: Tensor, x: Tensor) -> Tensor:
        return g * (1 - positive(x))

    @mistake("You multiplied by the activation: the derivative of ReLU is 1 where x was above 0.", of="x")
    def times_activation(self, g: Tensor, x: Tensor) -> Tensor:
        return g * relu(x)

    @mistake("You used the derivative of the sigmoid: that of ReLU is 1 where x was above 0 and 0 elsewhere.", of="x")
    def slope_of_sigmoid(self, g: Tensor, x: Tensor) -> Tensor:
        s = sigmoid_of(x)
        return g * (s * (1 - s))

    @mistake("You gave the derivative alone: multiply it by the upstream gradient.", of="x")
    def gradient_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        return positive(x) + 0.0 * g

    example = Example(
        values([[0.2, -0.5, 1.0], [-0.7, 0.1, -0.3]], "token hidden"),
        cotangent=[[0.3, -0.8, -0.5], [0.6, 0.2, -0.4]],
    )


positive = Positive()
relu = Relu()
