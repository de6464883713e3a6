"""Flow charts: every edge is one of the trace, rows go down, nothing overlaps, large models are folded."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scenario_names import EXAMPLES

import workings as w
from workings.engine.errors import StepError
from workings.figures import svg_of
from workings.figures.flow import flow_of
from workings.figures.parts.flow_layout import LEAF, NODE, laid_out
from workings.figures.parts.step_graph import MAX_NODES

SVG = "{http://www.w3.org/2000/svg}"


def overlaps(nodes):
    """Nodes of one row that overlap: (row, column, width)."""
    ordered = sorted(nodes)
    return [
        (one, other)
        for one, other in pairwise(ordered)
        if one[0] == other[0] and other[1] - one[1] < (one[2] + other[2]) / 2 - 1e-3
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_flow_chart_of_every_scenario(name):
    trace = w.scenario(name).trace()
    flow = flow_of(trace).data
    assert sum(not node.beside for node in flow.nodes) <= MAX_NODES
    assert not overlaps([(node.row, node.column, LEAF if node.beside else NODE) for node in flow.nodes])
    for edge in flow.edges:
        start, end = flow.nodes[edge.start], flow.nodes[edge.end]
        assert start.row < end.row or (start.beside and start.row == end.row)
        assert len(edge.through) == max(end.row - start.row - 1, 0)
        assert edge.skips == (end.row - start.row > 1)
    for node in flow.nodes:
        step = trace.recording.step(node.step)
        assert node.shape in ((), step.form.shape)


def test_edges_are_the_inputs_in_their_order():
    flow = flow_of(w.scenario("example-1").trace()).data
    read = {
        node.name: [flow.nodes[edge.start].name for edge in flow.edges if edge.end == place]
        for place, node in enumerate(flow.nodes)
    }
    assert read["X"] == ["E", "tokens"]
    assert read["scores"] == ["Q", "K"]  # the transposed K has no name of its own
    assert read["context"] == ["weights", "V"]


def test_weights_are_next_to_the_step_that_reads_them():
    flow = flow_of(w.scenario("hello-world").trace()).data
    for edge in flow.edges:
        start, end = flow.nodes[edge.start], flow.nodes[edge.end]
        if start.op == "parameter":
            assert start.beside
            assert start.row == end.row
            assert abs(start.column - end.column) < 2 * NODE


def test_a_residual_skips():
    flow = flow_of(w.scenario("cat-sat-encoder").trace(), "block1.attention").data
    names = {(flow.nodes[edge.start].name, flow.nodes[edge.end].name): edge.skips for edge in flow.edges}
    assert names["X", "residual"]
    assert not names["joined", "attended"]


def test_one_module_with_what_it_reads_and_nothing_else():
    figure = flow_of(w.scenario("example-1").trace(), "attention")
    assert figure.title.endswith("block1.attention")
    assert {node.name for node in figure.data.nodes if not node.beside} == {
        "X", "Q", "K", "V", "scores", "scaled", "weights", "context",
    }  # fmt: skip


def test_named_steps_only():
    flow = flow_of(w.scenario("example-1").trace(), steps=["X", "scores", "P"]).data
    assert [(flow.nodes[edge.start].name, flow.nodes[edge.end].name) for edge in flow.edges] == [
        ("X", "scores"),
        ("scores", "P"),
        ("X", "P"),  # by way of V
    ]


def test_a_large_model_is_folded_and_says_so():
    figure = flow_of(w.scenario("dates").trace())
    assert "the steps of a module are drawn as one" in figure.note
    assert any(node.op.endswith("steps") for node in figure.data.nodes)


def test_of_several_steps_of_training_the_first_is_drawn():
    figure = flow_of(w.scenario("example-3").trace("after"))
    assert "This is step1" in figure.note


def test_an_unknown_module_offers_others():
    with pytest.raises(w.WorkingsError, match="attention"):
        flow_of(w.scenario("example-1").trace(), "atention")


@settings(max_examples=80, deadline=None)
@given(some.data())
def test_any_graph_is_laid_out_without_overlaps(data):
    count = data.draw(some.integers(1, 14))
    inputs = [
        data.draw(some.lists(some.integers(0, n - 1), max_size=3, unique=True)) if n else [] for n in range(count)
    ]
    layout = laid_out(inputs, {})
    assert not overlaps([(row, column, NODE) for row, column in zip(layout.rows, layout.columns, strict=True)])
    for node, read in enumerate(inputs):
        assert all(layout.rows[one] < layout.rows[node] for one in read)
    assert min(layout.columns) >= 0


def test_module_without_computed_steps_has_no_flow():
    trace = w.scenario("example-4").trace()
    with pytest.raises(StepError) as caught:
        flow_of(trace, "block1.attention")  # the weights, which the examples share
    assert "block1.attention" in caught.value.what
    assert caught.value.hint


def test_boxes_lie_inside_the_picture_and_do_not_overlap():
    figure = flow_of(w.scenario("cat-sat-encoder").trace("masked"))
    root = ElementTree.fromstring(svg_of(figure))
    width = float(root.get("width"))
    boxes = []
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "node":
            x, y, wide = (float(group[0].get(key)) for key in ("x", "y", "width"))
            assert x >= -0.01
            assert x + wide <= width
            assert not [one for one in boxes if one[1] == y and one[0] < x + wide and x < one[0] + one[2]]
            boxes.append((x, y, wide))
    assert len(boxes) == len(figure.data.nodes)
