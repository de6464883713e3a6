"""Backward: gradients add, and every step of the backward pass says what it is."""

import numpy
import pytest

from workings import ops
from workings.engine.backward import backward
from workings.engine.compiled_recording import CompiledRecording
from workings.engine.errors import ShapeError, StepError
from workings.engine.form import form_of
from workings.engine.names import find
from workings.engine.page import Rule
from workings.engine.tensor import Tensor

G = numpy.asarray([[0.3, -0.8], [0.6, 0.2]])


def tensor(name, numbers, axes, leaf="given"):
    array = numpy.asarray(numbers, dtype="float64")
    return Tensor(array, form_of(tuple(axes.split()), array.shape), name=name, leaf=leaf)


@pytest.fixture
def x():
    return tensor("X", [[1.0, 2.0], [-0.5, 0.4]], "token model")


def run(function, *inputs, cotangent=G):
    """Record, walk back, and give the recording with the gradients by path."""
    with CompiledRecording() as recording:
        output = function(*inputs)
    target = recording.step(recording.id_of(output))
    found = backward(recording, target, cotangent)
    return recording, {recording.step(id).path: gradient for id, gradient in found.items()}


# -- gradients add ---------------------------------------------------------------------------


def test_a_tensor_used_twice_by_one_step_gets_the_sum(x):
    recording, found = run(lambda x: ops.mul(x, x, name="squares"), x)
    numpy.testing.assert_allclose(found["X"].array, 2 * x.array * G)
    total = find(recording, "dX")
    assert total.op_name == "collect"
    parts = [recording.step(id).path for id in total.inputs]
    assert parts == ["dX.via_squares_a", "dX.via_squares_b"]
    for part in parts:
        numpy.testing.assert_allclose(find(recording, part).tensor.array, x.array * G)


def test_a_tensor_used_by_two_steps_gets_the_sum(x):
    recording, found = run(lambda x: ops.add(ops.exp(x, name="E"), ops.scale(x, factor=3.0, name="S"), name="Y"), x)
    numpy.testing.assert_allclose(found["X"].array, G * numpy.exp(x.array) + 3 * G)
    paths = {step.path for step in recording.steps.values()}
    assert {"dY", "dE", "dS", "dX.via_E", "dX.via_S", "dX"} <= paths
    assert {recording.step(id).path for id in find(recording, "dX").inputs} == {"dX.via_E", "dX.via_S"}


def test_a_diamond_inside_a_graph_gets_the_sum(x):
    """X -> A, and A -> B and C, which meet again: A's own gradient is a sum, and X gets it whole."""

    def diamond(x):
        a = ops.scale(x, factor=2.0, name="A")
        return ops.mul(ops.exp(a, name="B"), ops.neg(a, name="C"), name="Y")

    recording, found = run(diamond, x)
    a = 2 * x.array
    numpy.testing.assert_allclose(found["X"].array, 2 * G * (-a * numpy.exp(a) - numpy.exp(a)))
    assert find(recording, "dA").op_name == "collect"
    assert [recording.step(id).path for id in find(recording, "dA").inputs] == ["dA.via_C", "dA.via_B"]
    assert find(recording, "dX").op_name == "scale"  # one way only: no sum, and no via in the name


def test_a_chain_of_diamonds_is_walked_once_for_each_step(x):
    """2^20 ways lead through this graph; the walk takes each step once."""

    def doubled_many_times(x):
        for _ in range(20):
            x = ops.add(x, x)
        return x

    recording, found = run(doubled_many_times, x)
    numpy.testing.assert_allclose(found["X"].array, 2.0**20 * G)
    assert len(recording.steps) < 100


# -- what the steps of the backward pass say -------------------------------------------------


def test_a_gradient_handed_on_unchanged_is_a_pass_step(x):
    bias = tensor("b", [[0.1, 0.2], [0.3, 0.4]], "token model")
    recording, found = run(lambda x, b: ops.add(x, b, name="Y"), x, bias)
    for name in ("X", "b"):
        step = find(recording, f"d{name}")
        assert (step.op_name, step.stage) == ("pass", "backward")
        assert [recording.step(id).path for id in step.inputs] == ["dY"]
        numpy.testing.assert_array_equal(found[name].array, G)


def test_broadcasting_is_undone_by_a_visible_sum(x):
    bias = tensor("b", [0.1, 0.2], "model")
    recording, found = run(lambda x, b: ops.add(x, b, name="Y"), x, bias)
    numpy.testing.assert_allclose(found["b"].array, G.sum(axis=0))
    step = find(recording, "db")
    assert step.op_name == "sum_to"
    assert step.settings == {"drop": (-2,), "keep": ()}
    unsummed = recording.step(step.inputs[0])
    assert (unsummed.path, unsummed.op_name, unsummed.form.shape) == ("db.unsummed", "pass", (2, 2))


def test_a_column_that_a_reduction_left_is_summed_back_to_one_entry(x):
    recording, _ = run(lambda x: ops.sub(x, ops.row_max(x, axis="model", name="top"), name="Y"), x)
    step = find(recording, "dtop")
    assert step.op_name == "sum_to"
    assert step.settings == {"drop": (), "keep": (-1,)}
    numpy.testing.assert_allclose(step.tensor.array, -G.sum(axis=1, keepdims=True))


