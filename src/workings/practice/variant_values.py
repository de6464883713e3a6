"""New numbers for a trace that a person can calculate with: short decimals that resemble the ones they replace."""

from __future__ import annotations

import math

import numpy

from ..engine.arrays import Array
from ..engine.backward import rule_for
from ..engine.recording import Recording
from ..engine.steps import Step
from ..explain.trace import Trace
from ..ops.parts.drawing import Draws

TENTHS = 10  # decimals are drawn as whole tenths
TINY = 0.01  # a single number below this is not data: it is an epsilon, or a rate
MAX_COUNT_FACTOR = 6  # by which counts grow
MAX_WEIGHT, MAX_INPUT = 9, 15  # in tenths
MAX_BIAS, SCALE_RANGE = 5, (7, 15)  # in tenths, for what starts as zeros and as ones
MAX_WHOLE = 3
NEGATIVE = 0.35  # the fraction of negative numbers
SIZES = (1.0, 1.5, 1.0, 0.6, 1.0, 1.5, 0.4)  # of all numbers, tried in turn: small ones keep a softmax flat


def draw_values(trace: Trace, seed: int, attempt: int) -> dict[str, Array]:
    """New numbers for all inputs and weights that the run does not fix, by path. The same seed always gives the same
    numbers, whatever is fixed.
    """
    factor = 1 + int(Draws.stream(seed, f"{attempt}").whole((), below=MAX_COUNT_FACTOR))
    return {
        leaf.path: _drawn(leaf, Draws.stream(seed, f"{attempt} {leaf.path}"), SIZES[attempt % len(SIZES)], factor)
        for leaf in trace.recording.leaves()
        if leaf.stage == "forward" and leaf.path not in trace.run.fixed and not _is_label(trace.recording, leaf)
    }


def _is_label(recording: Recording, leaf: Step) -> bool:
    """Whether a leaf is read only where no gradient goes, as labels and masks are. It keeps its value."""
    readers = [s for s in recording.steps.values() if s.op is not None and s.stage == "forward" and leaf.id in s.inputs]
    return not any(
        rule_for(step, slot) is not None for step in readers for slot, id in enumerate(step.inputs) if id == leaf.id
    )


def _drawn(leaf: Step, draws: Draws, size: float, factor: int) -> Array:
    now = numpy.asarray(leaf.tensor.array, dtype=numpy.float64)
    shape = now.shape
    if now.size == 0 or (not shape and leaf.leaf == "given" and abs(float(now)) < TINY):
        return now
    if not shape and leaf.leaf == "given":
        return _single(float(now), draws, factor)
    if not now.any():
        return _signed(shape, MAX_BIAS, draws)
    if (now == 1).all():
        low, high = SCALE_RANGE
        return (low + draws.whole(shape, below=high - low + 1)) / TENTHS
    if _are_distributions(now):
        return _distributions(shape, draws)
    positive = bool((now > 0).all())
    if (now == numpy.round(now)).all() and numpy.abs(now).max() > 1:
        numbers = 1.0 + draws.whole(shape, below=MAX_WHOLE)
        return numbers if positive or size < 1 else numbers * _signs(shape, draws)
    most = max(2, int(size * (MAX_WEIGHT if leaf.leaf == "parameter" else MAX_INPUT)))
    return numpy.abs(_signed(shape, most, draws)) if positive else _signed(shape, most, draws)


def _single(now: float, draws: Draws, factor: int) -> Array:
    """One number: a fraction stays one, and all counts grow by one factor, so that heads still divide a width."""
    if now == round(now) and now > 1:
        return numpy.asarray(now * factor)
    if 0 < now < 1:
        return (1 + draws.whole((), below=TENTHS - 1)) / TENTHS
    return _signed((), MAX_INPUT, draws)


def _signed(shape: tuple[int, ...], most: int, draws: Draws) -> Array:
    """Tenths of both signs. In a small array no two have the same magnitude: equal ones would hide mistakes."""
    count = math.prod(shape)
    pool = draws.uniform(most).argsort() + 1
    sizes = numpy.concatenate([pool for _ in range(-(-count // most))])[:count]
    if count > most:
        sizes = 1 + draws.whole(count, below=most)
    return numpy.reshape(sizes, shape) * _signs(shape, draws) / TENTHS


def _signs(shape: tuple[int, ...], draws: Draws) -> Array:
    """Signs, more of them positive than negative."""
    return numpy.where(draws.uniform(shape) < NEGATIVE, -1.0, 1.0)


def _are_distributions(now: Array) -> bool:
    is_row = now.ndim > 0 and now.shape[-1] > 1
    whole = bool((now == numpy.round(now)).all())
    return is_row and not whole and bool((now >= 0).all()) and numpy.allclose(now.sum(axis=-1), 1)


def _distributions(shape: tuple[int, ...], draws: Draws) -> Array:
    """Rows of positive numbers that sum to 1: a ruler is cut at random marks, at hundredths if tenths are too few."""
    size = shape[-1]
    marks = TENTHS if size <= TENTHS // 2 else TENTHS * TENTHS
    rows = []
    for _ in range(math.prod(shape[:-1])):
        cuts = numpy.sort(1 + draws.uniform(marks - 1).argsort()[: size - 1])
        rows.append(numpy.diff(numpy.concatenate([[0], cuts, [marks]])) / marks)
    return numpy.reshape(numpy.array(rows), shape)
