"""take_row, place_row: one row out of a matrix, and its gradient back into place."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.errors import NumberError
from ..engine.form import Axis, Form, Layout, form_of, position, reduced
from ..engine.hand import Hand, Literal, Paper, without
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .spread import spread


class TakeRow(Primitive):
    """Takes one row out of a matrix, such as that of the last token; `axis` names the axis that is left out.

    Positions count from 0, and -1 is the last one.
    """

    view = True

    @formula(r"y_j = x_{index,j}")
    def forward(self, x: Array, *, index: int, axis: int = -2) -> Array:
        return x[(..., index, *[slice(None)] * (-axis - 1))]

    def layout(self, x: Form, *, index: int, axis: Axis) -> Layout:  # type: ignore[override]
        place = position(x, axis)
        index = _row(index, x.shape[place])
        return Layout(reduced(x, (place,), keep=False), {"index": index, "axis": place})

    def source(self, x: Form, *, index: int, axis: int) -> str:  # type: ignore[override]
        return f"{{0}}[..., {index}{', :' * (-axis - 1)}]"

    @rule("x", r"dx_{ij} = [i = index] \, dy_j")
    def dx(self, g: Tensor, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        place = position(x.form, axis)
        return place_row(g, index=index, axis=place, size=x.shape[place], word=x.axes[place])

    derivation = (
        (r"y_j = x_{index,j}", "the row is copied"),
        (r"dx_{index,j} = dy_j", "so it gets the gradient of the copy"),
        (r"dx_{ij} = 0", "and every other row 0: nothing was taken from it"),
    )

    def by_hand(self, at: Index, x: Paper, *, index: int, axis: int) -> Hand:
        place = axis % len(x.shape)
        return x[(*at[:place], index, *at[place:])]

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, index: int, axis: int) -> Hand:
        return g[without(at, (axis,))] if at[axis] == index else Literal(0.0)

    @mistake("You counted the rows from 1; the first one has the position 0.")
    def counted_from_one(self, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        return take_row(x, index=index - 1, axis=axis)

    @mistake("You took a column; a row is asked for.")
    def wrong_axis(self, x: Tensor, *, index: int, axis: Axis) -> Tensor:
        return take_row(x, index=index, axis=-2 if position(x.form, axis) == -1 else -1)

    @mistake("You gave every row the gradient; only the row that was taken gets it.", of="x")
    def to_all_rows(self, g: Tensor, x: Tensor, *, axis: Axis) -> Tensor:
        return spread(g, drop=(position(x.form, axis),), keep=(), axes=x.axes, shape=x.shape)

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


class PlaceRow(Primitive):
    """Puts a row into a matrix of zeros, at one position: the gradient of taking that row."""

    @formula(r"y_{ij} = [i = index] \, x_j")
    def forward(self, x: Array, *, index: int, axis: int, size: int, word: str = "") -> Array:
        xp: Any = namespace(x)
        row = xp.expand_dims(x, axis=axis)
        here = xp.reshape(xp.arange(size) == index, (size, *[1] * (-axis - 1)))
        return xp.where(here, row, xp.zeros_like(row))

    def layout(self, x: Form, *, index: int, axis: int, size: int, word: str) -> Layout:  # type: ignore[override]
        rank = len(x.shape) + 1
        place = axis % rank
        form = form_of((*x.axes[:place], word, *x.axes[place:]), (*x.shape[:place], size, *x.shape[place:]))
        return Layout(form, {"index": _row(index, size), "axis": place - rank, "size": size, "word": word})

    def into(self, x: Array, *, out: Array, index: int, axis: int, size: int, word: str) -> Array:
        out.fill(0)
        out[(..., index, *[slice(None)] * (-axis - 1))] = x
        return out

    @rule("x", r"dx_j = dy_{index,j}")
    def dx(self, g: Tensor, *, index: int, axis: int) -> Tensor:
        return take_row(g, index=index, axis=axis)

    derivation = (
        (r"y_{index,j} = x_j", "the row is copied into its place; the zeros around it do not depend on it"),
        (r"dx_j = dy_{index,j}", "so it gets the gradient of that place"),
    )

    def by_hand(self, at: Index, x: Paper, *, index: int, axis: int, size: int, word: str) -> Hand:
        return x[without(at, (axis,))] if at[axis] == index else Literal(0.0)

    def by_hand_dx(self, at: Index, g: Paper, *, index: int, axis: int) -> Hand:
        return take_row.by_hand(at, g, index=index, axis=axis)

    @mistake("You counted the rows from 1; the first one has the position 0.")
    def counted_from_one(self, x: Tensor, *, index: int, axis: int, size: int, word: str) -> Tensor:
        return place_row(x, index=index - 1, axis=axis, size=size, word=word)

    @mistake("You took the row before; the gradient stands where the row was put.", of="x")
    def row_before(self, g: Tensor, *, index: int, axis: int) -> Tensor:
        return take_row(g, index=index - 1, axis=axis)

    example = Example(
        values([0.3, -0.8, 0.6], "model"),
        index=1,
        axis=-2,
        size=3,
        word="token",
        cotangent=[[0.2, -0.5, 1.0], [0.7, 0.1, -0.3], [0.4, 0.9, -0.6]],
    )
    more_examples = (Example(values(0.7), index=-1, axis=-1, size=3, word="vocab", cotangent=[0.2, -0.5, 1.0]),)


def _row(index: int, size: int) -> int:
    """A position counted from 0."""
    if not -size <= index < size:
        raise NumberError("number.index", index=index, size=size)
    return index % size


take_row = TakeRow()
place_row = PlaceRow()
