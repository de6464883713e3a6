"""Relations between somebody's numbers and those of the steps beside the one that they should be."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from ...engine.arrays import Array
from ...explain.step_view import StepView
from .relations import AT_LEAST, Found, Pair

MOST_ENTRIES = 1_000_000  # whose columns are looked for in all other steps
ROWS = ("batch", "token", "query")  # axes along which every row is another token


def other_step(pair: Pair, view: StepView) -> Found:
    """They are the numbers of another step, the nearest before it: what lies between was left out."""
    earlier = [step for step in view.trace if step.step.stage == view.step.stage and step.shape == view.shape]
    for step in reversed(earlier):
        if step.path != view.path and pair.equal(numpy.asarray(step.value, dtype=float)):
            return {"other": step.path}
    return None


def columns_mixed(pair: Pair, view: StepView) -> Found:
    """Its columns are columns of several steps, or its own in another order."""
    if len(view.shape) < 2 or pair.got.size > MOST_ENTRIES:
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
    if len(set(found)) < min(len(found), AT_LEAST):
        return None
    return {"steps": ", ".join(dict.fromkeys(names[number] for number in found))}


# By the name that a candidate has: relation.other_step.
BESIDE: dict[str, Callable[[Pair, StepView], Found]] = {"other_step": other_step, "columns_mixed": columns_mixed}


def _as_columns(view: StepView, array: Array) -> Array:
    """One row for each token, and everything else side by side."""
    rows = [n for n, word in enumerate(view.axes) if word in ROWS]
    columns = [n for n in range(len(view.axes)) if n not in rows]
    turned = numpy.transpose(numpy.asarray(array, dtype=float), (*rows, *columns))
    return numpy.reshape(turned, (int(numpy.prod([view.shape[n] for n in rows])), -1))
