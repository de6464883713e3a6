"""Leaves: the values that a computation starts from. They are steps too, with no inputs."""

from __future__ import annotations

from typing import Any

from .arrays import Array, brackets, indices, is_float, is_real, namespace
from .errors import NumberError, ShapeError
from .form import form_of
from .tensor import LeafKind, Tensor

LEAF_KINDS: tuple[LeafKind, ...] = ("given", "parameter", "constant", "random")


def leaf(array: Array, axes: str | tuple[str, ...] = (), *, name: str = "", kind: LeafKind = "given") -> Tensor:
    """A tensor to start from. Inputs and weights must be finite; a constant (a mask) need not be."""
    words = tuple(axes.split() if isinstance(axes, str) else axes)
    if not is_real(array):
        raise ShapeError("shape.ragged", where=name)
    if 0 in array.shape:
        raise ShapeError("shape.empty", shape=tuple(array.shape), where=name)
    form = form_of(words or ("",) * array.ndim, tuple(array.shape))
    if kind in ("given", "parameter"):
        refuse_nonfinite(array, name or kind)
    return Tensor(array, form, name=name, leaf=kind)


def refuse_nonfinite(array: Array, name: str) -> None:
    """NaN or inf in an input is an error that names the entry."""
    xp: Any = namespace(array)
    if not is_float(array) or bool(xp.all(xp.isfinite(array))):
        return
    for at in indices(array.shape):
        if not bool(xp.isfinite(array[at])):
            raise NumberError("number.nonfinite", name=name, value=float(array[at]), index=brackets(at) or "its entry")
