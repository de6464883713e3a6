"""Rows of a whole batch below each other, as matmul and linear take them."""

from __future__ import annotations

from ...engine.arrays import Index
from ...engine.tensor import Tensor
from ..reshape import reshape


def leading(shape: Index) -> tuple[int, ...]:
    """The positions of all axes but the last."""
    return tuple(range(-len(shape), -1))


def as_rows(x: Tensor) -> Tensor:
    """All rows below each other, those of a batch too."""
    return x if x.ndim == 2 else reshape(x, shape=(x.entries // x.size(-1), x.size(-1)), axes=("", x.axes[-1]))
