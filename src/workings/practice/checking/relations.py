"""Relations between a user's numbers and the true ones that need no knowledge of how they were computed.

Each is a function that returns a sentence, or None. They are tried in this order, and the first that holds is reported.
A relation that could be fitted to any numbers explains none: it must explain more entries than it has free parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy

from ...document.numbers import write
from ...engine.arrays import Array
from ...explain.step_view import StepView

MIN_EXPLAINED = 3  # entries that a factor, an offset or a lone entry has to explain besides itself
MAX_COARSENESS = 0.1  # of the largest number: with a larger tolerance, entries would equal any others
SHORT = 1e-9  # relative: a factor so close to a short number is written as that
MIN_KEPT_FACTOR = 1.001  # by which dropout multiplies what it keeps: with less, nothing was dropped
MAX_PERMUTED = 512  # slices along an axis
MAX_ENTRIES = 1_000_000  # whose columns are searched in all other steps
TOKEN_AXES = ("batch", "token", "query")  # axes along which every row is another token


class ArrayPair(NamedTuple):
    """A user's numbers, the true ones of the same shape, and by how much each entry may be off."""

    got: Array
    truth: Array
    allowed: Array
    axes: tuple[str, ...] = ()

    def equal(self, other: Array, times: float = 1.0) -> bool:
        """Whether the numbers are these, to rounding; multiplied numbers may be off by as much more."""
        with numpy.errstate(invalid="ignore", over="ignore"):
            allowed = self.allowed * max(1.0, abs(times))
            size = numpy.max(numpy.abs(other), where=numpy.isfinite(other), initial=0.0)
            close = (numpy.abs(self.got - other) <= allowed) & (
                numpy.max(allowed, initial=0.0) <= MAX_COARSENESS * size
            )
        return bool(numpy.all((self.got == other) | close))

    def axis(self, number: int) -> str:
        return (self.axes[number] if self.axes else "") or str(number)


# -- relations to the true numbers of the step ---------------------------------------------------------


def all_zero(pair: ArrayPair) -> str | None:
    return "Every entry is 0." if numpy.any(pair.truth) and not numpy.any(pair.got) else None


def sign_turned(pair: ArrayPair) -> str | None:
    return "Every entry has the opposite sign." if numpy.any(pair.truth) and pair.equal(-pair.truth) else None


def factor(pair: ArrayPair) -> str | None:
    finite = numpy.isfinite(pair.truth) & numpy.isfinite(pair.got)
    true, got = pair.truth[finite], pair.got[finite]
    if numpy.count_nonzero(true) < MIN_EXPLAINED or not numpy.any(got):
        return None
    times = _factor(true, got)
    if times is None or not pair.equal(pair.truth * times, times):
        return None
    return f"Every entry is the true one times {_short(times)}."


def offset(pair: ArrayPair) -> str | None:
    finite = numpy.isfinite(pair.truth) & numpy.isfinite(pair.got)
    if numpy.count_nonzero(finite) < MIN_EXPLAINED:
        return None
    with numpy.errstate(over="ignore", invalid="ignore"):
        more = float(numpy.mean(pair.got[finite] - pair.truth[finite]))
    if not math.isfinite(more) or not pair.equal(pair.truth + more):
        return None
    return f"Every entry is the true one plus {_short(more)}."


def transposed(pair: ArrayPair) -> str | None:
    square = pair.truth.ndim >= 2 and pair.truth.shape[-1] == pair.truth.shape[-2]
    return TRANSPOSED if square and pair.equal(numpy.swapaxes(pair.truth, -1, -2)) else None


TRANSPOSED = "They are the true numbers, transposed: rows and columns are swapped."


def reversed_along(pair: ArrayPair) -> str | None:
    for axis in range(pair.truth.ndim):
        if pair.truth.shape[axis] > 2 and pair.equal(numpy.flip(pair.truth, axis)):
            return f"They are the true numbers in reversed order along {pair.axis(axis)}."
    return None


def shifted(pair: ArrayPair) -> str | None:
    """One place forward or back along an axis; anything may be at the edge."""
    for axis in range(pair.truth.ndim):
        size = pair.truth.shape[axis]
        if size < MIN_EXPLAINED:
            continue
        early, late = _along(axis, slice(None, -1)), _along(axis, slice(1, None))
        for here, there, way in ((late, early, "+1"), (early, late, "-1")):
            part = ArrayPair(pair.got[here], pair.truth[there], pair.allowed[here])
            if part.equal(part.truth) and not _all_alike(pair.truth, axis):
                return f"They are the true numbers, shifted by {way} along {pair.axis(axis)}."
    return None


def permuted(pair: ArrayPair) -> str | None:
    """Rows, columns, heads or tokens in another order."""
    for axis in range(pair.truth.ndim):
        order = _order(pair, axis)
        if order is not None:
            numbers = " ".join(map(str, order))
            return f"They are the true numbers in another order along {pair.axis(axis)}: {numbers}."
    return None


def one_entry(pair: ArrayPair) -> str | None:
    """All entries but one are right."""
    with numpy.errstate(invalid="ignore"):
        wrong = ~((pair.got == pair.truth) | (numpy.abs(pair.got - pair.truth) <= pair.allowed))
    if numpy.count_nonzero(wrong) != 1 or wrong.size <= MIN_EXPLAINED:
        return None
    (index,) = numpy.argwhere(wrong)
    return f"Every entry is right except {''.join(f'[{number}]' for number in index)}."


