"""Leaves made from plain numbers: what is given, what is learned, what is fixed, what is drawn."""

from __future__ import annotations

from typing import Any

import numpy

from ..engine.arrays import Array, freeze, is_array, is_float, is_real
from ..engine.errors import NumberError, ShapeError
from ..engine.leaves import leaf
from ..engine.tensor import LeafKind, Tensor


def given(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """A value to start from: nested lists or any array, with a word for each axis.

    >>> given([[1, 0], [0, 1]], "token model", name="X")
    Tensor(X: token 2 × model 2, float64)
    """
    return _leaf(values, axes, name, "given", dtype)


def parameter(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """A weight: a value that training changes."""
    return _leaf(values, axes, name, "parameter", dtype)


def constant(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """A fixed part of the method, such as a mask. It has no gradient, and may contain -inf."""
    return _leaf(values, axes, name, "constant", dtype)


def random(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """Numbers that were drawn, such as a dropout mask: recorded, so that a replay draws the same."""
    return _leaf(values, axes, name, "random", dtype)


def ids(values: Any, axes: str = "token", *, name: str = "ids") -> Tensor:
    """Token numbers or labels: whole numbers, which have no gradient.

    >>> ids([0, 1])
    Tensor(ids: token 2, int64)
    """
    numbers = _array(values.array if isinstance(values, Tensor) else values, numpy.float64)
    fractions = numbers[~numpy.isfinite(numbers) | (numbers != numpy.floor(numbers))]
    if fractions.size:
        raise NumberError("number.integers", what=name, dtype=f"{fractions[0]:g}")
    return _leaf(values, axes if numbers.ndim else "", name, "given", numpy.int64)


def _leaf(values: Any, axes: str, name: str, kind: LeafKind, dtype: Any) -> Tensor:
    if isinstance(values, Tensor):
        values = values.array
    if is_array(values) and dtype is None and not isinstance(values, numpy.ndarray | numpy.generic):
        return leaf(values, axes, name=name, kind=kind)  # of another library, such as PyTorch
    if is_array(values) and not is_real(values):
        raise ShapeError("shape.ragged", given=str(values)[:80])
    if dtype is None and is_array(values) and is_float(values):
        dtype = values.dtype
    return leaf(freeze(_array(values, dtype)), axes, name=name, kind=kind)


def _array(values: Any, dtype: Any) -> Array:
    """Numbers as an array: real numbers unless told otherwise, so that they can have gradients."""
    try:
        return numpy.array(values, dtype=dtype or numpy.float64, order="C")
    except (ValueError, TypeError, OverflowError):
        raise ShapeError("shape.ragged", given=str(values)[:80]) from None
