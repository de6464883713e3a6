"""Treemaps: areas as large as their numbers, that fill the square and do not overlap."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some

import workings as w
from workings.counting.presets import PRESETS
from workings.counting.survey import survey
from workings.document.blocks import Number
from workings.figures import svg_of
from workings.figures.parts.colors import contrast
from workings.figures.treemap import MAX_AREAS, SHADES, squarified, treemap_of, treemap_of_numbers

SVG = "{http://www.w3.org/2000/svg}"


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
    assert len(leaves) <= MAX_AREAS
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
def test_number_without_area_is_rejected(value):
    with pytest.raises(w.WorkingsError, match="cannot be an area"):
        treemap_of_numbers([("a", Number("1", 1, "1", ())), ("b", Number(str(value), value, "2", ()))])


def test_trace_without_parameters_is_rejected():
    with w.Trace() as trace:
        w.ops.exp(w.given(1.0, name="x"))
    with pytest.raises(w.WorkingsError, match="no parameters"):
        treemap_of(trace.recording)


def test_lines_between_areas_are_darker_than_the_areas():
    root = ElementTree.fromstring(svg_of(treemap_of(w.scenario("example-5").trace().recording)))
    rects = [one for one in root.iter(f"{SVG}rect") if one.get("stroke")]
    assert {one.get("class") for one in rects} == {"cell", "on-cell"}  # which no style sheet turns light
    for shade in SHADES:
        for one in rects:
            line = tuple(int(one.get("stroke")[n : n + 2], 16) for n in (1, 3, 5))
            assert contrast(line, shade) > 1.5
