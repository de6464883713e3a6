"""Compile reuses buffers: no value may change while somebody still reads it."""

import numpy

from workings import ops
from workings.engine.compile import compile_recording
from workings.engine.form import form_of
from workings.engine.recording import Recording
from workings.engine.tensor import Tensor

WIDE = {"drop": (-1,), "keep": (), "axes": ("token", "model"), "shape": (2, 3)}


def test_a_value_that_looks_into_a_buffer_keeps_it_busy():
    x = Tensor(numpy.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), form_of(("token", "model"), (2, 3)), name="X")
    with Recording() as recording:
        row_sums = ops.sum(x, axis="model")
        early = ops.spread(ops.exp(0.1 * row_sums), **WIDE)  # looks into the buffer of the exponential
        late = ops.exp(ops.exp(0.001 * ops.exp(0.2 * row_sums)))  # three more buffers of the same size
        output = ops.mul(early, ops.spread(late, **WIDE))
    program = compile_recording(recording, recording.leaves(), [recording.step(recording.id_of(output))])
    numpy.testing.assert_array_equal(program(x.array)[0], output.array)


def test_results_are_not_written_again_by_the_next_call():
    x = Tensor(numpy.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), form_of(("token", "model"), (2, 3)), name="X")
    with Recording() as recording:
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
