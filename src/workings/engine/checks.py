"""Refusing values before they do harm: the error names the entry."""

from __future__ import annotations

from .arrays import Array, any_true, brackets, dtype_name, indices, is_float
from .errors import NumberError, ShapeError


def refuse(bad: Array, values: Array, what: str, hint: str = "") -> None:
    """Raise if any entry of `bad` is true. In `what` and `hint`, {value} is the first such entry of `values`, {index}
    its place and {dtype} its type.
    """
    if not any_true(bad):
        return
    for at in indices(bad.shape):
        if bool(bad[at]):
            facts = {"value": _short(values, at), "index": brackets(at) or "0", "dtype": dtype_name(values)}
            raise NumberError(what.format(**facts), hint=hint.format(**facts))


def refuse_other_shape(one: Array, other: Array, what: str = "Both inputs") -> None:
    """Raise unless both have the same shape: inside a composite, broadcasting would not be visible."""
    if one.shape != other.shape:
        raise ShapeError(
            f"{what} need the same shape, but have {tuple(one.shape)} and {tuple(other.shape)}.",
            hint="Give one entry of the second for every entry of the first.",
        )


def not_whole_numbers(what: str, found: str, where: str = "") -> NumberError:
    """Ids, labels or positions that are not integers; `found` is their type, or one of them."""
    return NumberError(
        f"{what} must be whole numbers, not {found}.", hint="Give integers, counted from 0.", where=where
    )


def refuse_whole(what: str, values: Array) -> None:
    """Raise unless the entries are real numbers: among whole numbers there is no -∞."""
    if not is_float(values):
        raise NumberError(
            f"{what} must be real numbers, not {dtype_name(values)}.",
            hint="Wrap it: constant(...) turns whole numbers and truth values into real numbers.",
        )


def refuse_unmarked(what: str, marks: Array) -> None:
    """Raise unless all entries are the real numbers 0 or 1: a mask, or what dropout keeps."""
    refuse_whole(what, marks)
    refuse(
        (marks != 0) & (marks != 1),
        marks,
        f"{what} is {{value}} at {{index}}; a mark is 0 or 1.",
        hint="Give 1 for what stays and 0 for what does not.",
    )


def _short(values: Array, at: tuple[int, ...]) -> str:
    at = at[len(at) - values.ndim :]
    return f"{float(values[at]):g}"
