"""cumulative_sum: the running total along an axis."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Axis, Form, Layout, position
from ..engine.hand import Hand, Paper, add
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class CumulativeSum(Primitive):
    """Replaces every entry by the sum of all entries up to and including itself.

    With `reverse`, the sums start at the end of the row: every entry is added to those after it.

    reverse: whether to sum from the end of the row
    """

    adds = True

    @formula(r"y_{ij} = \sum_{k \ge j} x_{ik}", reverse=True)
    @formula(r"y_{ij} = \sum_{k \le j} x_{ik}")
    def forward(self, x: Array, *, axis: int = -1, reverse: bool = False) -> Array:
        xp: Any = namespace(x)
        if reverse:
            return xp.flip(xp.cumulative_sum(xp.flip(x, axis=axis), axis=axis), axis=axis)
        return xp.cumulative_sum(x, axis=axis)

    def layout(self, x: Form, *, axis: Axis, reverse: bool) -> Layout:  # type: ignore[override]
        return Layout(x, {"axis": position(x, axis), "reverse": reverse})

    @rule("x", r"dx_{ij} = \sum_{k \le j} dy_{ik}", reverse=True)
    @rule("x", r"dx_{ij} = \sum_{k \ge j} dy_{ik}")
    def dx(self, g: Tensor, *, axis: Axis, reverse: bool) -> Tensor:
        return cumulative_sum(g, axis=axis, reverse=not reverse)

    derivation = (
        (r"y_k = x_1 + x_2 + \dots + x_k", "one running total"),
        (
            r"\frac{\partial y_k}{\partial x_j} = [k \ge j]",
            "an entry is part of its own total and of all later ones",
        ),
        (
            r"dx_j = \sum_k dy_k \, [k \ge j] = \sum_{k \ge j} dy_k",
            "chain rule: so the gradients of these totals are summed",
        ),
    )

    def by_hand(self, at: Index, x: Paper, *, axis: int, reverse: bool) -> Hand:
        row, place = x.line(at, axis), at[axis]
        return add(row[place:] if reverse else row[: place + 1])

    def by_hand_dx(self, at: Index, g: Paper, *, axis: int, reverse: bool) -> Hand:
        return self.by_hand(at, g, axis=axis, reverse=not reverse)

    @mistake("You left the entry itself out of its running total: include it.")
    def own_left_out(self, x: Tensor, *, axis: Axis, reverse: bool) -> Tensor:
        return cumulative_sum(x, axis=axis, reverse=reverse) - x

    @mistake("You started from the other end of the row.")
    def other_end(self, x: Tensor, *, axis: Axis, reverse: bool) -> Tensor:
        return cumulative_sum(x, axis=axis, reverse=not reverse)

    @mistake("You summed along the other axis: each row has its own running total.")
    def wrong_axis(self, x: Tensor, *, axis: Axis, reverse: bool) -> Tensor:
        return cumulative_sum(x, axis=-2 if position(x.form, axis) == -1 else -1, reverse=reverse)

    @mistake(
        "You summed the gradients from the wrong side: an entry is part of its own total and of all later ones.",
        of="x",
    )
    def gradient_from_wrong_side(self, g: Tensor, *, axis: Axis, reverse: bool) -> Tensor:
        return cumulative_sum(g, axis=axis, reverse=reverse)

    @mistake("You used only the gradient of its own total: an entry is part of all later totals as well.", of="x")
    def own_total_only(self, g: Tensor) -> Tensor:
        return 1.0 * g

    example = Example(
        values([[0.5, 0.3, 0.2], [0.1, -0.4, 0.8]], "token vocab"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (
        Example(values([0.2, -0.9, 0.6, 0.1], "vocab"), reverse=True, cotangent=[0.3, -0.8, 0.5, 0.6]),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4], [0.9, 1.7]], [[0.7, 0.2], [-1, 0.6], [0.4, -0.8]]], "batch token vocab"),
            axis="token",
            cotangent=[[[0.3, -0.7], [0.5, 0.1], [0.2, 0.9]], [[-0.4, 0.8], [0.6, -0.5], [0.7, 0.4]]],
        ),
    )


cumulative_sum = CumulativeSum()
