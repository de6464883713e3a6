"""Bars: entries of the trace, on an axis that they fit."""

from __future__ import annotations

import numpy
from figure_checks import check_numbers
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

import workings as w
from workings.figures.bars import bars_of

MATRICES = arrays("float64", some.tuples(some.integers(1, 15), some.integers(2, 30)), elements=some.floats(-1e6, 1e6))


def of(array, axes=""):
    with w.Trace() as trace:
        trace.start_from(w.given(array, axes, name="x"))
    return trace


@settings(max_examples=60, deadline=None)
@given(MATRICES)
def test_bars_are_entries_and_fit_their_axis(array):
    trace = of(array, "query key")
    figure = bars_of(trace, "x")
    check_numbers(trace, figure)
    axis = figure.data.axis
    assert axis.scale == "linear"
    assert axis.low <= min(0, array[:12, :24].min())
    assert max(0, array[:12, :24].max()) <= axis.high
    assert [len(group.bars) for group in figure.data.groups] == [min(array.shape[1], 24)] * min(array.shape[0], 12)
    assert bool(figure.note) == (array.shape[0] > 12 or array.shape[1] > 24)


def test_bars_and_groups_have_labels():
    trace = of([[0.25, 0.75], [1.0, 0.0]], "query key")
    figure = bars_of(trace, "x", {"query": ("a", "b"), "key": ("c", "d")})
    assert [group.title for group in figure.data.groups] == ["a", "b"]
    assert figure.alternative == "a: c 0.25, d 0.75. b: c 1.0, d 0.0."
    assert bars_of(of([0.5, 0.5], "vocab"), "x").data.groups[0].title == ""


def test_an_infinite_bar_is_not_drawn_but_counted():
    with w.Trace() as trace:
        w.ops.causal_mask(w.given(numpy.ones((2, 2)), "query key"), name="masked")
    figure = bars_of(trace, "masked")
    assert "Not drawn: 1" in figure.note
    assert figure.data.axis.high == 1
