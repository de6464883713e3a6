"""Relations between somebody's numbers and the true ones that need no knowledge of how they were made.

Each is a function that gives what it has found, as the values of its sentence, or None. They are tried in this order,
and the first that holds is told. A relation that could be fitted to any numbers is none: it must explain more entries
than it has free choices. A factor that is not finite is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy

from ...engine.arrays import Array
from ...explain.numbers import write

Found: TypeAlias = Mapping[str, str] | None
AT_LEAST = 3  # entries that a factor, an offset or a lone entry has to explain besides itself
COARSE = 0.1  # of the largest number: where entries may be off by more, they would be equal to any others
SHORT = 1e-9  # how close a factor has to be to a short number to be told as one


class Pair(NamedTuple):
    """Somebody's numbers, the true ones of the same shape, and by how much each entry may be off."""

    got: Array
    truth: Array
    allowed: Array

    def equal(self, other: Array, times: float = 1.0) -> bool:
        """Whether the numbers are these, to rounding; numbers that were multiplied are off by as much more."""
        with numpy.errstate(invalid="ignore", over="ignore"):
            allowed = self.allowed * max(1.0, abs(times))
            largest = numpy.max(numpy.abs(other), where=numpy.isfinite(other), initial=0.0)
            close = (numpy.abs(self.got - other) <= allowed) & (numpy.max(allowed, initial=0.0) <= COARSE * largest)
        return bool(numpy.all((self.got == other) | close))


def all_zero(pair: Pair) -> Found:
    return {} if numpy.any(pair.truth) and not numpy.any(pair.got) else None


def sign_turned(pair: Pair) -> Found:
    return {} if numpy.any(pair.truth) and pair.equal(-pair.truth) else None


def factor(pair: Pair) -> Found:
    finite = numpy.isfinite(pair.truth) & numpy.isfinite(pair.got)
    true, got = pair.truth[finite], pair.got[finite]
    if numpy.count_nonzero(true) < AT_LEAST or not numpy.any(got):
        return None
    times = _factor(true, got)
    return {"factor": _told(times)} if times is not None and pair.equal(pair.truth * times, times) else None


def offset(pair: Pair) -> Found:
    finite = numpy.isfinite(pair.truth) & numpy.isfinite(pair.got)
    if numpy.count_nonzero(finite) < AT_LEAST:
        return None
    with numpy.errstate(over="ignore", invalid="ignore"):
        more = float(numpy.mean(pair.got[finite] - pair.truth[finite]))
    return {"offset": _told(more)} if math.isfinite(more) and pair.equal(pair.truth + more) else None


def transposed(pair: Pair) -> Found:
    square = pair.truth.ndim >= 2 and pair.truth.shape[-1] == pair.truth.shape[-2]
    return {} if square and pair.equal(numpy.swapaxes(pair.truth, -1, -2)) else None


def reversed_along(pair: Pair) -> Found:
    for axis in range(pair.truth.ndim):
        if pair.truth.shape[axis] > 2 and pair.equal(numpy.flip(pair.truth, axis)):
            return {"axis": str(axis)}
    return None


def shifted(pair: Pair) -> Found:
    """One place on or back along an axis; at the edge anything may stand."""
    for axis in range(pair.truth.ndim):
        size = pair.truth.shape[axis]
        if size < AT_LEAST:
            continue
        early, late = _along(axis, slice(None, -1)), _along(axis, slice(1, None))
        for here, there, way in ((late, early, "+1"), (early, late, "-1")):
            part = Pair(pair.got[here], pair.truth[there], pair.allowed[here])
            if part.equal(part.truth) and not _all_alike(pair.truth, axis):
                return {"axis": str(axis), "places": way}
    return None


def permuted(pair: Pair) -> Found:
    """Rows, columns, heads or tokens in another order."""
    for axis in range(pair.truth.ndim):
        order = _order(pair, axis)
        if order is not None:
            return {"axis": str(axis), "order": " ".join(map(str, order))}
    return None


