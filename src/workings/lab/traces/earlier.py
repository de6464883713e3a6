"""What a step was before anything was changed, and which of its numbers were others."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy
from numpy.typing import NDArray

from ...engine.arrays import is_float
from ...engine.errors import StepError
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ..errors import Missing
from .store import Opened

NOISE, DUST = 64, 4  # units in the last place, of a number and of the largest beside it, that rounding may leave


def before(opened: Opened, view: StepView) -> StepView | None:
    """The step as it was before anything was changed, also one inside a composite; None if it was not there, or had
    another shape.

    >>> from workings.lab.traces.store import Lab
    >>> from workings.lab.traces.wanted import Wanted
    >>> opened = Lab().open(Wanted("example-3", edits=("W_Q[0][1]=0.3",)))
    >>> before(opened, opened.view("2")).value.tolist()
    [[0.1, 0.0], [0.0, 0.1]]
    """
    if opened.base is None:
        return None
    try:
        same = opened.base.view(view.id)
        if same.path != view.path:  # another run, in which steps are counted otherwise
            same = opened.base.trace[view.path]
    except (Missing, StepError):
        return None
    return same if same.form == view.form else None


def is_changed(view: StepView, earlier: StepView | None) -> bool:
    """Whether a step has other numbers than it had; one that was not there has."""
    if earlier is None:
        return True
    return view.value is not earlier.value and bool(differ(view, view.value, earlier.value).any())


def differ(view: StepView, one: Any, other: Any) -> NDArray[numpy.bool_]:
    """Which of some entries of a step are others than they were, by more than what rounding leaves.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> differ(trace["Q"], numpy.asarray([0.1, 0.2]), numpy.asarray([0.1 + 1e-17, 0.3])).tolist()
    [False, True]
    >>> differ(trace["Q"], numpy.asarray([1e308]), numpy.asarray([0.1])).tolist()
    [True]
    """
    unit = float(numpy.finfo(view.value.dtype).eps) if is_float(view.value) else 0.0
    with numpy.errstate(invalid="ignore"):  # two infinite numbers are the same
        larger = numpy.maximum(numpy.abs(one), numpy.abs(other))
        least = numpy.maximum(NOISE * unit * larger, DUST * unit * largest_of(view))
        far = numpy.abs(one - other) > least
    return numpy.asarray(far | (numpy.isfinite(one) != numpy.isfinite(other)))


_LARGEST: WeakKeyDictionary[Trace, dict[str, float]] = WeakKeyDictionary()


def largest_of(view: StepView) -> float:
    """The size of the largest entry of a step that is finite; 0 if there is none. It is looked for once.

    >>> import workings as w
    >>> largest_of(w.scenario("example-3").trace()["W_Q"])
    0.1
    """
    known = _LARGEST.setdefault(view.trace, {})
    if view.id not in known:
        array = numpy.asarray(view.value)
        finite = array[numpy.isfinite(array)]
        known[view.id] = max(float(finite.max()), -float(finite.min())) if finite.size else 0.0
    return known[view.id]
