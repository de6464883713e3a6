"""first_above: where a row first exceeds its bound."""

from __future__ import annotations

import math
from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.checks import refuse_whole
from ..engine.errors import ShapeError
from ..engine.form import Form, Layout, elementwise, reduced, wrong_rank
from ..engine.hand import Lines, Literal, Paper, is_greater, largest, position
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .argmax import argmax
from .relu import positive, relu
from .spread import spread


class FirstAbove(Primitive):
    """Finds the first entry of each row that exceeds the row's bound, and returns its index, counted from 0.

    If no entry exceeds the bound, it returns the index of the largest entry, the first one in a tie.
    """

    @formula(r"y_i = \min \{ j : x_{ij} > bound_i \}")
    def forward(self, x: Array, bound: Array) -> Array:
        xp: Any = namespace(x)
        above = x > xp.expand_dims(bound, axis=-1)
        return xp.argmax(xp.where(above, xp.asarray(math.inf, dtype=x.dtype), x), axis=-1)

    def layout(self, x: Form, bound: Form) -> Layout:  # type: ignore[override]
        if not x.shape:
            raise wrong_rank("first_above", "one axis or more", 0)
        rows = reduced(x, (-1,), keep=False)
        if rows.shape != bound.shape:
            raise ShapeError(
                f"Each row needs one bound: the rows are {rows}, the bounds {bound}.",
                hint="Give as many bounds as there are rows; a single row takes a single bound.",
            )
        return Layout(elementwise(rows, bound)[0], {})

    no_rule = {
        "x": "A small change of x does not change the index, so its derivative is 0.",
        "bound": "A small change of the bound does not change the index, so its derivative is 0.",
    }

    def by_hand(self, at: Index, x: Paper, bound: Paper) -> Lines:
        row = x.line((*at, 0), -1)
        if any(entry.value > bound[at].value for entry in row):
            return position(Literal(1), (is_greater(entry, bound[at]) for entry in row))
        top = yield "max", largest(row)
        return position(top, row)

    @mistake("You counted from 1: the first index is 0.")
    def counted_from_one(self, x: Tensor, bound: Tensor) -> Tensor:
        return first_above(x, bound) + 1

    @mistake("You took the largest entry: the result is the first one above the bound.")
    def largest_taken(self, x: Tensor, bound: Tensor) -> Tensor:
        return argmax(x)

    @mistake("You stopped at an entry equal to the bound: it must be above it.")
    def equal_taken(self, x: Tensor, bound: Tensor) -> Tensor:
        bounds = spread(bound, drop=(-1,), keep=(), axes=x.axes, shape=x.shape)
        return argmax(-positive(bounds - x))

    @mistake("You took the first entry below the bound: it must be above it.")
    def below_taken(self, x: Tensor, bound: Tensor) -> Tensor:
        return first_above(-x, -bound)

    @mistake("You stopped one entry too early: take the first one above the bound.")
    def one_too_early(self, x: Tensor, bound: Tensor) -> Tensor:
        return relu(first_above(x, bound) - 1)

    def check(self, x: Array, bound: Array) -> None:
        refuse_whole("x", x)

    example = Example(
        values([[0.1, 0.3, 0.6, 1.0], [0.4, 0.9, 0.95, 1.0], [0.25, 0.5, 0.5, 1.0]], "token vocab"),
        values([0.45, 0.2, 0.5], "token"),
    )
    more_examples = (
        Example(values([0.3, 0.9, 0.9], "vocab"), values(0.9)),
        Example(
            values([[[0.6, 0.2, 1.0], [0.3, 1.0, 0.4]], [[0.8, 0.2, -0.7], [-0.4, -0.1, -0.3]]], "batch token vocab"),
            values([[0.7, 0.1], [-0.5, 0.0]], "batch token"),
        ),
    )


first_above = FirstAbove()
