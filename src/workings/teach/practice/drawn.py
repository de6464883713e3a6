"""Numbers that a person can carry: short decimals in the manner of the numbers that stand there now."""

from __future__ import annotations

import math

import numpy

from ...engine.arrays import Array
from ...engine.backward import rule_for
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.view import Trace
from ...ops.drawing import Draws

TENTHS = 10  # decimals are drawn as whole tenths
TINY = 0.01  # a single number below this is no data: it is an epsilon, or a rate
MOST_TIMES = 6  # that counts grow
OF_WEIGHTS, OF_INPUTS = 9, 15  # the largest, in tenths
SMALL, AROUND_ONE = 5, (7, 15)  # for what starts as zeros (a bias) and as ones (a scale)
LARGEST_WHOLE = 3
SIZES = (1.0, 1.5, 1.0, 0.6, 1.0, 1.5, 0.4)  # larger numbers move more, smaller ones are tamer: tried in turn


def drawn_values(trace: Trace, seed: int, attempt: int) -> dict[str, Array]:
    """Other numbers for everything that is given or learned, by path. The same seed gives the same numbers always."""
    together = 1 + int(Draws.stream(seed, f"{attempt}").whole((), below=MOST_TIMES))
    return {
        leaf.path: _drawn(leaf, Draws.stream(seed, f"{attempt} {leaf.path}"), SIZES[attempt % len(SIZES)], together)
        for leaf in trace.recording.leaves()
        if leaf.stage == "forward" and not _is_label(trace.recording, leaf)
    }


def _is_label(recording: Recording, leaf: Step) -> bool:
    """Whether something is read only where no gradient goes: an answer, a mask. It stays what it is."""
    readers = [s for s in recording.steps.values() if s.op is not None and s.stage == "forward" and leaf.id in s.inputs]
    return not any(
        rule_for(step, slot) is not None for step in readers for slot, id in enumerate(step.inputs) if id == leaf.id
    )


def _drawn(leaf: Step, draws: Draws, size: float, together: int) -> Array:
    now = numpy.asarray(leaf.tensor.array, dtype=numpy.float64)
    shape = now.shape
    if now.size == 0 or (not shape and leaf.leaf == "given" and abs(float(now)) < TINY):
        return now
    if not shape and leaf.leaf == "given":
        return _single(float(now), draws, together)
    if not now.any():
        return _signed(shape, SMALL, draws)
    if (now == 1).all():
        low, high = AROUND_ONE
        return (low + draws.whole(shape, below=high - low + 1)) / TENTHS
    if _are_shares(now):
        return _shares(shape, draws)
    positive = bool((now > 0).all())
    if (now == numpy.round(now)).all() and numpy.abs(now).max() > 1:
        numbers = 1.0 + draws.whole(shape, below=LARGEST_WHOLE)
        return numbers if positive or size < 1 else numbers * _signs(shape, draws)
    most = max(2, int(size * (OF_WEIGHTS if leaf.leaf == "parameter" else OF_INPUTS)))
    return numpy.abs(_signed(shape, most, draws)) if positive else _signed(shape, most, draws)


def _single(now: float, draws: Draws, together: int) -> Array:
    """One number: a part of a whole stays one, and counts grow together, so that heads still divide a width."""
    if now == round(now) and now > 1:
        return numpy.asarray(now * together)
    if 0 < now < 1:
        return (1 + draws.whole((), below=TENTHS - 1)) / TENTHS
    return _signed((), OF_INPUTS, draws)


def _signed(shape: tuple[int, ...], most: int, draws: Draws) -> Array:
    """Tenths of both signs. Of a small array no two are alike but for their signs: equal ones hide mistakes."""
    count = math.prod(shape)
    pool = draws.uniform(most).argsort() + 1
    sizes = numpy.concatenate([pool for _ in range(-(-count // most))])[:count]
    if count > most:
        sizes = 1 + draws.whole(count, below=most)
    return numpy.reshape(sizes, shape) * _signs(shape, draws) / TENTHS


def _signs(shape: tuple[int, ...], draws: Draws) -> Array:
    """More are positive than negative, as on most sheets."""
    return numpy.where(draws.uniform(shape) < 0.35, -1.0, 1.0)


def _are_shares(now: Array) -> bool:
    is_row = now.ndim > 0 and now.shape[-1] > 1
    whole = bool((now == numpy.round(now)).all())
    return is_row and not whole and bool((now >= 0).all()) and numpy.allclose(now.sum(axis=-1), 1)


def _shares(shape: tuple[int, ...], draws: Draws) -> Array:
    """Rows of positive numbers that add up to 1: a ruler is cut at some marks, at hundredths if tenths are too few."""
    size = shape[-1]
    marks = TENTHS if size <= TENTHS // 2 else TENTHS * TENTHS
    rows = []
    for _ in range(math.prod(shape[:-1])):
        cuts = numpy.sort(1 + draws.uniform(marks - 1).argsort()[: size - 1])
        rows.append(numpy.diff(numpy.concatenate([[0], cuts, [marks]])) / marks)
    return numpy.reshape(numpy.array(rows), shape)
