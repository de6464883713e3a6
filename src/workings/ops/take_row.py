"""take_row: selects one row of a matrix."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.changes import Changes
from ..engine.errors import NumberError
from ..engine.form import Axis, Form, Layout, position, reduced
from ..engine.hand import Hand, Literal, Paper, without
from ..engine.op import OPS, Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .spread import spread
from .sum import sum


class TakeRow(Primitive):
    """Selects one row of a matrix, such as that of the last token; `axis` names the axis that is removed.

    index: the index of the row, counted from 0; -1 is the last one
    """

    view = True

    @formula(r"y_j = x_{index,j}")
    def forward(self, x: Array, *, index: int, axis: int = -2) -> Array:
        return x[(..., index, *[slice(None)] * (-axis - 1))]

    def layout(self, x: Form, *, index: int, axis: Axis) -> Layout:  # type: ignore[override]
        place = position(x, axis)
        index = row_at(index, x.shape[place])
        return Layout(reduced(x, (place,), keep=False), {"index": index, "axis": place})

    def source(self, x: Form, *, index: int, axis: int) -> str:  # type: ignore[override]
        return f"{{0}}[..., {index}{', :' * (-axis - 1)}]"

    @rule("x", r"dx_{ij} = [i = index] \, dy_j")
    def dx(self, g: Tensor, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        place = position(x.form, axis)
        return OPS["place_row"](g, index=index, axis=place, size=x.shape[place], word=x.axes[place])

    derivation = (
        (r"y_j = x_{index,j}", "the row is copied"),
        (r"dx_{index,j} = dy_j", "so it gets the gradient of the copy"),
        (r"dx_{ij} = 0", "and every other row gets 0: nothing was copied from it"),
    )

    def by_hand(self, at: Index, x: Paper, *, index: int, axis: int) -> Hand:
        place = axis % len(x.shape)
        return x[(*at[:place], index, *at[place:])]

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, index: int, axis: int) -> Hand:
        return g[without(at, (axis,))] if at[axis] == index else Literal(0.0)

    @mistake("You counted the rows from 1: the first row has the index 0.")
    def counted_from_one(self, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        return take_row(x, index=index - 1, axis=axis)

    @mistake("You took a column: the result is a row.")
    def wrong_axis(self, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        return take_row(x, index=index, axis=-2 if position(x.form, axis) == -1 else -1)

    @mistake("You averaged all rows: the result is a single row.")
    def averaged(self, x: Tensor, *, axis: Axis) -> Tensor:
        return sum(x, axis=axis) / x.size(axis)

    @mistake("You gave every row the gradient: only the selected row gets it.", of="x")
    def to_all_rows(self, g: Tensor, x: Tensor, *, axis: Axis) -> Tensor:
        return spread(g, drop=(position(x.form, axis),), keep=(), axes=x.axes, shape=x.shape)

    @mistake("You divided the gradient among all rows: the selected row gets all of it.", of="x")
    def shared_out(self, g: Tensor, x: Tensor, *, axis: Axis) -> Tensor:
        return self.to_all_rows(g, x, axis=axis) / x.size(axis)

    @mistake("You gave the gradient to the row at the other end: the selected row gets it.", of="x")
    def gradient_at_other_end(self, g: Tensor, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        return self.dx(g, x, index=-1 - index % x.size(axis), axis=axis)

    @mistake("You gave the gradient to the row before: rows count from 0.", of="x")
    def gradient_one_row_before(self, g: Tensor, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        return self.dx(g, x, index=index - 1, axis=axis)

    @mistake("You took the row at the other end.", across="setting")
    def other_end(self, here: Site) -> Changes | None:
        ends = {-1: 0, 0: -1}
        index = here.step.settings["index"]
        return here.with_settings(index=ends[index]) if index in ends else None

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3], [0.4, 0.9, -0.6]], "token model"),
        index=1,
        cotangent=[0.3, -0.8, 0.6],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4], [0.6, 0.3]], [[0.7, 0.2], [-1, 0.6], [0.9, -0.1]]], "batch token model"),
            index=-1,
            cotangent=[[0.3, -0.7], [0.5, 0.1]],
        ),
        Example(values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"), index=2, axis=-1, cotangent=[0.4, -0.9]),
        Example(values([0.2, -0.5, 1.0], "vocab"), index=2, axis="vocab", cotangent=0.7),
    )


def row_at(index: int, size: int) -> int:
    """A position counted from 0."""
    if not -size <= index < size:
        raise NumberError(
            f"The position {index} is outside the {size} rows.", hint="Positions count from 0; -1 is the last one."
        )
    return index % size


take_row = TakeRow()
