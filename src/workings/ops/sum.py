"""sum: the sum along an axis."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Axis, Form, Layout, position, reduced
from ..engine.hand import Hand, Paper, add, without
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .parts.surroundings import losses_of_tokens, token_weights
from .spread import spread


class Sum(Primitive):
    """Sums the entries along an axis, or all of them; `keep` keeps that axis with one entry."""

    emit = "add.reduce({0}, {axis}, None, {out}, {keep})"
    adds = True

    @formula(r"y = \sum_p x_p", axis=None)
    @formula(r"y_i = \sum_k x_{ik}")
    def forward(self, x: Array, *, axis: tuple[int, ...] | None = None, keep: bool = False) -> Array:
        return namespace(x).sum(x, axis=axis, keepdims=keep)

    def layout(self, x: Form, *, axis: Axis | None, keep: bool) -> Layout:  # type: ignore[override]
        places = tuple(range(-len(x.shape), 0)) if axis is None else (position(x, axis),)
        return Layout(reduced(x, places, keep), {"axis": places, "keep": keep})

    @rule("x", r"dx_p = dy", axis=None)
    @rule("x", r"dx_{ik} = dy_i")
    def dx(self, g: Tensor, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        places = tuple(range(-x.ndim, 0)) if axis is None else (position(x.form, axis),)
        return spread(g, drop=() if keep else places, keep=places if keep else (), axes=x.axes, shape=x.shape)

    derivation = (
        (r"y = x_1 + x_2 + \dots + x_n", "one sum"),
        (r"\frac{\partial y}{\partial x_k} = 1", "each term counts once"),
        (r"dx_k = dy", "so every entry gets the whole gradient of its sum"),
    )

    def by_hand(self, at: Index, x: Paper, *, axis: tuple[int, ...], keep: bool) -> Hand:
        return add(x.block(at, axis, keep))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, axis: tuple[int, ...], keep: bool) -> Hand:
        return g[at if keep else without(at, axis)]

    @mistake("You summed along the other axis.")
    def wrong_axis(self, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        return sum(x, axis=-2 if axis is None or position(x.form, axis) == -1 else -1, keep=keep)

    @mistake("You averaged: a sum is not divided by the number of entries.")
    def averaged(self, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        total = sum(x, axis=axis, keep=keep)
        count = x.entries if axis is None else x.size(axis)
        return total / count

    @mistake("You divided the gradient among the terms: each term of a sum gets all of it.", of="x")
    def shared_out(self, g: Tensor, x: Tensor, *, axis: Axis | None, keep: bool) -> Tensor:
        count = x.entries if axis is None else x.size(axis)
        return self.dx(g, x, axis=axis, keep=keep) / count

    @mistake(
        "You averaged within each text, then across texts: every token must have the same weight, whatever "
        "the length of its text.",
        surroundings=token_weights,
    )
    def mean_of_means(self, x: Tensor, token_weights: Tensor) -> Tensor:
        means = x / sum(token_weights, axis=-1)
        return sum(means) / means.entries

    @mistake("You included padding in the average: only the tokens of the texts count.", surroundings=losses_of_tokens)
    def padding_counted(self, x: Tensor, losses: Tensor) -> Tensor:
        return sum(losses) / losses.entries

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
        axis="key",
        cotangent=[0.7, -0.4],
    )
    more_examples = (
        Example(values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"), cotangent=0.6),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch query key"),
            axis="query",
            keep=True,
            cotangent=[[[0.3, -0.7]], [[0.2, 0.9]]],
        ),
    )


sum = Sum()
