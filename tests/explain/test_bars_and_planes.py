"""Bars and points in a plane: entries of the trace, on axes that they fit."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

import workings as w
from workings.explain.bars import bars_of
from workings.explain.curve import curves_of
from workings.explain.plane import plane_of
from workings.render.figure_text import figure_rows
from workings.render.svg import picture

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


def test_labels_stand_at_bars_and_groups():
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


@settings(max_examples=60, deadline=None)
@given(MATRICES, some.data())
def test_points_are_rows_and_fit_their_axes(array, data):
    axes = data.draw(some.permutations(range(array.shape[1])))[:2]
    trace = of(array, "token model")
    figure = plane_of(trace["x"], axes=tuple(axes))
    check_numbers(trace, figure)
    plane = figure.data
    for row, point in enumerate(plane.groups[0].points):
        assert (point.across.index, point.up.index) == ((row, axes[0]), (row, axes[1]))
        assert plane.across.low <= point.across.value <= plane.across.high
        assert plane.up.low <= point.up.value <= plane.up.high
    assert plane.across.title == f"model[{axes[0]}]"


def test_trails_join_the_same_label_of_the_first_and_the_last_group():
    first, last = of([[0.0, 1.0], [1.0, 1.0], [2.0, 2.0]]), of([[5.0, 5.0], [3.0, 3.0], [4.0, 4.0]])
    figure = plane_of([("before", first["x"]), ("between", first["x"]), ("after", last["x"])])
    assert [(trail.start, trail.end) for trail in figure.data.trails] == [((0, n), (2, n)) for n in range(3)]
    assert figure.alternative.startswith("[0] from (0, 1) to (5, 5), ")


def test_equal_labels_keep_their_order():
    trace = of([[0.0, 1.0], [1.0, 1.0]], "token model")
    trails = plane_of([("one", trace["x"]), ("other", trace["x"])], {"token": ("the", "the")}).data.trails
    assert [(trail.start, trail.end) for trail in trails] == [((0, 0), (1, 0)), ((0, 1), (1, 1))]


def test_many_points_are_cut():
    figure = plane_of(of(numpy.ones((100, 2)))["x"])
    assert len(figure.data.groups[0].points) == 60
    assert "The first 60 of 100" in figure.note
    assert "48 more" in figure.alternative


@pytest.mark.parametrize(("array", "axes"), [([1.0, 2.0], (0, 1)), ([[1.0], [2.0]], (0, 1)), ([[1.0, 2.0]], (0, 2))])
def test_what_cannot_be_points_is_refused(array, axes):
    with pytest.raises(w.WorkingsError):
        plane_of(of(array)["x"], axes=axes)


def test_curves_of_several_runs():
    figure = curves_of({"rate 0.1": [1.0, 0.9], "rate 9": [1.0, numpy.inf]})
    assert [line.name for line in figure.data.lines] == ["rate 0.1", "rate 9"]
    assert "Not drawn: 1" in figure.note
    assert curves_of({"none": [numpy.nan]}) is None


def test_numbers_too_small_to_count_are_one_place_on_an_axis():
    from workings.explain.axis import value_axis

    for values in ([0.0, 5e-324], [5e-324, 5e-324], [-1e-310, 1e-310]):
        axis = value_axis("x", values)
        assert axis.low < min(values) <= max(values) < axis.high


def test_points_that_lie_on_each_other_have_one_label_and_others_stand_apart():
    names = ("king", "prince", "queen", "girl", "man")
    trace = of([[0.5, 0.5], [0.505, 0.5], [0.55, 0.5], [0.0, 1.0], [1.0, 0.0]], "word model")
    figure = plane_of(trace["x"], {"word": names})
    labels = {label.text: (label.side, label.above) for label in figure.data.labels}
    assert set(labels) == {"king, prince", "queen", "girl", "man"}
    assert labels["king, prince"] == ("left", True)  # at the right, the point of the queen is in the way
    assert labels["queen"] == ("right", True)
    svg = picture(figure, "svg").decode()
    assert svg.count(">king, prince<") == 1
    assert svg.count(">prince<") == 0


def test_a_label_of_a_point_that_has_not_moved_stands_there_once():
    first, last = of([[0.0, 1.0], [1.0, 0.5]], "word model"), of([[0.0, 1.0], [0.2, 0.1]], "word model")
    figure = plane_of([("before", first["x"]), ("after", last["x"])], {"word": ("still", "moves")})
    assert [label.text for label in figure.data.labels] == ["still", "moves", "moves"]


def test_in_letters_no_point_hides_another_one():
    figure = plane_of(of([[0.5, 0.5], [0.505, 0.5], [0.0, 1.0]], "word model")["x"], {"word": ("a", "b", "c")})
    plot = figure_rows(figure, 60)[:15]
    assert [sign in "".join(plot) for sign in "abc"] == [True] * 3
    assert any("ab" in row for row in plot)
