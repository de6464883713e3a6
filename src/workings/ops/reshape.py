"""reshape: the same entries in another shape."""

from __future__ import annotations

import math

from ..engine.arrays import Array, Index, namespace
from ..engine.errors import ShapeError
from ..engine.form import Form, Layout, form_of
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .transpose import transpose


class Reshape(Primitive):
    """Reads the entries row by row and writes them row by row into another shape; no entry changes.

    shape: the new sizes
    axes: the names of the new axes; by default they have none
    """

    emit = "{0}.reshape({shape})"
    view = True

    @formula(r"y_p = x_p")
    def forward(self, x: Array, *, shape: tuple[int, ...], axes: tuple[str, ...] = ()) -> Array:
        return namespace(x).reshape(x, shape)

    def layout(self, x: Form, *, shape: tuple[int, ...], axes: tuple[str, ...]) -> Layout:  # type: ignore[override]
        old, new = math.prod(x.shape), math.prod(shape)
        negative = any(size < 0 for size in shape)
        if negative or old != new:
            raise ShapeError(
                f"{old} entries cannot be laid out as {shape}, which has {'negative sizes' if negative else new}.",
                hint=f"The product of the new sizes must be {old}.",
            )
        return Layout(form_of(axes or ("",) * len(shape), shape), {"shape": shape, "axes": axes})

    @rule("x", r"dx_p = dy_p")
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return reshape(g, shape=x.shape, axes=x.axes)

    derivation = (
        (r"y_p = x_p", "p is the position of an entry, row by row; it is the same in both shapes"),
        (r"dx_p = dy_p", "entries are only moved, so their gradients are moved back"),
    )

    def by_hand(self, at: Index, x: Paper, *, shape: tuple[int, ...], axes: tuple[str, ...]) -> Hand:
        return x[_moved(at, shape, x.shape)]

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        return g[_moved(at, x.shape, g.shape)]

    @mistake("You read the entries column by column: read them row by row.")
    def column_by_column(self, x: Tensor, *, shape: tuple[int, ...], axes: tuple[str, ...]) -> Tensor:
        return reshape(transpose(x), shape=shape, axes=axes)

    @mistake("You moved the gradient back column by column: read it row by row.", of="x")
    def back_column_by_column(self, g: Tensor, x: Tensor) -> Tensor:
        return reshape(transpose(g), shape=x.shape, axes=x.axes)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
        shape=(3, 2),
        axes=("hidden", "vocab"),
        cotangent=[[0.3, 0.6], [-0.8, 0.2], [0.5, -0.4]],
    )
    more_examples = (
        Example(
            values([[0.2, -0.5, 1.0, 0.4], [0.7, 0.1, -0.3, -0.9]], "token model"),
            shape=(2, 2, 2),
            axes=("token", "head", "head_size"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
        Example(
            values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
            shape=(6,),
            cotangent=[0.3, 0.6, -0.8, 0.2, 0.5, -0.4],
        ),
    )


def _moved(at: Index, old: Index, new: Index) -> Index:
    """The index in the shape `new` of the entry at `at` in the shape `old`, both read row by row.

    >>> _moved((1, 0), (2, 3), (3, 2))
    (1, 1)
    """
    place = 0
    for position, size in zip(at, old, strict=True):
        place = place * size + position
    index: list[int] = []
    for size in reversed(new):
        place, position = divmod(place, size)
        index.insert(0, position)
    return tuple(index)


reshape = Reshape()
