"""The calculator's judges: every primitive once more in Python's `decimal`, from its definition.

A judge gets NumPy arrays of `Decimal` (or whole numbers) and positional settings, and computes all
entries with 60 digits. Rounding is written here a second time too. A primitive of `workings.ops`
without a judge fails its tests.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy

Decimals = numpy.ndarray  # of dtype object
WIDE = Context(prec=60)
GUARD = 12


def decimals_of(array: numpy.ndarray) -> Decimals:
    """The numbers as they are written: 0.1 is one tenth."""
    found = numpy.empty(array.shape, dtype=object)
    for at in numpy.ndindex(array.shape):
        number = array[at].item()
        found[at] = Decimal(int(number)) if isinstance(number, bool) else Decimal(repr(number))
    return found


def round_as_people_do(value: Decimal, digits: int, unit: str) -> Decimal:
    """Half away from zero, after a first rounding to 12 significant digits."""
    if value == 0 or not value.is_finite():
        return value
    guarded = _nearest_multiple(value, value.adjusted() - GUARD + 1)
    exponent = -digits if unit == "decimals" else guarded.adjusted() - digits + 1
    return _nearest_multiple(guarded, exponent)


def _nearest_multiple(value: Decimal, exponent: int) -> Decimal:
    """The nearest multiple of 10^exponent; of two equally near ones the larger in size."""
    count = WIDE.add(abs(value).scaleb(-exponent, WIDE), Decimal("0.5")).to_integral_value(ROUND_FLOOR)
    return count.scaleb(exponent, WIDE).copy_sign(value)


_exp = numpy.frompyfunc(WIDE.exp, 1, 1)
_ln = numpy.frompyfunc(WIDE.ln, 1, 1)
_sqrt = numpy.frompyfunc(WIDE.sqrt, 1, 1)


def spread(x: Decimals, *, drop: Any, keep: Any, axes: Any, shape: tuple[int, ...]) -> Decimals:
    index = tuple(None if place in drop else slice(None) for place in range(-len(shape), 0))
    return numpy.broadcast_to(x[index], shape)


def sum_to(x: Decimals, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Decimals:
    return x.sum(axis=keep, keepdims=True).sum(axis=drop)


def is_max(x: Decimals, *, axis: int) -> Decimals:
    mark = numpy.where(x == x.max(axis=axis, keepdims=True), Decimal(1), Decimal(0))
    return mark / mark.sum(axis=axis, keepdims=True)


def add_rows(x: Decimals, ids: Decimals, *, rows: int, word: str) -> Decimals:
    table = numpy.full((rows, x.shape[-1]), Decimal(0))
    for t in numpy.ndindex(ids.shape):
        table[int(ids[t])] += x[t]
    return table


def one_hot(ids: Decimals, *, size: int, word: str, dtype: str) -> Decimals:
    rows = numpy.full((*ids.shape, size), Decimal(0))
    for t in numpy.ndindex(ids.shape):
        rows[(*t, int(ids[t]))] = Decimal(1)
    return rows


def pick(x: Decimals, target: Decimals) -> Decimals:
    picked = numpy.empty(target.shape, dtype=object)
    for t in numpy.ndindex(target.shape):
        picked[t] = x[(*t, int(target[t]))]
    return picked


def place_row(x: Decimals, *, index: int, axis: int, size: int, word: str) -> Decimals:
    rows = [x if row == index % size else numpy.full(x.shape, Decimal(0)) for row in range(size)]
    return numpy.stack(rows, axis=axis)


JUDGES: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "add_rows": add_rows,
    "collect": lambda *parts: sum(parts[1:], start=parts[0]),
    "div": lambda a, b: a / b,
    "divide_by": lambda x, *, divisor: x / Decimal(repr(divisor)),
    "dot": lambda a, b, *, axis: (a * b).sum(axis=axis, keepdims=True),
    "exp": _exp,
    "is_max": is_max,
    "log": _ln,
    "lookup": lambda E, ids: E[ids.astype(int)],
    "matmul": lambda a, b: a @ b,
    "mul": lambda a, b: a * b,
    "neg": lambda x: -x,
    "one_hot": one_hot,
    "outer": lambda a, b: a[:, None] * b[None, :],
    "pass": lambda x: x,
    "pick": pick,
    "place_row": place_row,
    "positive": lambda x: numpy.where(x > 0, Decimal(1), Decimal(0)),
    "relu": lambda x: numpy.where(x > 0, x, Decimal(0)),
    "reshape": lambda x, *, shape, axes: x.reshape(shape),
    "row_max": lambda x, *, axis: x.max(axis=axis, keepdims=True),
    "scale": lambda x, *, factor: x * Decimal(repr(factor)),
    "spread": spread,
    "sqrt": _sqrt,
    "sub": lambda a, b: a - b,
    "sum": lambda x, *, axis, keep: x.sum(axis=axis, keepdims=keep),
    "sum_to": sum_to,
    "take_row": lambda x, *, index, axis: numpy.moveaxis(x, axis, 0)[index],
    "transpose": lambda x: x.swapaxes(-1, -2),
}
