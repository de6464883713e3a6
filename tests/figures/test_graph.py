"""Computational graphs: every value between the op that makes it and those that read it."""

from __future__ import annotations

import pytest
from figure_checks import check_numbers

import workings as w
from workings.figures.graph import MAX_OPS, graph_of


def names(figure):
    return [node.name or node.sign for node in figure.data.nodes]


@pytest.fixture(scope="module")
def trace():
    return w.scenario("example-2").trace()


def test_a_graph_goes_back_to_what_is_given(trace):
    figure = graph_of(trace, "loss")
    check_numbers(trace, figure)
    assert {node.name for node in figure.data.nodes if node.leaf} >= {"E", "tokens", "W_Q", "target"}
    assert names(figure)[-1] == "loss"
    for edge in figure.data.edges:
        assert figure.data.nodes[edge.start].row < figure.data.nodes[edge.end].row
    # Boxes are in even rows, circles in odd ones.
    assert all(node.row % 2 == bool(node.sign) for node in figure.data.nodes)


def test_graph_starts_at_named_steps_and_opens_composites(trace):
    figure = graph_of(trace, "weights", opened=["weights"], since=["scaled"])
    assert names(figure) == ["scaled", "max", "max", "−", "sub", "exp", "exp", "Σ", "total", "÷", "weights"]
    assert "weights = div(exp, total)" in figure.alternative


def test_a_value_that_is_read_twice_has_one_box():
    with w.Trace() as trace:
        x = w.given(3.0, name="x")
        w.ops.mul(x, x, name="y")
    figure = graph_of(trace.backward("y"), "y")
    assert names(figure) == ["x", "×", "y"]
    assert len(figure.data.edges) == 3
    assert figure.alternative == "x = 3, dx = 6. y = mul(x, x) = 9, dy = 1."


def test_a_large_graph_is_cut_and_says_so():
    with w.Trace() as trace:
        x = w.given(1.0, name="x")
        for _ in range(MAX_OPS + 3):
            x = w.ops.exp(w.ops.neg(x))
    figure = graph_of(trace, trace[x])
    assert sum(bool(node.sign) for node in figure.data.nodes) == MAX_OPS
    assert figure.note.startswith(f"Only the {MAX_OPS} ops")


@pytest.mark.parametrize("options", [{"opened": ["P"]}, {"since": ["loss"]}])
def test_step_that_the_result_does_not_depend_on_is_rejected(trace, options):
    with pytest.raises(w.WorkingsError, match="does not depend on"):
        graph_of(trace, "weights", **options)


def test_opening_a_primitive_is_rejected(trace):
    with pytest.raises(w.WorkingsError, match="no inside"):
        graph_of(trace, "weights", opened=["scores"])
