"""The calculator's judges: every primitive once more in Python's `decimal`, from its definition.

A judge gets NumPy arrays of `Decimal` (or whole numbers) and positional settings, and computes all
entries with 60 digits. Rounding is written here a second time too. A primitive of `workings.ops`
without a judge fails its tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import mpmath
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


def _by_mpmath(function: Callable[[Any], Any]) -> Callable[[Decimals], Decimals]:
    """What `decimal` does not know: worked out by mpmath with 10 digits more than are handed on."""

    def judge(entry: Decimal) -> Decimal:
        with mpmath.workdps(70):
            return Decimal(mpmath.nstr(function(mpmath.mpf(str(entry))), 60))

    return numpy.frompyfunc(judge, 1, 1)


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


def _ranked(row: Decimals) -> Decimals:
    """The positions of a row, the largest entry first; of equal ones the first one first."""
    return numpy.array([Decimal(place) for place in sorted(range(len(row)), key=lambda place: (-row[place], place))])


def _argmax(row: Decimals) -> Decimal:
    return next(Decimal(place) for place, entry in enumerate(row) if all(entry >= other for other in row))


def positional_encoding(
    positions: Decimals, *, size: int, base: float, layout: str, dtype: str, written: Callable[[Decimal], Decimal]
) -> Decimals:
    rows = numpy.empty((*positions.shape, size), dtype=object)
    waves = {"sine": _by_mpmath(mpmath.sin), "cosine": _by_mpmath(mpmath.cos)}
    count = -(-size // 2)  # of the pairs
    for pair, (offset, wave) in itertools.product(range(count), enumerate(waves)):
        column = pair + offset * count if layout == "concatenated" else 2 * pair + offset
        if column < size:  # an odd size has no last cosine
            exponent = written(Decimal(2 * pair) / size)
            divisor = written(_ln_power(base, exponent))
            for at in numpy.ndindex(positions.shape):
                rows[(*at, column)] = waves[wave](written(positions[at] / divisor))
    return rows


def _ln_power(base: float, exponent: Decimal) -> Decimal:
    return WIDE.exp(exponent * WIDE.ln(Decimal(repr(base))))


def _kept_in_order(row: Decimals, k: int) -> Decimals:
    places = _ranked(row)[:k]
    return numpy.array([Decimal(int(place in places)) for place in range(len(row))])


def _first_above(row: Decimals, bound: Decimal) -> Decimal:
    above = [place for place, entry in enumerate(row) if entry > bound]
    return Decimal(above[0]) if above else _argmax(row)


def first_above(x: Decimals, bound: Decimals) -> Decimals:
    places = numpy.empty(bound.shape, dtype=object)
    for at in numpy.ndindex(bound.shape):
        places[at] = _first_above(x[at], bound[at])
    return places


def keep_top_p(shares: Decimals, *, p: float, written: Callable[[Decimal], Decimal]) -> Decimals:
    def kept(row: Decimals) -> Decimals:
        marks = numpy.full(row.shape, Decimal(0))
        total = Decimal(0)
        for place in map(int, _ranked(row)):
            if written(total) >= Decimal(repr(p)):
                break
            marks[place] = Decimal(1)
            total += row[place]
        return marks

    return numpy.apply_along_axis(kept, -1, shares)


def cumulative_sum(x: Decimals, *, axis: int, reverse: bool) -> Decimals:
    return numpy.flip(numpy.flip(x, axis).cumsum(axis), axis) if reverse else x.cumsum(axis)


# Primitives that are written down in several lines, each of which is rounded; `written` does it.
IN_LINES = ("keep_top_p", "positional_encoding")

JUDGES: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "add_rows": add_rows,
    "argmax": lambda x, *, axis: numpy.apply_along_axis(_argmax, axis, x),
    "at_most": lambda x, *, limit: numpy.minimum(x, Decimal(repr(limit))),
    "collect": lambda *parts: sum(parts[1:], start=parts[0]),
    "concat": lambda *parts, axis: numpy.concatenate(parts, axis=axis),
    "cos": _by_mpmath(mpmath.cos),
    "cumulative_sum": cumulative_sum,
    "div": lambda a, b: a / b,
    "divide_by": lambda x, *, divisor: x / Decimal(repr(divisor)),
    "dot": lambda a, b, *, axis: (a * b).sum(axis=axis, keepdims=True),
    "erf": _by_mpmath(mpmath.erf),
    "exp": _exp,
    "first_above": first_above,
    "is_max": is_max,
    "keep_top_k": lambda x, *, k: numpy.apply_along_axis(_kept_in_order, -1, x, k),
    "keep_top_p": keep_top_p,
    "log": _ln,
    "lookup": lambda E, ids: E[ids.astype(int)],
    "mask": lambda x, allow: numpy.where(allow == 1, x, Decimal("-Infinity")),
    "matmul": lambda a, b: a @ b,
    "mul": lambda a, b: a * b,
    "neg": lambda x: -x,
    "one_hot": one_hot,
    "outer": lambda a, b: a[:, None] * b[None, :],
    "pass": lambda x: x,
    "permute": lambda x, *, order: x.transpose(order),
    "pick": pick,
    "place_row": place_row,
    "positional_encoding": positional_encoding,
    "positive": lambda x: numpy.where(x > 0, Decimal(1), Decimal(0)),
    "power": lambda x, *, exponent: _by_mpmath(lambda entry: entry ** mpmath.mpf(repr(exponent)))(x),
    "relu": lambda x: numpy.where(x > 0, x, Decimal(0)),
    "reshape": lambda x, *, shape, axes: x.reshape(shape),
    "row_max": lambda x, *, axis: x.max(axis=axis, keepdims=True),
    "scale": lambda x, *, factor: x * Decimal(repr(factor)),
    "sin": _by_mpmath(mpmath.sin),
    "split": lambda x, *, sizes, part, axis: numpy.split(x, numpy.cumsum(sizes)[:-1], axis=axis)[part],
    "spread": spread,
    "sqrt": _sqrt,
    "sub": lambda a, b: a - b,
    "sum": lambda x, *, axis, keep: x.sum(axis=axis, keepdims=keep),
    "sum_to": sum_to,
    "take_row": lambda x, *, index, axis: numpy.moveaxis(x, axis, 0)[index],
    "tanh": _by_mpmath(mpmath.tanh),
    "top_k": lambda x, *, k, word: numpy.apply_along_axis(_ranked, -1, x)[..., :k],
    "transpose": lambda x: x.swapaxes(-1, -2),
}
