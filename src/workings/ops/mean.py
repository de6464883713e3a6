"""mean: the average along an axis."""

from __future__ import annotations

import math

from ..engine.arrays import Index
from ..engine.form import Axis, position
from ..engine.hand import Hand, Literal, Paper, add, without
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .sum import sum


class Mean(Composite):
    """Averages along an axis, or over all entries; `keep` keeps that axis with one entry."""

    @formula(r"y = \frac{1}{n} \sum_p x_p", axis=None)
    @formula(r"y_i = \frac{1}{n} \sum_k x_{ik}")
    def forward(self, x: Tensor, *, axis: Axis | None = None, keep: bool = False) -> Tensor:
        return sum(x, axis=axis, keep=keep, name="total") / _count(x, axis)

    @rule("x", r"dx_p = \frac{dy}{n}", axis=None)
    @rule("x", r"dx_{ik} = \frac{dy_i}{n}")
    def dx(self, g: Tensor, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        return sum.dx(g / _count(x, axis), x, axis=axis, keep=keep)

    derivation = (
        (r"y = \frac{x_1 + x_2 + \dots + x_n}{n}", "one average of n entries"),
        (r"\frac{\partial y}{\partial x_k} = \frac{1}{n}", "each entry has the weight 1/n"),
        (r"dx_k = \frac{dy}{n}", "so each entry gets an equal part of the gradient"),
    )

    def by_hand(self, at: Index, x: Paper, *, axis: int | None, keep: bool) -> Hand:
        entries = x.block(at, _places(x, axis), keep)
        total = yield "total", add(entries)
        return total / Literal(len(entries))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, axis: int | None, keep: bool) -> Hand:
        places = _places(x, axis)
        count = math.prod(x.shape[place] for place in places)
        return g[at if keep else without(at, places)] / Literal(count)

    @mistake("You summed but did not divide by the number of entries.")
    def not_divided(self, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        return sum(x, axis=axis, keep=keep)

    @mistake("You divided by n - 1: divide by n, the number of entries.")
    def one_less(self, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        return sum(x, axis=axis, keep=keep) / (_count(x, axis) - 1)

    @mistake("You divided by the number of entries twice: divide once.")
    def divided_twice(self, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        return mean(x, axis=axis, keep=keep) / _count(x, axis)

    @mistake("You averaged along the other axis.")
    def wrong_axis(self, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        return mean(x, axis=-2 if axis is None or position(x.form, axis) == -1 else -1, keep=keep)

    @mistake("You gave every entry the whole gradient: each gets 1/n of it.", of="x")
    def gradient_not_divided(self, g: Tensor, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        return sum.dx(g, x, axis=axis, keep=keep)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "token model"),
        axis="model",
        cotangent=[0.7, -0.4],
    )
    more_examples = (
        Example(values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "token model"), cotangent=0.6),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4], [0.9, 0.3]], [[0.7, 0.2], [-1, 0.6], [0.4, -0.8]]], "batch token model"),
            axis="token",
            keep=True,
            cotangent=[[[0.3, -0.7]], [[0.2, 0.9]]],
        ),
    )


def _count(x: Tensor, axis: Axis | None) -> int:
    """How many entries one average is made of."""
    return x.entries if axis is None else x.size(axis)


def _places(x: Paper, axis: int | None) -> tuple[int, ...]:
    return tuple(range(-len(x.shape), 0)) if axis is None else (axis,)


mean = Mean()
