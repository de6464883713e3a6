"""sum_to: the one place where broadcasting is undone."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Form, Layout, reduced
from ..engine.hand import Hand, Paper, add, without
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .split import split
from .spread import places, spread


class SumTo(Primitive):
    """Adds up the gradient over every repetition of an input that was broadcast: over the axes that the
    input did not have (`drop`), and over those where it had one entry (`keep`).

    drop: the axes that the input did not have
    keep: the axes where it had one entry
    """

    adds = True

    @formula(r"y_j = \sum_i x_{ij}")
    def forward(self, x: Array, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Array:
        xp: Any = namespace(x)
        total = xp.sum(x, axis=drop + keep, keepdims=True)
        return xp.squeeze(total, axis=drop) if drop else total

    def layout(self, x: Form, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Layout:  # type: ignore[override]
        drop, keep = places(x, drop, keep)
        return Layout(reduced(reduced(x, keep, keep=True), drop, keep=False), {"drop": drop, "keep": keep})

    @rule("x", r"dx_{ij} = dy_j")
    def dx(self, g: Tensor, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        return spread(g, drop=drop, keep=keep, axes=x.axes, shape=x.shape)

    derivation = (
        (r"y = x_1 + \dots + x_n", "one entry: the sum over the repetitions"),
        (r"\frac{\partial y}{\partial x_i} = 1", "each repetition counts once"),
        (r"dx_i = dy", "so each gets the whole gradient"),
    )

    def by_hand(self, at: Index, x: Paper, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Hand:
        index = list(at)
        for place in drop:
            index.insert(place % len(x.shape), 0)
        return add(x.block(tuple(index), drop + keep, keep=True))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Hand:
        return g[without(at, drop)]

    @mistake("You took the average over the repetitions; their gradients are added.")
    def averaged(self, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        total = sum_to(x, drop=drop, keep=keep)
        return total / (x.entries / total.entries)

    @mistake("You took the gradient of the first repetition only; those of all of them are added.")
    def first_only(self, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        first = x
        for place in (*drop, *keep):
            first = split(first, sizes=(1, x.shape[place] - 1), part=0, axis=place)
        return sum_to(first, drop=drop, keep=keep)

    @mistake("Every repetition gets the whole gradient; it is not divided among them.", of="x")
    def shared_out(self, g: Tensor, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        whole = spread(g, drop=drop, keep=keep, axes=x.axes, shape=x.shape)
        return whole / (x.entries / g.entries)

    example = Example(
        values([[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]], "token model"),
        drop=(-2,),
        keep=(),
        cotangent=[0.4, -0.9, 0.7],
    )
    more_examples = (
        Example(
            values([[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]], "batch token model"),
            drop=(-3,),
            keep=(-1,),
            cotangent=[[0.4], [-0.9]],
        ),
    )


sum_to = SumTo()
