"""The masks of a call of PyTorch as a mask of ours."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy

from ..engine.arrays import Array
from ..engine.errors import CallError, NumberError, ShapeError
from ..engine.form import wrong_rank
from ..engine.tensor import Tensor, not_rectangular, refuse_nonfinite
from ..ops.given import constant
from .masks import SEE_ALL, Allowed, Biased, BiasedKeys, Both, Causal, Mask, Padding


def mask_from_torch(
    attn_mask: Any = None,
    key_padding_mask: Any = None,
    is_causal: bool = False,
    *,
    heads: int | None = None,
    dtype: str = "float64",
) -> Mask:
    """The mask that a call of PyTorch means by `attn_mask`, `key_padding_mask` and `is_causal`, for `padding`.

    In PyTorch, True means hidden, and real numbers are added to the scores, where -inf hides. Here 1 means allowed.
    A table that hides just what is later becomes `Causal`, and what changes nothing is left out. A table with three
    axes has one layer for each head of each text, and needs to know how many `heads` there are. `dtype` is the
    type of the module.

    >>> mask_from_torch(attn_mask=[[False, True], [False, False]])
    Causal()
    >>> mask_from_torch(key_padding_mask=[False, False, True])
    Padding(keep=Tensor(keep: key 3, float64))
    """
    masks: list[Mask] = []  # what is added comes first, and -∞ has the last word
    hiding: list[Mask] = [Causal()] if is_causal else []
    if attn_mask is not None:
        hidden, added = _read(attn_mask, "attn_mask")
        if is_causal and not (added is None and _is_causal(hidden)):
            raise CallError(
                "The mask is said to be causal (`is_causal`), but `attn_mask` hides or adds something else.",
                hint="Leave out one of the two. PyTorch may follow either.",
            )
        axes, shape = _table(hidden.shape, heads)
        if added is not None:
            masks.append(Biased(_fixed(added, shape, axes, dtype, "bias")))
        if not is_causal and hidden.any():
            causal = _is_causal(hidden)
            hiding.append(Causal() if causal else Allowed(_fixed(~hidden, shape, axes, dtype, "allow")))
    if key_padding_mask is not None:
        hidden, added = _read(key_padding_mask, "key_padding_mask")
        if hidden.ndim not in (1, 2):
            raise wrong_rank("key_padding_mask", "one axis, the keys, or two, texts and keys", hidden.ndim)
        axes = "batch key" if hidden.ndim == 2 else "key"
        if added is not None:
            masks.append(BiasedKeys(_fixed(added, hidden.shape, axes, dtype, "bias")))
        if hidden.any():
            hiding.append(Padding(_fixed(~hidden, hidden.shape, axes, dtype, "keep")))
    return reduce(Both, [*masks, *hiding]) if masks or hiding else SEE_ALL


def _read(mask: Any, name: str) -> tuple[Array, Array | None]:
    """What is hidden, and what is added to the rest, if that is anything but 0."""
    if hasattr(mask, "detach"):
        mask = mask.detach().cpu()
        mask = (mask.double() if mask.is_floating_point() else mask).numpy()
    try:
        table = numpy.asarray(mask)
    except ValueError:
        raise not_rectangular(where=name, given=str(mask)[:80]) from None
    if table.dtype.kind not in "bf":
        raise NumberError(
            f"A mask of type {table.dtype.name} could mean both: 1 hidden, or 1 added to the score.",
            hint="Give truth values, where True is hidden, or real numbers, which are added.",
            where=name,
        )
    if table.dtype.kind == "b":
        return table, None
    hidden = table == -numpy.inf
    added = numpy.where(hidden, 0.0, table)
    refuse_nonfinite(added, name)
    return hidden, added if added.any() else None


def _is_causal(hidden: Array) -> bool:
    return hidden.ndim == 2 and bool(numpy.array_equal(hidden, numpy.triu(numpy.ones_like(hidden), k=1)))


def _table(shape: tuple[int, ...], heads: int | None) -> tuple[str, tuple[int, ...]]:
    """The axes of a table for all texts and heads, for all heads, or for each of both."""
    if len(shape) == 2:
        return "query key", shape
    if len(shape) != 3:
        needed = "two axes, queries and keys, or three, with one layer for each head of each text"
        raise wrong_rank("attn_mask", needed, len(shape))
    if not heads or shape[0] % heads:
        raise ShapeError(
            f"A mask of {shape[0]} layers does not fit {heads or 'an unknown number of'} heads.",
            hint="Say how many heads the module has: mask_from_torch(..., heads=2).",
        )
    if shape[0] == heads:
        return "head query key", shape
    return "batch head query key", (shape[0] // heads, heads, *shape[1:])


def _fixed(table: Array, shape: tuple[int, ...], axes: str, dtype: str, name: str) -> Tensor:
    return constant(table.reshape(shape).astype(dtype), axes, name=name)
