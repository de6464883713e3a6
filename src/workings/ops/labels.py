"""Labels: whole numbers that name one entry of a vocabulary. What the pages that read them have in common."""

from __future__ import annotations

import math

from ..engine.arrays import Array, any_true, brackets, dtype_name, indices, is_integer
from ..engine.errors import NumberError, ShapeError
from ..engine.form import Form, elementwise, reduced


def refuse_labels(labels: Array, size: int, what: str) -> None:
    """Labels are whole numbers from 0 to the size of the vocabulary less one."""
    if not is_integer(labels):
        raise NumberError("number.integers", what=what, dtype=dtype_name(labels))
    outside = (labels < 0) | (labels >= size)
    if any_true(outside):
        label = next(int(labels[at]) for at in indices(labels.shape) if bool(outside[at]))
        raise NumberError("label", label=label, size=size)


def refuse_unpaired(op: str, x: Array, labels: Array, what: str, size: int | None = None) -> None:
    """Each row of x has one label, and the label is one of `size` (as many as a row is long)."""
    if not x.shape or x.shape[:-1] != labels.shape:
        raise ShapeError("shape.labels", op=op, rows=tuple(x.shape[:-1]), labels=tuple(labels.shape))
    refuse_labels(labels, x.shape[-1] if size is None else size, what)


def refuse_masked(logits: Array, labels: Array) -> None:
    """The right answer must not be masked: its share would be 0, and the loss infinite."""
    if not any_true(logits == -math.inf):
        return
    for at in indices(labels.shape):
        if float(logits[(*at, int(labels[at]))]) == -math.inf:
            raise NumberError("label.masked", label=int(labels[at]), index=brackets(at) or "0")


def labelled_rows(op: str, x: Form, labels: Form) -> Form:
    """The form of the rows of x (all axes but the last), each of which has one label."""
    if not x.shape:
        raise ShapeError("shape.rank", op=op, needed="one axis or more", rank=0)
    rows = reduced(x, (-1,), keep=False)
    if rows.shape != labels.shape:
        raise ShapeError("shape.labels", op=op, rows=str(rows), labels=str(labels))
    return elementwise(rows, labels)[0]
