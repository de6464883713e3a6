"""Points in a plane: rows of the trace, on axes that they fit, with labels that do not cover each other."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

import workings as w
from workings.figures import figure_rows, picture
from workings.figures.plane import plane_of

MATRICES = arrays("float64", some.tuples(some.integers(1, 15), some.integers(2, 30)), elements=some.floats(-1e6, 1e6))


def of(array, axes=""):
    with w.Trace() as trace:
        trace.start_from(w.given(array, axes, name="x"))
    return trace


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
    assert "first 60 of 100" in figure.note
    assert "48 more" in figure.alternative


@pytest.mark.parametrize(("array", "axes"), [([1.0, 2.0], (0, 1)), ([[1.0], [2.0]], (0, 1)), ([[1.0, 2.0]], (0, 2))])
def test_step_without_points_is_rejected(array, axes):
    with pytest.raises(w.WorkingsError):
        plane_of(of(array)["x"], axes=axes)


def test_overlapping_points_share_a_label_and_labels_do_not_overlap():
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


def test_point_that_has_not_moved_has_one_label():
    first, last = of([[0.0, 1.0], [1.0, 0.5]], "word model"), of([[0.0, 1.0], [0.2, 0.1]], "word model")
    figure = plane_of([("before", first["x"]), ("after", last["x"])], {"word": ("still", "moves")})
    assert [label.text for label in figure.data.labels] == ["still", "moves", "moves"]


def test_text_shows_every_overlapping_point():
    figure = plane_of(of([[0.5, 0.5], [0.505, 0.5], [0.0, 1.0]], "word model")["x"], {"word": ("a", "b", "c")})
    plot = figure_rows(figure, 60)[:15]
    assert [sign in "".join(plot) for sign in "abc"] == [True] * 3
    assert any("ab" in row for row in plot)
