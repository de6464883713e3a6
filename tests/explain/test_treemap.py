"""Treemaps: areas as large as their numbers, that fill the square and do not overlap."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

import workings as w
from workings.explain.document import Number
from workings.explain.squares import squarified
from workings.explain.treemap import MOST_AREAS, treemap_of, treemap_of_numbers
from workings.models.counting.survey import survey
from workings.models.presets import PRESETS


@given(some.lists(some.floats(1e-3, 1e6), min_size=1, max_size=30))
def test_boxes_are_as_large_as_their_numbers_and_lie_side_by_side(sizes):
    sizes = sorted(sizes, reverse=True)
    boxes = squarified(sizes, (0.0, 0.0, 1.0, 1.0))
    for size, (left, top, width, height) in zip(sizes, boxes, strict=True):
        assert math.isclose(width * height, size / sum(sizes), rel_tol=1e-6)
        assert min(left, top) >= -1e-9
        assert max(left + width, top + height) <= 1 + 1e-6
    for n, (left, top, width, height) in enumerate(boxes):
        for other in boxes[:n]:
            across = min(left + width, other[0] + other[2]) - max(left, other[0])
            down = min(top + height, other[1] + other[3]) - max(top, other[1])
            assert min(across, down) <= 1e-9


@pytest.mark.parametrize(("name", "count"), [("gpt2", 124_439_808), ("gpt2-xl", 1_557_611_200)])
def test_every_parameter_of_a_large_model_is_in_an_area(name, count):
    areas = treemap_of(survey(PRESETS[name], tokens=1, back=False)).data.areas
    assert areas[0].number.value == count
    leaves = [area for area in areas if not area.is_group]
    assert sum(area.number.value for area in leaves) == count
    assert len(leaves) <= MOST_AREAS
    assert areas[1].path == "embedding"  # the largest part


def test_a_module_lies_around_its_weights():
    areas = treemap_of(w.scenario("example-5").trace().recording).data.areas
    module = next(area for area in areas if area.path == "block1.feed_forward")
    for area in areas:
        if area.path.startswith("block1.feed_forward."):
            assert area.left >= module.left - 1e-9
            assert area.top + area.height <= module.top + module.height + 1e-9
            assert area.shade == next(one.shade for one in areas if one.path == "block1.feed_forward.W_1")


def test_trained_weights_are_found_without_their_step():
    areas = treemap_of(w.scenario("example-5").trace("after").recording).data.areas
    assert "block1.attention.W_Q" in [area.path for area in areas]


@pytest.mark.parametrize("value", [0.0, -1.0, "inf", "nan"])
def test_what_has_no_area_is_refused(value):
    with pytest.raises(w.WorkingsError, match="has no area"):
        treemap_of_numbers([("a", Number("1", 1, "1", ())), ("b", Number(str(value), value, "2", ()))])


def test_a_computation_without_weights_is_refused():
    with w.Trace() as trace:
        w.ops.exp(w.given(1.0, name="x"))
    with pytest.raises(w.WorkingsError, match="no parameters"):
        treemap_of(trace.recording)
