"""Rows of a whole batch below each other, as matmul and linear take them; and rows in another order."""

from __future__ import annotations

from ...engine.arrays import Index
from ...engine.form import Axis
from ...engine.tensor import Tensor
from ..concat import concat
from ..reshape import reshape
from ..split import split


def leading(shape: Index) -> tuple[int, ...]:
    """The positions of all axes but the last."""
    return tuple(range(-len(shape), -1))


def as_rows(x: Tensor) -> Tensor:
    """All rows below each other, those of a batch too."""
    return x if x.ndim == 2 else reshape(x, shape=(x.entries // x.size(-1), x.size(-1)), axes=("", x.axes[-1]))


def rolled(x: Tensor, count: int, *, axis: Axis = -1) -> Tensor:
    """What lies along an axis with the first ones last: what people read who are off by so many."""
    first, rest = (split(x, sizes=(count, x.size(axis) - count), part=part, axis=axis) for part in (0, 1))
    return concat(rest, first, axis=axis)
