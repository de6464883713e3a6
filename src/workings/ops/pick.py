"""pick: selects one entry of each row by its label."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, dtype_name, namespace
from ..engine.form import Form, Layout
from ..engine.hand import Hand, Literal, Paper, chosen, is_equal
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .one_hot import one_hot
from .parts.labels import labeled_rows, refuse_labels
from .row_max import row_max
from .spread import spread
from .sum_to import sum_to


class Pick(Primitive):
    """Selects from each row the entry at the index of the row's label, such as the probability of the target."""

    @formula(r"y_t = x_{t,target_t}")
    def forward(self, x: Array, target: Array) -> Array:
        xp: Any = namespace(x)
        return xp.squeeze(xp.take_along_axis(x, xp.expand_dims(target, axis=-1), axis=-1), axis=-1)

    def layout(self, x: Form, target: Form) -> Layout:  # type: ignore[override]
        return Layout(labeled_rows("pick", x, target), {})

    def source(self, x: Form, target: Form) -> str:  # type: ignore[override]
        return "{0}[{1}]" if len(x.shape) == 1 else "take_along_axis({0}, {1}[..., None], -1)[..., 0]"

    @rule("x", r"dx_{tv} = dy_t \, [v = target_t]")
    def dx(self, g: Tensor, x: Tensor, target: Tensor) -> Tensor:
        mark = one_hot(target, size=x.shape[-1], word=x.axes[-1], dtype=dtype_name(x.array))
        return spread(g, drop=(-1,), keep=(), axes=x.axes, shape=x.shape) * mark

    no_rule = {"target": "Labels are integers: there is no small change of them, so they have no gradient."}

    derivation = (
        (r"y_t = x_{t,target_t}", "one entry of the row is copied"),
        (r"\frac{\partial y_t}{\partial x_{tv}} = [v = target_t]", "1 for the selected entry, 0 for the others"),
        (r"dx_{tv} = dy_t \, [v = target_t]", "chain rule: the gradient goes to the selected entry"),
    )

    def by_hand(self, at: Index, x: Paper, target: Paper) -> Hand:
        return x[(*at, int(target[at].value))]

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, target: Paper) -> Hand:
        return chosen(is_equal(Literal(at[-1]), target[at[:-1]]), g[at[:-1]])

    @mistake("You counted from 1: the label 0 means the first entry.")
    def counted_from_one(self, x: Tensor, target: Tensor) -> Tensor:
        return pick(x, target - 1)

    @mistake("You took the largest entry of the row: the label says which one to take.")
    def largest_picked(self, x: Tensor, target: Tensor) -> Tensor:
        return sum_to(row_max(x, axis=-1), drop=(-1,), keep=())

    @mistake("You gave the whole row the gradient: only the selected entry gets it.", of="x")
    def to_all(self, g: Tensor, x: Tensor) -> Tensor:
        return spread(g, drop=(-1,), keep=(), axes=x.axes, shape=x.shape)

    def check(self, x: Array, target: Array) -> None:
        refuse_labels(target, x.shape[-1], "target")

    example = Example(
        values([[0.2, -0.5, 1.0, 0.4], [0.7, 0.1, -0.3, 0.6], [0.9, -0.6, 0.3, -0.8]], "token vocab"),
        values([3, 1, 2], "token"),
        cotangent=[0.3, -0.8, 0.6],
    )
    more_examples = (
        Example(values([0.2, -0.5, 1.0], "vocab"), values(1), cotangent=-0.7),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4], [0.6, 0.3]], [[0.7, 0.2], [-1, 0.6], [0.9, -0.1]]], "batch token vocab"),
            values([[1, 0, 1], [0, 0, 1]], "batch token"),
            cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
        ),
    )


pick = Pick()
