"""Labels: whole numbers that name one entry of a vocabulary. What the pages that read them have in common."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays import Array, any_true, brackets, dtype_name, indices, is_integer, namespace
from ...engine.checks import not_whole_numbers
from ...engine.errors import NumberError, ShapeError
from ...engine.form import Form, elementwise, reduced, wrong_rank
from ...engine.tensor import Tensor


def refuse_labels(labels: Array, size: int, what: str) -> None:
    """Labels are whole numbers from 0 to the size of the vocabulary less one."""
    if not is_integer(labels):
        raise not_whole_numbers(what, dtype_name(labels))
    outside = (labels < 0) | (labels >= size)
    if any_true(outside):
        label = next(int(labels[at]) for at in indices(labels.shape) if bool(outside[at]))
        raise NumberError(
            f"The label {label} is outside the vocabulary of {size} entries.",
            hint=f"Labels count from 0 to {size - 1}.",
        )


def refuse_unpaired(op: str, x: Array, labels: Array, what: str, size: int | None = None) -> None:
    """Each row of x has one label, and the label is one of `size` (as many as a row is long)."""
    if not x.shape or x.shape[:-1] != labels.shape:
        raise _unlabeled(op, tuple(x.shape[:-1]), tuple(labels.shape))
    refuse_labels(labels, x.shape[-1] if size is None else size, what)


def _unlabeled(op: str, rows: object, labels: object) -> ShapeError:
    return ShapeError(
        f"{op} needs one label for each row: the rows are {rows}, the labels {labels}.",
        hint="Give as many labels as there are rows; a single row takes a single label.",
    )


def refuse_masked(logits: Array, labels: Array) -> None:
    """The right answer must not be masked: its probability would be 0, and the loss infinite."""
    if not any_true(logits == -math.inf):
        return
    for at in indices(labels.shape):
        if float(logits[(*at, int(labels[at]))]) == -math.inf:
            raise NumberError(
                f"The right answer of row {brackets(at) or '0'}, {int(labels[at])}, is masked: its "
                "probability is 0, and the loss infinite.",
                hint="Mask only what cannot be the answer.",
            )


def labeled_rows(op: str, x: Form, labels: Form) -> Form:
    """The form of the rows of x (all axes but the last), each of which has one label."""
    if not x.shape:
        raise wrong_rank(op, "one axis or more", 0)
    rows = reduced(x, (-1,), keep=False)
    if rows.shape != labels.shape:
        raise _unlabeled(op, rows, labels)
    return elementwise(rows, labels)[0]


def last_of_each(ids: Tensor, dtype: str) -> Tensor:
    """1 where an id occurs for the last time, else 0, with one more axis of size 1."""
    xp: Any = namespace(ids.array)
    flat = xp.reshape(ids.array, (-1,))
    again = xp.any(xp.triu(xp.expand_dims(flat, axis=-1) == flat, k=1), axis=-1)
    last = xp.reshape(xp.astype(~again, getattr(xp, dtype)), (*ids.shape, 1))
    return Tensor(last, Form((*ids.axes, ""), last.shape, (*[False] * ids.ndim, True)), leaf="constant")
