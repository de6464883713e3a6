"""What a tensor does in Python: brackets, sums, and being handed to Python, NumPy and PyTorch."""

import math

import numpy
import pytest
import torch

import workings as w
from workings.engine.errors import CallError, NumberError, ShapeError, UnknownStepError

NUMBERS = numpy.array([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]])
BLOCKS = numpy.arange(24.0).reshape(2, 3, 4)


@pytest.fixture
def x():
    return w.given(NUMBERS, "query key", name="x")


@pytest.fixture
def blocks():
    return w.given(BLOCKS, "head query key", name="blocks")


def same(tensor, numbers, axes):
    assert tensor.axes == tuple(axes.split())
    numpy.testing.assert_array_equal(tensor.array, numbers)


# -- brackets ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "axes"),
    [
        (0, "query key"),
        (-1, "query key"),
        (numpy.int64(1), "query key"),
        ((0, 1), "key"),
        ((0, slice(1, None)), "query key"),
        ((slice(None), slice(-2, None), 3), "head query"),
        ((slice(0, 1), 2, slice(1, 3)), "head key"),
        ((..., -1), "head query"),
        ((1, ..., slice(2)), "query key"),
        ((..., 0, slice(1, 2)), "head key"),
        ((0, 1, 2), ""),
        (slice(None), "head query key"),
        (..., "head query key"),
        (slice(-100, 100), "head query key"),
    ],
)
def test_positions_and_slices_take_what_numpy_takes(blocks, index, axes):
    same(blocks[index], BLOCKS[index], axes)


def test_axis_word_says_along_which_axis(blocks):
    same(blocks["query", 1], BLOCKS[:, 1], "head key")
    same(blocks["key", 1:, "head", -1], BLOCKS[-1, :, 1:], "query key")
    same(blocks["query", :2], BLOCKS[:, :2], "head query key")


def test_axes_without_words_are_indexed_by_position():
    same(w.given(BLOCKS)[1, :, 1:].relabeled(("query", "key")), BLOCKS[1, :, 1:], "query key")


def test_each_position_and_each_slice_is_a_recorded_step(x):
    with w.Trace() as trace:
        x[0, 1:]
        x["query", 1]
        x[:]
    steps = [(step.op, step.settings) for step in trace if step.op != "given"]
    assert steps == [
        ("take_row", {"index": 0, "axis": "query"}),
        ("split", {"sizes": (1, 2), "part": 1, "axis": "key"}),
        ("take_row", {"index": 1, "axis": "query"}),
    ]
    assert str(trace["take_row2"].cell(2)) == "take_row2[2] = x[1][2] = 0.8"


def test_gradient_goes_to_the_entries_that_were_taken(x):
    with w.Trace() as trace:
        (x[0, 1:] * w.given([3.0, 5.0], "key")).sum(name="loss")
    trace.backward("loss")
    numpy.testing.assert_array_equal(trace["dx"].value, [[0, 3, 5], [0, 0, 0]])


def test_indexed_steps_are_replayed(x):
    with w.Trace() as trace:
        x[1].sum(name="total")
    assert float(trace.replay(values={"x": NUMBERS + 1})["total"].value) == pytest.approx(3.5)


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        ("query", "There is no position after the axis word 'query'."),
        (("query", 1, 2), "A position has no axis word before it."),
        ((1, "key"), "A position has no axis word before it."),
        (("query", "key", 1), "A position has no axis word before it."),
        (("query", "key"), "There is no position after the axis word 'query'."),
        (("token", 1), "There is no axis 'token' here."),
        (("key", 1, "key", 2), "The axis 'key' is indexed twice."),
        ((0, 0, 0), "The index has 3 positions, but the tensor has 2 axes."),
        ((..., 0, ...), "The index has several ellipses (...)."),
        (slice(None, None, 2), "A slice of a tensor has the step 1, not 2."),
        (slice(None, None, -1), "A slice of a tensor has the step 1, not -1."),
        (slice(2, 1), "The slice 2:1 is empty."),
        (5, "The position 5 is outside the 2 rows."),
        (True, "A tensor is indexed by positions and slices, not by a bool."),
        (None, "None adds no axis to a tensor."),
        ([0, 1], "A tensor is indexed by positions and slices, not by a list."),
        (1.5, "A tensor is indexed by positions and slices, not by a float."),
        (slice("a", None), "A tensor is indexed by positions and slices, not by a str."),
    ],
)
def test_index_that_cannot_be_taken_is_refused(x, index, sentence):
    with pytest.raises(w.WorkingsError) as refused:
        x[index]
    assert refused.value.what == sentence
    assert refused.value.hint
    assert "query 2 × key 3" in refused.value.given


def test_one_number_has_no_positions():
    with pytest.raises(ShapeError, match=r"The index has 1 position, but the tensor has no axes\."):
        w.given(4.0)[0]


def test_length_and_iteration_go_along_the_first_axis(x):
    assert len(x) == 2
    first, second = x
    same(first, NUMBERS[0], "key")
    same(second, NUMBERS[1], "key")
    for use in (len, list):
        with pytest.raises(ShapeError, match=r"One number has no length\."):
            use(w.given(4.0))


# -- sums --------------------------------------------------------------------------------------


def test_sum_and_mean_are_the_ops(x):
    with w.Trace() as trace:
        same(x.sum(), NUMBERS.sum(), "")
        same(x.sum("query"), NUMBERS.sum(axis=0), "key")
        same(x.mean(-1, keep=True, name="average"), NUMBERS.mean(axis=1, keepdims=True), "query key")
        same(x.mean(), NUMBERS.mean(), "")
    assert [step.op for step in trace] == ["given", "sum", "sum", "mean", "mean"]
    assert trace["average"].settings == {"axis": -1, "keep": True}