def dropped(pair: ArrayPair) -> str | None:
    """Zeros in random places, and a constant factor elsewhere: dropout that was left on."""
    seen = numpy.isfinite(pair.truth) & (numpy.abs(pair.truth) > pair.allowed)
    gone = seen & (pair.got == 0)
    kept = seen & ~gone
    if not numpy.any(gone) or numpy.count_nonzero(kept) < MIN_EXPLAINED:
        return None
    times = _factor(pair.truth[kept], pair.got[kept])
    if times is None or times <= MIN_KEPT_FACTOR or not pair.equal(numpy.where(gone, 0.0, pair.truth * times), times):
        return None
    count, rate = int(numpy.count_nonzero(gone)), _short(1 - 1 / times)
    return (
        f"{count} entries are 0, and all others are the true number times 1 / (1 − {rate}): this is what dropout with "
        f"the rate {rate} does, so it was probably left on."
    )


def row_factors(pair: ArrayPair) -> str | None:
    """Each row is multiplied by a number of its own, as when a softmax is not normalized again."""
    if pair.truth.ndim < 2 or pair.truth.shape[-1] < 2 or not numpy.all(numpy.isfinite(pair.truth)):
        return None
    with numpy.errstate(over="ignore", invalid="ignore", divide="ignore"):
        squares = numpy.sum(pair.truth * pair.truth, axis=-1, keepdims=True)
        times = numpy.sum(pair.got * pair.truth, axis=-1, keepdims=True) / squares
        multiplied = pair.truth * times
    if numpy.count_nonzero(pair.truth) < MIN_EXPLAINED + squares.size:
        return None
    if not numpy.all(numpy.isfinite(times) & (times != 0)):
        return None
    if not pair.equal(multiplied, float(numpy.max(numpy.abs(times)))):
        return None
    least, most = write(float(numpy.min(times))), write(float(numpy.max(times)))
    return f"Each row is the true one times a number of its own, from {least} to {most}."


# By the name that a candidate has: relation.factor.
RELATIONS: dict[str, Callable[[ArrayPair], str | None]] = {
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
}


def _factor(true: Array, got: Array) -> float | None:
    """The number by which the true ones come closest to these; None if it, or a product with it, is not finite."""
    with numpy.errstate(over="ignore", invalid="ignore", divide="ignore"):
        times = float(numpy.divide(true @ got, true @ true))
        is_finite = math.isfinite(times) and bool(numpy.all(numpy.isfinite(true * times)))
    return times if is_finite else None


def _along(axis: int, part: slice) -> tuple[slice, ...]:
    return (slice(None),) * axis + (part,)


def _all_alike(array: Array, axis: int) -> bool:
    return bool(numpy.all(array == numpy.take(array, [0], axis)))


def _order(pair: ArrayPair, axis: int) -> list[int] | None:
    """For each slice of the true numbers, the slice of the user's numbers that it is; None if one is missing."""
    got, truth, allowed = (numpy.moveaxis(array, axis, 0) for array in (pair.got, pair.truth, pair.allowed))
    count = truth.shape[0]
    if count < 2 or count > MAX_PERMUTED:
        return None
    order: list[int] = []
    for number in range(count):
        part = ArrayPair(truth[number], got[number], allowed[number])
        fitting = [n for n in range(count) if n not in order and part.equal(got[n])]
        if not fitting:
            return None
        order.append(fitting[0])
    return order if order != sorted(order) else None


def _short(number: float) -> str:
    """A factor as people would write it: a short number, if it is practically one."""
    short = float(f"{number:.6g}")
    return write(short if abs(short - number) <= SHORT * abs(number) else number)


# -- relations to other steps ----------------------------------------------------------------------------


def other_step(pair: ArrayPair, view: StepView) -> str | None:
    """They are the numbers of another step, the nearest before it: everything between was left out."""
    earlier = [step for step in view.trace if step.step.stage == view.step.stage and step.shape == view.shape]
    for step in reversed(earlier):
        if step.path != view.path and pair.equal(numpy.asarray(step.value, dtype=float)):
            return f"They are the numbers of another step: {step.path}."
    return None


def columns_mixed(pair: ArrayPair, view: StepView) -> str | None:
    """Its columns are columns of several steps, or its own in another order."""
    if len(view.shape) < 2 or pair.got.size > MAX_ENTRIES:
        return None
    got, allowed = _as_columns(view, pair.got), _as_columns(view, pair.allowed)
    forward = (step for step in view.trace if step.step.stage == "forward")
    columns = {step.path: _as_columns(step, step.value) for step in forward}
    others = {path: array for path, array in columns.items() if array.shape == got.shape}
    if not others:
        return None
    names = [path for path, array in others.items() for _ in range(array.shape[1])]
    every = numpy.concatenate(list(others.values()), axis=1)
    found: list[int] = []
    for number in range(got.shape[1]):
        with numpy.errstate(invalid="ignore"):
            close = numpy.abs(every - got[:, number : number + 1]) <= allowed[:, number : number + 1]
        fitting = numpy.flatnonzero(numpy.all(close, axis=0))
        if not fitting.size:
            return None
        found.append(int(fitting[0]))
    if len(set(found)) < min(len(found), MIN_EXPLAINED):
        return None
    steps = ", ".join(dict.fromkeys(names[number] for number in found))
    return f"Its columns are correct ones in the wrong places: they are columns of {steps}."


# By the name that a candidate has: relation.other_step.
STEP_RELATIONS: dict[str, Callable[[ArrayPair, StepView], str | None]] = {
    "other_step": other_step,
    "columns_mixed": columns_mixed,
}


def _as_columns(view: StepView, array: Array) -> Array:
    """One row for each token, and everything else side by side."""
    rows = [n for n, word in enumerate(view.axes) if word in TOKEN_AXES]
    columns = [n for n in range(len(view.axes)) if n not in rows]
    ordered = numpy.transpose(numpy.asarray(array, dtype=float), (*rows, *columns))
    return numpy.reshape(ordered, (int(numpy.prod([view.shape[n] for n in rows])), -1))
