"""The backward pass: the flow chart reversed, each node with the largest entry of its gradient."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers
from scenario_names import EXAMPLES

import workings as w
from workings.figures.backward import backward_of
from workings.figures.flow import flow_of


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_edge_is_a_reversed_edge_of_the_flow(name):
    trace = w.scenario(name).trace()
    if not any(step.step.stage == "backward" for step in trace):
        with pytest.raises(w.WorkingsError, match="No gradient flows back"):
            backward_of(trace)
        return
    flow, back = flow_of(trace).data, backward_of(trace).data
    check_numbers(trace, backward_of(trace))
    assert [(node.step, node.row, node.column) for node in flow.nodes] == [
        (node.step, node.row, node.column) for node in back.nodes
    ]
    forward = {(edge.end, edge.start, edge.through[::-1]) for edge in flow.edges}
    reverse = {(edge.start, edge.end, edge.through) for edge in back.edges}
    assert reverse <= forward
    for start, end, _ in forward - reverse:  # where no edge leads back, no gradient arrives
        assert back.nodes[start].gradient is None or back.nodes[end].gradient is None


def test_entry_shown_is_the_largest_by_magnitude():
    trace = w.scenario("example-3").trace()
    for node in backward_of(trace).data.nodes:
        if node.gradient is not None:
            gradient = numpy.asarray(trace.recording.value(node.gradient.step))
            assert abs(node.gradient.largest.value) == numpy.abs(gradient).max()
            assert trace.recording.step(node.gradient.step).twin == node.step


def test_only_updated_parameters_are_trained():
    trace = w.scenario("example-3").trace()
    learns = {node.name for node in backward_of(trace).data.nodes if node.gradient and node.gradient.learns}
    assert learns == {"W_Q", "W_K", "W_V", "W_vocab"}  # E is given


def test_without_update_every_parameter_is_trained():
    with w.Trace() as trace:
        x, weight = w.given([[1.0, 2.0]], name="x"), w.parameter([[0.5], [0.25]], name="W")
        w.ops.sum(w.ops.matmul(x, weight, name="y"), name="total")
    figure = backward_of(trace.backward("total"))
    assert [node.name for node in figure.data.nodes if node.gradient and node.gradient.learns] == ["W"]
    assert "Trained: W." in figure.alternative


def test_gradients_of_the_same_name_have_their_module():
    figure = backward_of(w.scenario("hello-world").trace())
    names = [node.gradient.name for node in figure.data.nodes if node.gradient]
    assert "head1.dQ" in names
    assert "head2.dQ" in names
    assert "djoined comes from dattended" in figure.alternative


def test_module_without_gradient_is_rejected():
    with pytest.raises(w.WorkingsError, match="No gradient flows back"):
        backward_of(w.scenario("example-1").trace(), steps=["tokens"])