def test_a_row_that_a_reduction_left_is_summed_back_to_one_entry(x):
    recording, _ = run(lambda x: ops.sub(x, ops.row_max(x, axis="token", name="top"), name="Y"), x)
    assert find(recording, "dtop").settings == {"drop": (), "keep": (-2,)}
    numpy.testing.assert_allclose(find(recording, "dtop").tensor.array, -G.sum(axis=0, keepdims=True))


def test_every_backward_step_knows_its_twin(x):
    weight = tensor("W", [[0.4, -0.6], [0.5, 0.9]], "model hidden", leaf="parameter")
    recording, _ = run(lambda x, w: ops.softmax(ops.matmul(x, w, name="scores"), name="P"), x, weight)
    for name in ("X", "W", "scores", "P"):
        assert find(recording, f"d{name}").twin == find(recording, name).id
    backward_steps = [step for step in recording.steps.values() if step.stage == "backward"]
    assert all(step.twin for step in backward_steps)
    applied = [group for group in recording.groups.values() if group.rule_of]
    assert {(recording.step(g.rule_of).path, g.slot, g.path) for g in applied} == {
        ("P", 0, "dscores"),
        ("scores", 0, "dX"),
        ("scores", 1, "dW"),
    }


def test_a_gradient_has_the_words_of_its_twin(x):
    recording, found = run(lambda x: ops.matmul(x, ops.transpose(x.rename(token="key")), name="S"), x)
    assert found["X"].axes == ("token", "model")
    numpy.testing.assert_allclose(found["X"].array, (G + G.T) @ x.array)
    for path in ("dS", "dX_T", "dX.via_S", "dX.via_X_T", "dX"):
        step = find(recording, path)
        assert step.form == recording.step(step.twin).form, path
        assert step.tensor.array is not None, path


def test_gradients_lie_beside_their_twins(x):
    with CompiledRecording() as recording, recording.scope("block1"):
        y = ops.exp(ops.scale(x, factor=0.5, name="scaled"), name="Y")
    backward(recording, recording.step(recording.id_of(y)), G)
    assert find(recording, "block1.dscaled").twin == find(recording, "scaled").id


def test_a_second_pass_has_names_of_its_own(x):
    with CompiledRecording() as recording:
        y = ops.exp(x, name="Y")
    target = recording.step(recording.id_of(y))
    backward(recording, target, G)
    backward(recording, target, 2 * G)
    numpy.testing.assert_allclose(find(recording, "backward2.dX").tensor.array, 2 * find(recording, "dX").tensor.array)


def test_a_constant_of_the_way_forward_is_no_pass(x):
    mask = tensor("mask", [[1.0, 0.0], [0.0, 1.0]], "token model", leaf="constant")
    recording, found = run(lambda x, mask: ops.mul(x, mask, name="Y"), x, mask)
    assert list(found) == ["X"]
    assert find(recording, "dX").path == "dX"


@pytest.mark.parametrize("join", [ops.collect, lambda *parts, name: ops.concat(*parts, axis="token", name=name)])
def test_any_number_of_inputs_may_follow_the_last_rule(join):
    parts = [tensor(f"X{n}", [[1.0 * n, 2.0]], "token model") for n in range(4)]
    rows = numpy.arange(8.0).reshape(4, 2) if join is not ops.collect else numpy.ones((1, 2))
    recording, _ = run(lambda *parts: join(*parts, name="Y"), *parts, cotangent=rows)
    for n in range(4):
        gradient = find(recording, f"dX{n}").tensor.array
        numpy.testing.assert_array_equal(gradient, rows[[n]] if len(rows) > 1 else rows)


def test_a_tape_gives_the_same_gradients_as_a_trace(x):
    found = []
    for level in ("trace", "tape"):
        with CompiledRecording(level) as recording:
            y = ops.softmax(ops.mul(x, x), name="Y")
        target = recording.step(recording.id_of(y))
        found.append(next(iter(backward(recording, target, G).values())).array)
    numpy.testing.assert_array_equal(found[0], found[1])


# -- what backward refuses -------------------------------------------------------------------


def test_several_entries_need_a_cotangent(x):
    with CompiledRecording() as recording:
        y = ops.exp(x)
    with pytest.raises(StepError, match="Backward starts from one number"):
        backward(recording, recording.step(recording.id_of(y)))


def test_a_cotangent_has_the_shape_of_the_target(x):
    with CompiledRecording() as recording:
        y = ops.exp(x)
    for shape in ((2,), (1, 2), (2, 1), (2, 3), (3, 2), (1, 2, 2)):
        with pytest.raises(StepError, match="The upstream gradient has the shape"):
            backward(recording, recording.step(recording.id_of(y)), numpy.ones(shape))


@pytest.mark.parametrize("cut", [lambda g: ops.take_row(g, index=0), lambda g: ops.concat(g, g, axis="model")])
def test_a_rule_that_gives_another_shape_is_refused(x, cut, monkeypatch):
    monkeypatch.setattr(Rule, "__call__", lambda rule, g, known, settings: cut(g))
    with CompiledRecording() as recording:
        y = ops.exp(x, name="Y")
    with pytest.raises(ShapeError, match="The backward rule of exp gave a gradient of"):
        backward(recording, recording.step(recording.id_of(y)), G)


def test_a_target_that_depends_on_nothing_is_refused(x):
    with CompiledRecording() as recording:
        y = ops.is_max(x)
    with pytest.raises(StepError, match="does not depend on any weight"):
        backward(recording, recording.step(recording.id_of(y)), G)
