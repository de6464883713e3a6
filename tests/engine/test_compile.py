"""Compile reuses buffers: no value may change while somebody still reads it."""

import numpy
import pytest

import workings as w
from workings import ops
from workings.engine.compile import compile_recording
from workings.engine.compiled_recording import CompiledRecording
from workings.engine.form import form_of
from workings.engine.tensor import Tensor

WIDE = {"drop": (-1,), "keep": (), "axes": ("token", "model"), "shape": (2, 3)}


def test_a_value_that_looks_into_a_buffer_keeps_it_busy():
    x = Tensor(numpy.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), form_of(("token", "model"), (2, 3)), name="X")
    with CompiledRecording() as recording:
        row_sums = ops.sum(x, axis="model")
        early = ops.spread(ops.exp(0.1 * row_sums), **WIDE)  # looks into the buffer of the exponential
        late = ops.exp(ops.exp(0.001 * ops.exp(0.2 * row_sums)))  # three more buffers of the same size
        output = ops.mul(early, ops.spread(late, **WIDE))
    program = compile_recording(recording, recording.leaves(), [recording.step(recording.id_of(output))])
    numpy.testing.assert_array_equal(program(x.array)[0], output.array)


def test_results_are_not_written_again_by_the_next_call():
    x = Tensor(numpy.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), form_of(("token", "model"), (2, 3)), name="X")
    with CompiledRecording() as recording:
        doubled = ops.scale(ops.sum(x, axis="model"), factor=2.0)
        outputs = [doubled, ops.spread(doubled, **WIDE), ops.transpose(ops.exp(x)), ops.neg(doubled)]
    steps = [recording.step(recording.id_of(output)) for output in outputs]
    program = compile_recording(recording, recording.leaves(), steps)
    first = program(x.array)
    kept = [value.copy() for value in first]
    program(3 * x.array)
    for value, before, output in zip(first, kept, outputs, strict=True):
        numpy.testing.assert_array_equal(value, before)
        numpy.testing.assert_array_equal(value, output.array)


@pytest.mark.parametrize("digits", [8, 0])
def test_constants_that_print_alike_are_not_one(digits):
    with numpy.printoptions(precision=digits, suppress=True), w.Trace() as trace:
        x = w.given([1.0, 2.0], "model", name="x")
        one, other = w.given(0.1234567890), w.given(0.1234567899)
        w.ops.sub(w.ops.mul(x, one), w.ops.mul(x, other), name="difference")
        (found,) = trace.compile(inputs=["x"], outputs=["difference"])(trace["x"].value)
    assert found.tobytes() == trace["difference"].value.tobytes()
    assert found.any()


def test_what_numpy_prints_decides_no_number():
    x = w.given([-2.0], "model")
    before = w.ops.gelu_tanh(x).array
    w.ops.gelu_tanh.compiled.clear()
    with numpy.printoptions(precision=0, suppress=True), w.Trace() as trace:
        w.ops.gelu_tanh(x, name="y")
    w.ops.gelu_tanh.compiled.clear()
    assert trace["y"].value == pytest.approx(before, rel=1e-15)
