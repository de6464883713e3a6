"""Forward and backward as mirror images: each gradient belongs to its step, and every arrow has a reversed one."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from figure_checks import check_numbers, drawn_width, smallest_label

import workings as w
from workings.figures import figure_rows, svg_of
from workings.figures.mirror import mirror_of
from workings.figures.parts.layers import LayeredBoxes

EXAMPLE = w.scenario("example-3").trace()


def test_every_gradient_has_the_shape_of_its_step():
    figure = mirror_of(EXAMPLE)
    for one in figure.data.steps:
        assert one.gradient.name == f"d{one.forward.name}"
        assert len(one.gradient.rows) == len(one.forward.rows)
        assert len(one.gradient.rows[0]) == len(one.forward.rows[0])
        check_numbers(EXAMPLE, replace(figure, data=one.forward))
        check_numbers(EXAMPLE, replace(figure, data=one.gradient))


def test_default_shows_the_main_steps_and_their_inputs():
    data = mirror_of(EXAMPLE).data
    names = [one.forward.name for one in data.steps]
    assert names == ["X", "Q", "K", "V", "scores", "weights", "context", "logits", "loss"]
    inputs = {one.forward.name: [names[place] for place in one.inputs] for one in data.steps}
    assert inputs["scores"] == ["Q", "K"]
    assert inputs["context"] == ["weights", "V"]


def test_there_are_as_many_arrows_backward_as_forward():
    root = ElementTree.fromstring(svg_of(mirror_of(EXAMPLE)))
    heads = [node.get("class") for node in root.iter() if (node.get("class") or "").startswith("head ")]
    paths = [node.tag.rpartition("}")[2] for node in root.iter() if (node.get("class") or "").startswith("head ")]
    arrows = [kind for kind, tag in zip(heads, paths, strict=True) if tag == "path"]
    assert arrows.count("head ink") == arrows.count("head gradient") - 1  # and one for the direction of each pass


def test_step_without_a_gradient_is_drawn_alone():
    figure = mirror_of(EXAMPLE, ("tokens", "X", "loss"))
    assert [one.gradient is None for one in figure.data.steps] == [True, False, False]
    assert any("no gradient" in row for row in figure_rows(figure, 60))


@pytest.mark.parametrize("scenario", ["hello-world", "example-5", "block"])
def test_larger_models_go_on_in_the_next_row(scenario):
    figure = mirror_of(w.scenario(scenario).trace())
    assert drawn_width(figure) <= 600
    assert smallest_label(figure)[1] >= 12
    assert max(map(len, figure_rows(figure, 44))) <= 44


@pytest.mark.parametrize(
    ("scenario", "names", "what"),
    [
        ("example-1", (), "No gradient flows back"),
        ("example-3", ("tokens",), "No gradient flows back"),
        ("sort", (), "have room"),
    ],
)
def test_what_has_no_mirror_is_rejected(scenario, names, what):
    with pytest.raises(w.WorkingsError, match=what):
        mirror_of(w.scenario(scenario).trace(), names)


# -- where boxes are -------------------------------------------------------------------------------------


def layered(inputs, room=1000.0, size=(50.0, 30.0)):
    return LayeredBoxes(inputs, [size] * len(inputs), [20.0] * len(inputs), room)


def test_boxes_are_after_what_they_read_and_do_not_overlap():
    layout = layered([[], [0], [0], [1, 2], [3]])
    boxes = layout.boxes
    assert boxes[0].right < boxes[1].x == boxes[2].x
    assert boxes[1].bottom < boxes[2].y
    assert boxes[3].right < boxes[4].x
    assert len(layout.lanes) == 1


def test_what_is_too_wide_goes_on_below():
    layout = layered([[], [0], [1], [2], [3], [1, 4]], room=200.0)
    assert len(layout.lanes) > 1
    assert layout.width <= 200
    labels = [(route.start, route.end) for route in layout.routes() if route.label]
    assert labels == [(1, 5)]


def test_arrow_past_boxes_goes_around_them():
    layout = layered([[], [0], [0, 1]])
    (around,) = (route for route in layout.routes() if (route.start, route.end) == (0, 2))
    assert max(y for _, y in around.points) > layout.boxes[1].bottom
    assert all(math.isfinite(x + y) for x, y in around.points)
