"""Norms: rows divided by their own size. What the pages of the norms have in common."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...engine.arrays import Array, is_float, namespace
from ...engine.checks import refuse
from ...engine.errors import ShapeError
from ...engine.form import wrong_rank
from ...engine.op import Op
from ...engine.tensor import Tensor, constant_like
from ..add import add
from ..div import div
from ..dot import dot
from ..mean import mean
from ..mul import mul
from ..scale import divide_by
from ..sqrt import sqrt
from ..sub import sub

INSIDE, OUTSIDE = "inside", "outside"  # of the root: where epsilon is added


class Rows(NamedTuple):
    """Rows, what each of them is divided by, and the root in it: the divisor itself, or epsilon was added to it."""

    entries: Tensor
    root: Tensor
    divisor: Tensor

    @property
    def normalized(self) -> Tensor:
        return div(self.entries, self.divisor, name="normalized")


def sized(entries: Tensor, count: int, word: str, epsilon: float, place: str = INSIDE) -> Rows:
    """Rows with their size: the root of their squares divided by `count`; `word` names the number under the root."""
    squares = dot(entries, entries, axis=-1, name="squares")
    average = divide_by(squares, divisor=count, name=word)
    little = constant_like(epsilon, entries)
    if place == OUTSIDE:
        root = sqrt(average, name="root")
        return Rows(entries, root, add(root, little, name="divisor"))
    divisor = sqrt(add(average, little, name="with_epsilon"), name="divisor")
    return Rows(entries, divisor, divisor)


def centered(x: Tensor, correction: int, epsilon: float, place: str) -> Rows:
    """Rows less their mean, with their deviation."""
    entries = sub(x, mean(x, axis=-1, keep=True, name="mean"), name="centered")
    return sized(entries, x.size(-1) - correction, "variance", epsilon, place)


def through_size(h: Tensor, rows: Rows, count: int) -> Tensor:
    """What flows back to each entry through the size of its row; `h` is the gradient of the normalized rows."""
    z = rows.normalized
    slope = z if rows.root is rows.divisor else div(rows.entries, rows.root, name="slope")
    total = dot(h, z, axis=-1, name="total")
    return mul(slope, divide_by(total, divisor=count, name="mean_hz"), name="through_size")


def centered_back(h: Tensor, x: Tensor, correction: int, epsilon: float, place: str) -> Tensor:
    """From the gradient of the normalized rows to that of x: directly, through the mean, and through the size."""
    rows = centered(x, correction, epsilon, place)
    apart = sub(h, mean(h, axis=-1, keep=True, name="mean_h"), name="h_centered")
    return (apart - through_size(h, rows, x.size(-1) - correction)) / rows.divisor


def refuse_unfit(op: Op, x: Array, epsilon: float, *vectors: Array) -> None:
    """Raise unless each vector has one number for each entry of a row, and epsilon is not below 0."""
    if not x.shape:
        raise wrong_rank(op.name, "one axis or more", 0)
    for vector in vectors:
        if tuple(vector.shape) != tuple(x.shape[-1:]):
            raise ShapeError(
                f"{op.name} needs one number for each of the {x.shape[-1]} entries of a row, but a vector of shape "
                f"{tuple(vector.shape)} was given.",
                hint="Give gamma, and beta if there is one, as many entries as a row has.",
            )
    op.not_negative("epsilon", epsilon)


def refuse_extreme(x: Array, size: Array, epsilon: float) -> None:
    """Raise if the squares of a row may be too large for a number, or, without an epsilon, so small that they are 0."""
    xp, count = namespace(x), x.shape[-1]
    most = float(xp.finfo(x.dtype).max) if is_float(x) else 2.0**62
    top = xp.max(xp.abs(x), axis=-1)
    refuse(
        top > math.sqrt(most / count) / 2,
        top,
        "The squares of row {index}, with {value} in it, may add up to more than any number of type {dtype}.",
        hint="Check what made this row so large.",
    )
    if epsilon == 0:
        refuse(
            size * size / (4 * count) == 0,
            size,
            "Row {index} has the size 0 and would be divided by it.",
            hint="Give an epsilon above 0: it is there for rows whose entries are all the same, or 0.",
        )
