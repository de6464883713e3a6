"""at_most: clamps entries at an upper limit."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.hand import Hand, Literal, Paper, chosen, is_greater, smallest
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .relu import positive


class AtMost(Primitive):
    """Replaces every entry above the limit by the limit and keeps all others.

    limit: the largest value that an entry may have
    """

    emit = "minimum({0}, {limit}, out={out})"

    @formula(r"y_{ij} = \min(limit, x_{ij})")
    def forward(self, x: Array, *, limit: float) -> Array:
        return namespace(x).clip(x, max=limit)

    @rule("x", r"dx_{ij} = dy_{ij} \, [x_{ij} < limit]")
    def dx(self, g: Tensor, x: Tensor, *, limit: float) -> Tensor:
        return g * positive(limit - x)

    derivation = (
        (r"y = \min(limit, x)", "one entry"),
        (r"\frac{\partial y}{\partial x} = 1", "below the limit, y is x, so it changes with x"),
        (r"\frac{\partial y}{\partial x} = 0", "above it, y stays at the limit whatever x does"),
        (r"dx = dy \, [x < limit]", "the gradient passes where x is below the limit; at the limit itself we take 0"),
    )

    def by_hand(self, at: Index, x: Paper, *, limit: float) -> Hand:
        return smallest((Literal(limit), x[at]))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, limit: float) -> Hand:
        room = yield "margin", Literal(limit) - x[at]
        return chosen(is_greater(room, Literal(0)), g[at])

    @mistake("You kept the entries above the limit: replace them by the limit.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You took the larger of the two: no entry may exceed the limit.")
    def at_least(self, x: Tensor, *, limit: float) -> Tensor:
        return -at_most(-x, limit=-limit)

    @mistake("You set the entries above the limit to 0: replace them by the limit.")
    def turned_into_zero(self, x: Tensor, *, limit: float) -> Tensor:
        return x * positive(limit - x)

    @mistake("You let the gradient pass everywhere: above the limit it is 0.", of="x")
    def mask_forgotten(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You let the gradient pass above the limit: it passes below.", of="x")
    def mask_turned(self, g: Tensor, x: Tensor, *, limit: float) -> Tensor:
        return g * positive(x - limit)

    example = Example(
        values([[0.2, -0.4, 1.0], [0.7, 0.1, -0.3]], "token hidden"),
        limit=0.5,
        cotangent=[[0.3, -0.8, -0.5], [0.6, 0.2, -0.4]],
    )
    more_examples = (
        Example(values(1.7), limit=1, cotangent=0.7),
        Example(
            values([[[0.2, -0.5], [1.0, 0.7]], [[-1.1, -0.3], [0.4, -0.9]]], "head query key"),
            limit=-0.4,
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


at_most = AtMost()
