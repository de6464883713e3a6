"""row_max: the largest entry of each row."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Axis, Form, Layout, position, reduced
from ..engine.hand import Hand, Paper, largest
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .is_max import is_max


class RowMax(Primitive):
    """Finds the largest entry of each row and keeps it as a column."""

    emit = "maximum.reduce({0}, {axis}, None, {out}, True)"

    @formula(r"m_i = \max_k x_{ik}")
    def forward(self, x: Array, *, axis: int = -1) -> Array:
        return namespace(x).max(x, axis=axis, keepdims=True)

    def layout(self, x: Form, *, axis: Axis) -> Layout:  # type: ignore[override]
        place = position(x, axis)
        return Layout(reduced(x, (place,), keep=True), {"axis": place})

    @rule("x", r"dx_{ij} = dm_i \, [x_{ij} = m_i]")
    def dx(self, g: Tensor, x: Tensor, *, axis: Axis) -> Tensor:
        return g * is_max(x, axis=axis)

    derivation = (
        (r"m = x_j", "while entry j is the largest, the maximum is that entry"),
        (r"\frac{\partial m}{\partial x_j} = 1", "so it changes with that entry"),
        (r"\frac{\partial m}{\partial x_k} = 0", "and does not depend on the others, as long as they stay smaller"),
    )

    def by_hand(self, at: Index, x: Paper, *, axis: int) -> Hand:
        return largest(x.line(at, axis))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, axis: int) -> Hand:
        fraction = yield "fraction", (yield from is_max.by_hand(at, x, axis=axis))
        return g[at] * fraction

    @mistake("You took the maximum of the columns: take that of each row.")
    def wrong_axis(self, x: Tensor, *, axis: Axis) -> Tensor:
        return row_max(x, axis=-2 if position(x.form, axis) == -1 else -1)

    @mistake("You took the smallest entry: the result is the largest of the row.")
    def smallest(self, x: Tensor, *, axis: Axis) -> Tensor:
        return -row_max(-x, axis=axis)

    @mistake("You gave every entry the gradient: only the largest entry gets it.", of="x")
    def to_all(self, g: Tensor, x: Tensor) -> Tensor:
        return g + 0.0 * x

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
        cotangent=[[0.7], [-0.4]],
    )


row_max = RowMax()
