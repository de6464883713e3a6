"""Refusing values before they do harm: the error names the entry."""

from __future__ import annotations

from typing import Any

from .arrays import Array, any_true, brackets, dtype_name, indices, is_float
from .errors import NumberError, ShapeError


def refuse(bad: Array, values: Array, key: str, **facts: Any) -> None:
    """Raise if any entry of `bad` is true, naming the first such entry of `values`."""
    if not any_true(bad):
        return
    for at in indices(bad.shape):
        if bool(bad[at]):
            where = brackets(at) or "0"
            raise NumberError(key, value=_short(values, at), index=where, dtype=dtype_name(values), **facts)


def refuse_other_shape(one: Array, other: Array) -> None:
    """Raise unless both have the same shape: inside a composite nobody would see that one was repeated."""
    if one.shape != other.shape:
        raise ShapeError("shape.value", old=tuple(one.shape), new=tuple(other.shape))


def refuse_whole(what: str, values: Array) -> None:
    """Raise unless the entries are real numbers: among whole numbers there is no -∞."""
    if not is_float(values):
        raise NumberError("number.reals", what=what, dtype=dtype_name(values))


def refuse_unmarked(what: str, marks: Array) -> None:
    """Raise unless all entries are the real numbers 0 or 1: a mask, or what dropout keeps."""
    refuse_whole(what, marks)
    refuse((marks != 0) & (marks != 1), marks, "number.mark", what=what)


def _short(values: Array, at: tuple[int, ...]) -> str:
    at = at[len(at) - values.ndim :]
    return f"{float(values[at]):g}"
