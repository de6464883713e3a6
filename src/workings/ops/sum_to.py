"""sum_to: the gradient of a broadcast input."""

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
from .sum import sum


class SumTo(Primitive):
    """Sums the gradient over all copies of an input that was broadcast: over the axes that the input did not have
    (`drop`), and over those where it had one entry (`keep`).

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
        (r"y = x_1 + \dots + x_n", "one entry: the sum over its copies"),
        (r"\frac{\partial y}{\partial x_i} = 1", "each copy counts once"),
        (r"dx_i = dy", "so each gets the whole gradient"),
    )

    def by_hand(self, at: Index, x: Paper, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Hand:
        index = list(at)
        for place in drop:
            index.insert(place % len(x.shape), 0)
        return add(x.block(tuple(index), drop + keep, keep=True))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Hand:
        return g[without(at, drop)]

    @mistake("You averaged over the copies: sum their gradients.")
    def averaged(self, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        total = sum_to(x, drop=drop, keep=keep)
        return total / (x.entries / total.entries)

    @mistake("You used the first row alone: sum the gradients of all copies.")
    def first_only(self, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        return sum_to(_at_one_end(x, drop + keep, 0), drop=drop, keep=keep)

    @mistake("You used the last row alone: sum the gradients of all copies.")
    def last_only(self, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        return sum_to(_at_one_end(x, drop + keep, 1), drop=drop, keep=keep)

    @mistake("You summed everything into one number: each entry has its own sum, over its copies.")
    def one_sum_for_all(self, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        own = sum_to(x, drop=drop, keep=keep)
        return 0.0 * own + sum(x)

    @mistake("You divided the gradient among the copies: each gets all of it.", of="x")
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


def _at_one_end(x: Tensor, places: tuple[int, ...], end: int) -> Tensor:
    """The first or the last entry along each of these axes."""
    for place in places:
        rest = x.size(place) - 1
        if rest:
            x = split(x, sizes=(rest, 1) if end else (1, rest), part=end, axis=place)
    return x


sum_to = SumTo()
