"""Vectors as arrows: both axes have one scale, single vectors have their names, and steps may become each other."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from figure_checks import check_numbers
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

import workings as w
from workings.figures import figure_rows, svg_of
from workings.figures.parts.axes import same_scale_axes
from workings.figures.parts.svg import wide
from workings.figures.vectors import vectors_of

SVG = "{http://www.w3.org/2000/svg}"


def of(**given):
    with w.Trace() as trace:
        trace.start_from(*(w.given(value, name=name) for name, value in given.items()))
    return trace


def rotated(angle=0.8, X=((2.0, 1.0), (0.0, 1.0))):
    c, s = math.cos(angle), math.sin(angle)
    with w.Trace() as trace:
        R = w.given([[c, s], [-s, c]], "model rotated", name="R")
        w.ops.matmul(w.given([list(row) for row in X], "token model", name="X"), R, name="Y")
    return trace


@settings(max_examples=80, deadline=None)
@given(arrays("float64", some.tuples(some.integers(1, 4), some.just(2)), elements=some.floats(-1e6, 1e6)))
def test_both_axes_have_one_scale_and_hold_every_arrow(array):
    trace = of(x=array)
    figure = vectors_of(trace["x"])
    check_numbers(trace, figure)
    steps = []
    for axis, values in ((figure.data.across, array[:, 0]), (figure.data.up, array[:, 1])):
        assert axis.low <= min(0, *values)
        assert max(0, *values) <= axis.high
        assert any(tick.value == 0 for tick in axis.ticks)
        steps += [other.value - one.value for one, other in pairwise(axis.ticks)]
    assert steps == pytest.approx([steps[0]] * len(steps))
    spans = [axis.high - axis.low for axis in (figure.data.across, figure.data.up)]
    assert max(spans) <= 2.0001 * min(spans)


def test_zero_alone_has_axes_too():
    across, up = same_scale_axes(("x", "y"), ([0.0], [0.0]))
    assert across.low < across.high
    assert up.low < up.high


def test_trails_join_matrices_and_single_vectors_only_with_moved():
    trace = rotated()
    moved = vectors_of([("before", trace["X"]), ("after", trace["Y"])])
    assert [(trail.start, trail.end) for trail in moved.data.trails] == [((0, 0), (1, 0)), ((0, 1), (1, 1))]
    assert not vectors_of([("a", trace["X"]), ("b", trace["Y"])], moved=False).data.trails
    two = of(x=[3.0, 4.0], y=[-4.0, 3.0])
    still = vectors_of([("", two["x"]), ("", two["y"])])
    assert (still.alternative, still.data.trails) == ("x at (3, 4), y at (-4, 3).", ())
    turning = vectors_of([("", two["x"]), ("", two["y"])], moved=True)
    assert turning.alternative == "x from (3, 4) to (-4, 3)."


def paths(figure):
    root = ElementTree.fromstring(svg_of(figure))
    return [node.get("d") for node in root.iter(f"{SVG}path") if node.get("fill") == "none"]


def test_where_only_the_direction_changed_the_trail_is_an_arc():
    trace = rotated()
    for trail in paths(vectors_of([("before", trace["X"]), ("after", trace["Y"])])):
        assert trail.count("L") == 24
    trace = of(X=[[1.0, 0.0]], Y=[[1.0, 1.0]])
    (straight,) = paths(vectors_of([("before", trace["X"]), ("after", trace["Y"])]))
    assert straight.count("L") == 1


def test_an_arrow_is_as_long_and_as_steep_as_its_vector():
    figure = vectors_of(rotated(X=((2.0, 1.0), (-1.0, 3.0)))["X"])
    root = ElementTree.fromstring(svg_of(figure))
    arrows = [group for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
    lengths = []
    for arrow, point in zip(arrows, figure.data.groups[0].points, strict=True):
        line, head = arrow.find(f"{SVG}line"), arrow.find(f"{SVG}path")
        tip = [float(number) for number in re.findall(r"-?[\d.]+", head.get("d"))[:2]]
        along = tip[0] - float(line.get("x1")), float(line.get("y1")) - tip[1]
        assert math.atan2(*along) == pytest.approx(math.atan2(point.across.value, point.up.value), abs=1e-2)
        lengths.append(math.hypot(*along) / math.hypot(point.across.value, point.up.value))
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-2)


def test_text_marks_where_an_arrow_goes_with_a_capital():
    trace = rotated()
    rows = figure_rows(vectors_of([("before", trace["X"]), ("after", trace["Y"])], {"token": ("cat", "dog")}), 80)
    assert "a cat (2, 1)" in rows
    assert any(row.startswith("A cat (0.67") for row in rows)


@pytest.mark.parametrize(
    ("step", "what"), [("loss", "no vectors of two"), ("one", "no vectors of two"), ("big", "No entry")]
)
def test_step_without_vectors_is_rejected(step, what):
    trace = of(loss=1.0, one=[[1.0], [2.0]], big=[1e305, 1.0])
    with pytest.raises(w.WorkingsError, match=what):
        vectors_of(trace[step])


def test_wrong_axes_are_rejected_and_many_arrows_are_cut():
    with pytest.raises(w.WorkingsError, match="cannot be two axes"):
        vectors_of(of(x=[1.0, 2.0])["x"], axes=(0, 2))
    figure = vectors_of(of(x=[[1.0, 2.0]] * 30)["x"])
    assert len(figure.data.groups[0].points) == 24
    assert figure.note == "These are the first 24 of 30; the rest is in the data."


def test_labels_titles_and_legend_do_not_overlap():
    with w.Trace() as trace:
        before, after = ([[1.0, 0.0], [0.0, 1.0]], [[0.0, -1.0], [-1.0, 0.0]])
        trace.start_from(w.given(before, "token model", name="X"), w.given(after, "token model", name="Y"))
    figure = vectors_of([("before", trace["X"]), ("after", trace["Y"])], {"token": ("A", "B")})
    texts = list(ElementTree.fromstring(svg_of(figure)).iter(f"{SVG}text"))
    boxes = [(*_box(one), one.text) for one in texts if one.text not in (figure.title, figure.note)]
    assert {"model[0]", "model[1]", "before", "A (1, 0)", "A (0, -1)"} <= {box[4] for box in boxes}
    for one, other in combinations(boxes, 2):
        apart = one[0] >= other[1] or other[0] >= one[1] or one[2] >= other[3] or other[2] >= one[3]
        assert apart, (one, other)


def _box(one):
    """About where a text is: left, right, top and bottom."""
    size, x, y = (float(one.get(key)) for key in ("font-size", "x", "y"))
    before = {"end": 1.0, "middle": 0.5}.get(one.get("text-anchor"), 0.0) * wide(one.text, size)
    return x - before, x - before + wide(one.text, size), y - size * 0.7, y
