"""adam_direction: the update direction of Adam, about equally long for steep and for flat weights."""

from __future__ import annotations

from collections.abc import Generator

from ..engine.arrays import Array, Index
from ..engine.checks import refuse_other_shape
from ..engine.hand import Expression, Hand, Literal, Named, Paper, root
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .div import refuse_division_by_zero
from .sqrt import refuse_no_root, sqrt


class AdamDirection(Composite):
    """Divides the average gradient by the root of the average squared gradient: about ±1 where gradients agree, near
    0 where they cancel. `epsilon` prevents a division by 0 for a weight that has no gradient.
    """

    @formula(r"y_{ij} = \frac{m_{ij}}{\sqrt{v_{ij}} + epsilon}")
    def forward(self, m: Tensor, v: Tensor, *, epsilon: float = 1e-8) -> Tensor:
        return m / _size(v, epsilon)[1]

    @rule("m", r"dm_{ij} = \frac{dy_{ij}}{\sqrt{v_{ij}} + epsilon}")
    def dm(self, g: Tensor, v: Tensor, *, epsilon: float) -> Tensor:
        return g / _size(v, epsilon)[1]

    @rule("v", r"dv_{ij} = -\frac{dy_{ij} \, y_{ij}}{2 \sqrt{v_{ij}} \left( \sqrt{v_{ij}} + epsilon \right)}")
    def dv(self, g: Tensor, v: Tensor, out: Tensor, *, epsilon: float) -> Tensor:
        root, size = _size(v, epsilon)
        return -(g * out) / (2.0 * root * size)

    derivation = (
        (r"y = \frac{m}{s}, \quad s = \sqrt{v} + epsilon", "one weight"),
        (r"\frac{\partial y}{\partial m} = \frac{1}{s}", "the direction is proportional to the average gradient"),
        (r"\frac{\partial s}{\partial v} = \frac{1}{2 \sqrt{v}}", "derivative of a square root"),
        (
            r"\frac{\partial y}{\partial v} = -\frac{m}{s^2} \cdot \frac{1}{2 \sqrt{v}} = -\frac{y}{2 \sqrt{v} \, s}",
            "chain rule: a larger v makes the step smaller",
        ),
    )

    def by_hand(self, at: Index, m: Paper, v: Paper, *, epsilon: float) -> Hand:
        _, size = yield from _size_by_hand(v[at], epsilon)
        return m[at] / size

    def by_hand_dm(self, at: Index, g: Paper, v: Paper, *, epsilon: float) -> Hand:
        _, size = yield from _size_by_hand(v[at], epsilon)
        return g[at] / size

    def by_hand_dv(self, at: Index, g: Paper, v: Paper, out: Paper, *, epsilon: float) -> Hand:
        scatter, size = yield from _size_by_hand(v[at], epsilon)
        product = yield "product", g[at] * out[at]
        falling = yield "negative", -product
        twice = yield "double", scatter * Literal(2.0)
        divisor = yield "divisor", twice * size
        return falling / divisor

    @mistake("You divided by v itself: take its square root first.")
    def root_forgotten(self, m: Tensor, v: Tensor, *, epsilon: float) -> Tensor:
        return m / (v + epsilon)

    @mistake("You put epsilon inside the root: add it after taking the root.")
    def epsilon_inside(self, m: Tensor, v: Tensor, *, epsilon: float) -> Tensor:
        return m / sqrt(v + epsilon)

    @mistake("You left out the division: without it, the step depends on how steep the loss is.")
    def not_divided(self, m: Tensor, v: Tensor) -> Tensor:
        return 1.0 * m

    @mistake("You left out epsilon: it is added to the root.")
    def epsilon_forgotten(self, m: Tensor, v: Tensor) -> Tensor:
        return adam_direction(m, v, epsilon=0.0)

    @mistake("You multiplied by the root of v: m is divided by it.")
    def multiplied(self, m: Tensor, v: Tensor, *, epsilon: float) -> Tensor:
        return m * _size(v, epsilon)[1]

    @mistake("You did not divide the gradient: it is divided by the same number as m.", of="m")
    def gradient_not_divided(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You left out the minus sign: a larger v makes the direction smaller.", of="v")
    def sign_forgotten(self, g: Tensor, v: Tensor, out: Tensor, *, epsilon: float) -> Tensor:
        return -self.dv(g, v, out, epsilon=epsilon)

    def check(self, m: Array, v: Array, *, epsilon: float) -> None:
        refuse_other_shape(m, v)
        self.not_negative("epsilon", epsilon)
        refuse_no_root(v)
        if epsilon == 0:
            refuse_division_by_zero(v)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values([[0.09, 0.3, 0.6], [0.5, 0.2, 0.4]], "model hidden"),
        epsilon=0.1,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )
    more_examples = (Example(values([0.2, -0.5], "model"), values([0.3, 0.8], "model"), cotangent=[0.4, -0.7]),)


def _size(v: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """The usual size of the gradients: the root, and the divisor of m."""
    root = sqrt(v, name="root")
    return root, root + constant_like(epsilon, root)


def _size_by_hand(v: Expression, epsilon: float) -> Generator[tuple[str, Expression], Named, tuple[Named, Named]]:
    """The same by hand."""
    scatter = yield "root", root(v)
    return scatter, (yield "size", scatter + Literal(epsilon))


adam_direction = AdamDirection()
