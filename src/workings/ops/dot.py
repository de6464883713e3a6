"""dot: the dot product of each pair of rows."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, namespace
from ..engine.errors import ShapeError
from ..engine.form import Axis, Form, Layout, elementwise, position, reduced
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .sum import sum


class DotOp(Primitive):
    """Multiplies two rows entry by entry and sums the products: one number per row, kept as a column."""

    emit = "add.reduce({0} * {1}, {axis}, None, {out}, True)"
    adds = True

    @formula(r"y_i = \sum_k a_{ik} \, b_{ik}")
    def forward(self, a: Array, b: Array, *, axis: int = -1) -> Array:
        return namespace(a).sum(a * b, axis=axis, keepdims=True)

    def layout(self, a: Form, b: Form, *, axis: Axis) -> Layout:  # type: ignore[override]
        form, broadcast = elementwise(a, b)
        place = position(form, axis)
        if len({x.shape[place] if len(x.shape) >= -place else 0 for x in (a, b)}) > 1:
            raise ShapeError(
                f"The rows are not equally long: {a} and {b}.", hint="Give as many entries in each row of both inputs."
            )
        return Layout(reduced(form, (place,), keep=True), {"axis": place}, broadcast)

    @rule("a", r"da_{ik} = dy_i \, b_{ik}")
    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g * b

    @rule("b", r"db_{ik} = dy_i \, a_{ik}")
    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return g * a

    derivation = (
        (r"y = a_1 b_1 + a_2 b_2 + \dots + a_n b_n", "one row"),
        (r"\frac{\partial y}{\partial a_k} = b_k", "only the term k contains this entry"),
        (r"da_k = dy \cdot b_k", "chain rule; likewise with a and b swapped"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper, *, axis: int) -> Hand:
        return hand.dot(a.line(at, axis), b.line(at, axis))

    def by_hand_da(self, at: Index, g: Paper, b: Paper) -> Hand:
        return g[at] * b[at]

    def by_hand_db(self, at: Index, g: Paper, a: Paper) -> Hand:
        return g[at] * a[at]

    @mistake("You added the two rows: multiply corresponding entries first.")
    def added(self, a: Tensor, b: Tensor, *, axis: Axis) -> Tensor:
        return sum(a + b, axis=axis, keep=True)

    @mistake("You multiplied the sums of the two rows: multiply entry by entry first, then sum.")
    def product_of_sums(self, a: Tensor, b: Tensor, *, axis: Axis) -> Tensor:
        return sum(a, axis=axis, keep=True) * sum(b, axis=axis, keep=True)

    @mistake("You used the row itself: the derivative with respect to an entry is the entry of the other row.", of="a")
    def own_value(self, g: Tensor, a: Tensor) -> Tensor:
        return g * a

    example = Example(
        values([[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]], "query key"),
        values([[0.2, 0.5, 0.4], [0.6, -0.1, 0.9]], "query key"),
        axis="key",
        cotangent=[[0.8], [-0.3]],
    )


dot = DotOp()
