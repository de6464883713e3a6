"""is_max: marks the largest entry of each row."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Axis, Form, Layout, position
from ..engine.hand import Lines, Paper, add, is_equal, largest
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor


class IsMax(Primitive):
    """Marks the largest entry of each row with 1 and the others with 0. In a tie, the largest entries split the 1
    evenly.
    """

    @formula(r"y_{ij} = \frac{[x_{ij} = m_i]}{\sum_k [x_{ik} = m_i]}, \quad m_i = \max_k x_{ik}")
    def forward(self, x: Array, *, axis: int = -1) -> Array:
        xp: Any = namespace(x)
        mark = xp.astype(x == xp.max(x, axis=axis, keepdims=True), x.dtype)
        return mark / xp.sum(mark, axis=axis, keepdims=True)

    def layout(self, x: Form, *, axis: Axis) -> Layout:  # type: ignore[override]
        return Layout(x, {"axis": position(x, axis)})

    no_rule = {"x": "A small change of x does not change the mask, so its derivative is 0."}

    def by_hand(self, at: Index, x: Paper, *, axis: int) -> Lines:
        row = x.line(at, axis)
        top = yield "max", largest(row)
        count = yield "count", add(is_equal(entry, top) for entry in row)
        return is_equal(x[at], top) / count

    @mistake("You marked the largest entry of each column: mark that of each row.")
    def wrong_axis(self, x: Tensor, *, axis: Axis) -> Tensor:
        return is_max(x, axis=-2 if position(x.form, axis) == -1 else -1)

    example = Example(values([[2.0, 1.5, 0.3], [0.1, 0.8, 0.8]], "query key"))
    more_examples = (Example(values([[2.0, 1.5, 0.3], [0.1, 0.8, 0.8]], "query key"), axis=-2),)


is_max = IsMax()
