"""Leaf tensors made from plain numbers: inputs, weights, constants and random numbers."""

from __future__ import annotations

from typing import Any

import numpy

from ..engine.arguments import checks_arguments
from ..engine.arrays import Array, freeze, is_array, is_float, is_real
from ..engine.checks import not_whole_numbers
from ..engine.tensor import LeafKind, Tensor, leaf, not_rectangular


@checks_arguments
def given(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """A value to start from: nested lists or any array, with a name for each axis.

    >>> given([[1, 0], [0, 1]], "token model", name="X")
    Tensor(X: token 2 × model 2, float64)
    """
    return _leaf(values, axes, name, "given", dtype)


@checks_arguments
def parameter(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """A trainable parameter: a value that training updates."""
    return _leaf(values, axes, name, "parameter", dtype)


@checks_arguments
def constant(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """A fixed value, such as a mask. It has no gradient, and may contain -inf."""
    return _leaf(values, axes, name, "constant", dtype)


@checks_arguments
def random(values: Any, axes: str = "", *, name: str = "", dtype: Any = None) -> Tensor:
    """Random numbers, such as a dropout mask: recorded, so that a replay uses the same ones."""
    return _leaf(values, axes, name, "random", dtype)


@checks_arguments
def ids(values: Any, axes: str = "token", *, name: str = "ids") -> Tensor:
    """Token ids or labels: integers, which have no gradient.

    >>> ids([0, 1])
    Tensor(ids: token 2, int64)
    """
    numbers = _array(values.array if isinstance(values, Tensor) else values, numpy.float64)
    fractions = numbers[~numpy.isfinite(numbers) | (numbers != numpy.floor(numbers))]
    if fractions.size:
        raise not_whole_numbers(name, f"{fractions[0]:g}")
    return _leaf(values, axes if numbers.ndim else "", name, "given", numpy.int64)


def _leaf(values: Any, axes: str, name: str, kind: LeafKind, dtype: Any) -> Tensor:
    if isinstance(values, Tensor):
        values = values.array
    if is_array(values) and dtype is None and not isinstance(values, numpy.ndarray | numpy.generic):
        return leaf(values, axes, name=name, kind=kind)  # of another library, such as PyTorch
    if is_array(values) and not is_real(values):
        raise not_rectangular(given=str(values)[:80])
    if dtype is None and is_array(values) and is_float(values):
        dtype = values.dtype
    return leaf(freeze(_array(values, dtype)), axes, name=name, kind=kind)


def _array(values: Any, dtype: Any) -> Array:
    """Numbers as an array: real numbers by default, so that they can have gradients."""
    try:
        return numpy.array(values, dtype=dtype or numpy.float64, order="C")
    except (ValueError, TypeError, OverflowError):
        raise not_rectangular(given=str(values)[:80]) from None