def one_entry(pair: Pair) -> Found:
    """All entries but one are right."""
    with numpy.errstate(invalid="ignore"):
        wrong = ~((pair.got == pair.truth) | (numpy.abs(pair.got - pair.truth) <= pair.allowed))
    if numpy.count_nonzero(wrong) != 1 or wrong.size <= AT_LEAST:
        return None
    (index,) = numpy.argwhere(wrong)
    return {"entry": "".join(f"[{place}]" for place in index)}


def dropped(pair: Pair) -> Found:
    """Zeros here and there, and a constant factor elsewhere: dropout that was left on."""
    seen = numpy.isfinite(pair.truth) & (numpy.abs(pair.truth) > pair.allowed)
    gone = seen & (pair.got == 0)
    kept = seen & ~gone
    if not numpy.any(gone) or numpy.count_nonzero(kept) < AT_LEAST:
        return None
    true, got = pair.truth[kept], pair.got[kept]
    times = _factor(true, got)
    if times is None or times <= 1 or not pair.equal(numpy.where(gone, 0.0, pair.truth * times), times):
        return None
    return {"rate": _told(1 - 1 / times), "count": str(int(numpy.count_nonzero(gone)))}


def row_factors(pair: Pair) -> Found:
    """Each row is multiplied by a number of its own, as when shares are not shared out again."""
    if pair.truth.ndim < 2 or pair.truth.shape[-1] < 2 or not numpy.all(numpy.isfinite(pair.truth)):
        return None
    with numpy.errstate(over="ignore", invalid="ignore", divide="ignore"):
        squares = numpy.sum(pair.truth * pair.truth, axis=-1, keepdims=True)
        times = numpy.sum(pair.got * pair.truth, axis=-1, keepdims=True) / squares
        multiplied = pair.truth * times
    if numpy.count_nonzero(pair.truth) < AT_LEAST + squares.size:
        return None
    if not numpy.all(numpy.isfinite(times) & (times != 0)):
        return None
    if not pair.equal(multiplied, float(numpy.max(numpy.abs(times)))):
        return None
    return {"least": write(float(numpy.min(times))), "most": write(float(numpy.max(times)))}


# By the name that a candidate has: relation.factor.
RELATIONS: dict[str, Callable[[Pair], Found]] = {
    "all_zero": all_zero,
    "sign_turned": sign_turned,
    "factor": factor,
    "offset": offset,
    "transposed": transposed,
    "reversed": reversed_along,
    "shifted": shifted,
    "permuted": permuted,
    "one_entry": one_entry,
    "dropped": dropped,
    "row_factors": row_factors,
}


def _factor(true: Array, got: Array) -> float | None:
    """The number by which the true ones come nearest to these; None where it, or what it makes, is not finite."""
    with numpy.errstate(over="ignore", invalid="ignore", divide="ignore"):
        times = float(numpy.divide(true @ got, true @ true))
        is_finite = math.isfinite(times) and bool(numpy.all(numpy.isfinite(true * times)))
    return times if is_finite else None


def _along(axis: int, part: slice) -> tuple[slice, ...]:
    return (slice(None),) * axis + (part,)


def _all_alike(array: Array, axis: int) -> bool:
    return bool(numpy.all(array == numpy.take(array, [0], axis)))


def _order(pair: Pair, axis: int) -> list[int] | None:
    """Which slice of the truth stands where, if each stands in exactly one place."""
    truth, got, allowed = (numpy.moveaxis(array, axis, 0) for array in pair)
    count = truth.shape[0]
    if count < 2 or count > 512:
        return None
    order: list[int] = []
    for place in range(count):
        part = Pair(got[place], truth[place], allowed[place])
        fitting = [n for n in range(count) if n not in order and part.equal(truth[n])]
        if not fitting:
            return None
        order.append(fitting[0])
    return order if order != sorted(order) else None


def _told(number: float) -> str:
    """A factor as people would write it: a short number, if it is as good as one."""
    short = float(f"{number:.6g}")
    return write(short if abs(short - number) <= SHORT * abs(number) else number)