# -- handed to others --------------------------------------------------------------------------


def test_one_number_is_a_number_for_python():
    for number in (w.given(4.0), w.given([[4.0]], "query key"), w.given(NUMBERS)[0, 0] * 2):
        assert (float(number), int(number), bool(number), math.sqrt(number)) == (4.0, 4, True, 2.0)
    assert not w.given(0.0)


@pytest.mark.parametrize("use", [float, int, bool, math.sqrt, lambda x: 1 if x else 2])
def test_several_numbers_are_no_number(x, use):
    with pytest.raises(NumberError, match=r"needs one number, and this tensor has more: query 2 × key 3\.") as refused:
        use(x)
    assert "x[0, 0]" in refused.value.hint


def test_entries_can_be_searched(x):
    assert 0.3 in x
    assert 0.31 not in x


def test_numpy_gets_plain_numbers(x):
    with w.Trace() as trace:
        y = w.ops.exp(x)
        plain = numpy.asarray(y)
        copied = numpy.array(y, dtype="float32")
        numpy.testing.assert_allclose(y, plain)
        assert numpy.allclose(y, plain)
        assert numpy.array(x[0, 0]).shape == ()
    assert plain.dtype == "float64"
    assert copied.dtype == "float32"
    copied[0, 0] = 7  # a copy of its own
    with pytest.raises(ValueError, match="read-only"):
        plain[0, 0] = 7
    assert [step.op for step in trace] == ["given", "exp", "take_row", "take_row"]


def test_torch_gets_a_copy(x):
    with w.Trace():
        theirs = torch.tensor(w.ops.exp(x))
        also = torch.as_tensor(x)
    numpy.testing.assert_allclose(theirs.numpy(), numpy.exp(NUMBERS))
    also[0, 0] = 7
    assert x.array[0, 0] == 2
    assert torch.tensor(w.given(4.0)).item() == 4


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (numpy.exp, "numpy.exp"),
        (numpy.sum, "numpy.sum"),
        (numpy.linalg.norm, "numpy.linalg.norm"),
        (lambda x: numpy.concatenate([x, x]), "numpy.concatenate"),
        (lambda x: numpy.add.reduce(x), "numpy.add"),
        (lambda x: numpy.add(NUMBERS, x, out=NUMBERS.copy()), "numpy.add"),
        (lambda x: torch.softmax(x, dim=-1), "torch.softmax"),
        (torch.nn.functional.relu, "torch.nn.functional.relu"),
        (torch.nn.Linear(3, 2), "torch.nn.functional.linear"),
    ],
)
def test_function_of_another_library_is_refused(x, function, name):
    with pytest.raises(CallError) as refused:
        function(x)
    assert refused.value.what.startswith(f"{name} does not know axis words")
    assert "numpy.asarray(x)" in refused.value.hint


@pytest.mark.parametrize("other", [NUMBERS, torch.tensor(NUMBERS)], ids=["numpy", "torch"])
def test_array_on_the_left_of_an_operator_is_an_input(other):
    x = w.given(other, "query key")
    with w.Trace() as trace:
        results = [other + x, other - x, other * x, other / x, other @ x.T]
    expected = [NUMBERS + NUMBERS, NUMBERS - NUMBERS, NUMBERS * NUMBERS, NUMBERS / NUMBERS, NUMBERS @ NUMBERS.T]
    for result, numbers in zip(results, expected, strict=True):
        assert isinstance(result, type(x))
        numpy.testing.assert_allclose(result, numbers)
    assert [step.op for step in trace if step.inputs] == ["add", "sub", "mul", "div", "transpose", "matmul"]


def test_number_of_numpy_on_the_left_scales(x):
    with w.Trace() as trace:
        same(numpy.float64(2) * x, 2 * NUMBERS, "query key")
    assert trace["scale"].settings == {"factor": 2.0}


@pytest.mark.parametrize("use", [w.ops.exp, w.given])
def test_torch_tensor_that_cannot_be_recorded_is_refused(use):
    with pytest.raises(CallError, match="has requires_grad=True") as refused:
        use(torch.ones(2, requires_grad=True))
    assert refused.value.hint == "Pass its numbers: x.detach().numpy()."
    with pytest.raises(CallError, match="on the device 'meta'") as refused:
        use(torch.ones(2, device="meta"))
    assert refused.value.hint == "Pass its numbers: x.detach().cpu().numpy()."


# -- a gradient before backward ----------------------------------------------------------------


def test_gradient_before_backward_says_to_run_backward_first(x):
    with w.Trace(aliases={"S": "scores"}) as trace, trace.scope("block1"):
        w.ops.scale(x, factor=2.0, name="scores")
    for name in ("dx", "dscores", "block1.dscores", "head2.dscores", "dS"):
        with pytest.raises(UnknownStepError, match=f"There is no gradient '{name}' yet") as refused:
            trace[name]
        assert refused.value.hint.endswith('run backward from it first: trace.backward("loss").')
        assert name not in trace
    with trace:
        w.ops.sum(trace["scores"].tensor, name="total")
    with pytest.raises(UnknownStepError) as refused:
        trace["dx"]
    assert refused.value.hint == 'Run backward first: trace.backward("total").'
    assert trace.backward("total")["dx"].shape == (2, 3)


def test_name_that_is_no_gradient_stays_unknown(x):
    with w.Trace() as trace:
        x.sum(name="loss")
    with pytest.raises(UnknownStepError, match="There is no step 'dQ'"):
        trace["dQ"]
    with pytest.raises(UnknownStepError, match="There is no step 'dsum'"):
        trace.backward("loss")["dsum"]
