"""argmax: the index of the largest entry of each row."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Axis, Form, Layout, position, reduced
from ..engine.hand import Lines, Paper, largest
from ..engine.hand import position as place_of
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .row_max import row_max
from .take_row import take_row


class Argmax(Primitive):
    """Finds the index of the largest entry of each row, counted from 0. In a tie, the first one wins."""

    emit = "{0}.argmax({axis}, {out})"

    @formula(r"y_i = \operatorname{argmax}_k x_{ik}")
    def forward(self, x: Array, *, axis: int = -1) -> Array:
        return namespace(x).argmax(x, axis=axis)

    def layout(self, x: Form, *, axis: Axis) -> Layout:  # type: ignore[override]
        place = position(x, axis)
        return Layout(reduced(x, (place,), keep=False), {"axis": place})

    no_rule = {"x": "A small change of x does not change the index, so its derivative is 0."}

    def by_hand(self, at: Index, x: Paper, *, axis: int) -> Lines:
        place = axis % len(x.shape)
        row = x.line((*at[:place], 0, *at[place:]), axis)
        top = yield "max", largest(row)
        return place_of(top, row)

    @mistake("You counted from 1: the first index is 0.")
    def counted_from_one(self, x: Tensor, *, axis: Axis) -> Tensor:
        return argmax(x, axis=axis) + 1

    @mistake("You gave the largest entry itself: the result is its index.")
    def entry_itself(self, x: Tensor, *, axis: Axis) -> Tensor:
        return take_row(row_max(x, axis=axis), index=0, axis=axis)

    @mistake("You searched along the other axis: find the largest entry of each row.")
    def wrong_axis(self, x: Tensor, *, axis: Axis) -> Tensor:
        return argmax(x, axis=-2 if position(x.form, axis) == -1 else -1)

    @mistake("You ignored the signs: -3 is smaller than 2.")
    def sign_dropped(self, x: Tensor, *, axis: Axis) -> Tensor:
        return argmax(x * x, axis=axis)

    @mistake("You took the smallest entry: the result is the index of the largest.")
    def smallest_taken(self, x: Tensor, *, axis: Axis) -> Tensor:
        return argmax(-x, axis=axis)

    example = Example(values([[0.3, 1.5, -2.0], [0.1, -0.4, 0.8], [0.7, 0.2, 0.7]], "token vocab"))
    more_examples = (
        Example(values([0.2, -0.9, 0.6, 0.1], "vocab"), axis="vocab"),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4], [0.9, 1.7]], [[0.7, 0.2], [-1, 0.6], [0.4, -0.8]]], "batch token vocab"),
            axis="token",
        ),
    )


argmax = Argmax()
