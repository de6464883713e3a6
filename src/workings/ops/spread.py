"""spread: repeats entries along axes, the reverse of a sum."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.errors import AxisError, ShapeError
from ..engine.form import Form, Layout, form_of, position, reduced
from ..engine.hand import Hand, Paper, without
from ..engine.op import OPS, Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Spread(Primitive):
    """Repeats each entry along the axes that a sum removed (`drop`) or reduced to one entry (`keep`).

    drop: the axes that were removed
    keep: the axes that have one entry
    axes: the names of the axes of the result
    shape: the sizes of the result
    """

    view = True

    @formula(r"y_{ij} = x_i")
    def forward(
        self, x: Array, *, drop: tuple[int, ...], keep: tuple[int, ...], axes: tuple[str, ...], shape: tuple[int, ...]
    ) -> Array:
        xp: Any = namespace(x)
        for place in drop:
            x = xp.expand_dims(x, axis=place % len(shape))
        return xp.broadcast_to(x, shape)

    def layout(  # type: ignore[override]
        self, x: Form, *, drop: tuple[int, ...], keep: tuple[int, ...], axes: tuple[str, ...], shape: tuple[int, ...]
    ) -> Layout:
        form = form_of(axes, shape)
        drop, keep = places(form, drop, keep)
        small = reduced(reduced(form, keep, keep=True), drop, keep=False)
        if small.shape != x.shape:
            raise ShapeError(
                f"{x} cannot be repeated to {form}: that needs {small}.", hint="Give an input of that shape."
            )
        return Layout(form, {"drop": drop, "keep": keep, "axes": axes, "shape": shape})

    @rule("x", r"dx_i = \sum_j dy_{ij}")
    def dx(self, g: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        return OPS["sum_to"](g, drop=drop, keep=keep)

    derivation = (
        (r"y_j = x", "every copy is the same entry"),
        (r"\frac{\partial y_j}{\partial x} = 1", "so it changes all copies equally"),
        (r"dx = \sum_j dy_j", "chain rule: the gradients of the copies are summed"),
    )

    def by_hand(
        self, at: Index, x: Paper, *, drop: tuple[int, ...], keep: tuple[int, ...], axes: tuple[str, ...], shape: Index
    ) -> Hand:
        return x[without(at, drop)]

    def by_hand_dx(self, at: Index, g: Paper, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Hand:
        return OPS["sum_to"].by_hand(at, g, drop=drop, keep=keep)

    @mistake("You divided the entry among the copies: each copy is the whole entry.")
    def shared_out(
        self, x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...], axes: tuple[str, ...], shape: tuple[int, ...]
    ) -> Tensor:
        copies = 1
        for place in (*drop, *keep):
            copies *= shape[place]
        return spread(x, drop=drop, keep=keep, axes=axes, shape=shape) / copies

    @mistake("You took the gradient of one copy: sum those of all copies.", of="x")
    def averaged(self, g: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
        total = OPS["sum_to"](g, drop=drop, keep=keep)
        return total / (g.entries / total.entries)

    example = Example(
        values([0.5, -1.2], "query"),
        drop=(-1,),
        keep=(),
        axes=("query", "key"),
        shape=(2, 3),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )


def places(form: Form, drop: tuple[int, ...], keep: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Positions counted from the right, each of them there, and none of them twice."""
    dropped, kept = (tuple(position(form, place) for place in some) for some in (drop, keep))
    if len({*dropped, *kept}) < len(drop) + len(keep):
        raise AxisError(f"The axes {(*drop, *keep)} name the same one twice.", hint="Name each axis once.")
    return dropped, kept


spread = Spread()
