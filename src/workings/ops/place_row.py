"""place_row: the gradient of taking one row of a matrix."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Form, Layout, form_of
from ..engine.hand import Hand, Literal, Paper, without
from ..engine.op import OPS, Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .take_row import row_at, take_row


class PlaceRow(Primitive):
    """Puts a row into a matrix of zeros at the given index: the gradient of taking that row.

    index: the index of the row
    size: how many rows the matrix has
    """

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
        return Layout(form, {"index": row_at(index, size), "axis": place - rank, "size": size, "word": word})

    def into(self, x: Array, *, out: Array, index: int, axis: int, size: int, word: str) -> Array:
        out.fill(0)
        out[(..., index, *[slice(None)] * (-axis - 1))] = x
        return out

    @rule("x", r"dx_j = dy_{index,j}")
    def dx(self, g: Tensor, *, index: int, axis: int) -> Tensor:
        return take_row(g, index=index, axis=axis)

    derivation = (
        (r"y_{index,j} = x_j", "the row is copied to its place; the zeros around it do not depend on it"),
        (r"dx_j = dy_{index,j}", "so it gets the gradient of that row"),
    )

    def by_hand(self, at: Index, x: Paper, *, index: int, axis: int, size: int, word: str) -> Hand:
        return x[without(at, (axis,))] if at[axis] == index else Literal(0.0)

    def by_hand_dx(self, at: Index, g: Paper, *, index: int, axis: int) -> Hand:
        return take_row.by_hand(at, g, index=index, axis=axis)

    @mistake("You counted the rows from 1: the first row has the index 0.")
    def counted_from_one(self, x: Tensor, *, index: int, axis: int, size: int, word: str) -> Tensor:
        return place_row(x, index=index - 1, axis=axis, size=size, word=word)

    @mistake("You put the row at every index: all other rows are 0.")
    def to_all_rows(self, x: Tensor, *, axis: int, size: int, word: str) -> Tensor:
        rows = [place_row(x, index=row, axis=axis, size=size, word=word) for row in range(size)]
        return OPS["collect"](*rows)

    @mistake("You put the row at the other end.")
    def other_end(self, x: Tensor, *, index: int, axis: int, size: int, word: str) -> Tensor:
        return place_row(x, index=size - 1 - index % size, axis=axis, size=size, word=word)

    @mistake("You took the gradient of the row before: take it from where the row was put.", of="x")
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


place_row = PlaceRow()
