"""Where the memory of large results comes from: it must make no difference to any number."""

from itertools import pairwise

import numpy
import pytest

import workings as w
from workings.engine.op import OPS
from workings.engine.room import PIECE, SharedRoom
from workings.ops import add, gelu_tanh, linear, matmul, softmax, sum, transpose

DRAWS = w.Draws(5)
LARGE = (64, 1024)  # half a megabyte in float64


def tensor(shape, axes, name):
    return w.given(DRAWS.normal(shape), axes, name=name)


X, W, B = tensor(LARGE, "token model", "X"), tensor((1024, 1024), "model hidden", "W"), tensor((1024,), "hidden", "b")


def recorded(level="trace"):
    with w.Trace(level=level) as trace:
        hidden = linear(X, W, B, name="hidden")
        bent = gelu_tanh(hidden, name="bent")
        weights = softmax(bent, axis=-1, name="weights")
        add(weights, hidden, name="total")
    return trace


def test_large_results_are_those_of_the_pages():
    trace = recorded()
    hidden = linear(X, W, B)
    bent = gelu_tanh(hidden)
    weights = softmax(bent, axis=-1)
    for name, expected in (("hidden", hidden), ("bent", bent), ("weights", weights), ("total", add(weights, hidden))):
        assert numpy.array_equal(trace[name].value, expected.array), name


def test_large_results_lie_side_by_side_in_one_piece_and_overlap_nowhere():
    trace = recorded()
    values = [trace[name].value for name in ("hidden", "bent", "weights", "total")]
    bases = {id(value.base if value.base.base is None else value.base.base) for value in values}
    assert len(bases) == 1
    places = sorted((value.__array_interface__["data"][0], value.nbytes) for value in values)
    for (start, size), (after, _) in pairwise(places):
        assert start + size <= after
        assert after % 64 == start % 64


def test_large_results_are_frozen_and_contiguous():
    for step in recorded():
        assert not step.value.flags.writeable
        assert step.value.flags.c_contiguous


def test_a_tape_lets_go_of_one_value_after_the_other():
    trace = recorded("tape")
    for step in trace.recording.steps.values():
        array = step.tensor.array
        if array is not None and step.op is not None:
            assert array.base is None or array.base.nbytes < PIECE


def test_a_replay_and_a_stored_trace_agree_to_the_last_bit():
    trace = recorded()
    again = trace.replay(values={"b": B.array})
    for step in trace:
        assert numpy.array_equal(step.value, again[step.path].value), step.path


@pytest.mark.parametrize("entries", [PIECE // 8, PIECE // 16 + 1])
def test_what_is_larger_than_half_a_piece_has_memory_of_its_own(entries):
    dtype = numpy.dtype("float64")
    found = SharedRoom()(((entries,), dtype, entries * 8, numpy))
    assert found is None


def test_a_new_piece_is_begun_where_the_old_one_is_full():
    room, size = SharedRoom(), PIECE // 3
    kind = ((size // 8,), numpy.dtype("float64"), size // 8 * 8, numpy)
    one, two, three, four = (room(kind) for _ in range(4))
    for number, array in enumerate((one, two, three, four)):
        array[:] = number
    assert [float(array.min()) for array in (one, two, three, four)] == [0, 1, 2, 3]
    assert [float(array.max()) for array in (one, two, three, four)] == [0, 1, 2, 3]


def test_an_op_that_overflows_is_still_refused():
    huge = w.given(numpy.full(LARGE, 1e200), "token model", name="huge")
    with pytest.raises(w.WorkingsError, match="too large, or not defined"), w.Trace():
        matmul(huge, w.given(numpy.full((1024, 64), 1e200), "model hidden"))


@pytest.mark.parametrize("op", ["relu", "tanh", "softmax", "gelu_tanh", "layer_norm"])
def test_what_does_not_lie_in_rows_is_summed_in_the_same_order_everywhere(op):
    turned = DRAWS.normal((300, 400)).T

    def computed():
        rows = transpose(w.given(turned.T.copy(), "key query", name="A"))
        ones = [w.given(numpy.ones(300), "key"), w.given(numpy.zeros(300), "key")] if op == "layer_norm" else []
        return sum(OPS[op](rows, *ones, name="y"), axis=0, name="total")

    plain = computed().array
    with w.Trace() as trace:
        assert numpy.array_equal(computed().array, plain)
    (found,) = trace.compile(["A"], ["total"])(trace["A"].value)
    assert numpy.array_equal(found, plain)
    assert numpy.array_equal(trace.replay(values={"A": turned.T.copy()})["total"].value, plain)
