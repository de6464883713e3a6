"""Bad input: every error says what happened, where, what was given, and what to try."""

import re

import numpy
import pytest
from bad_calls import CALLS, INF, NAN, W, X
from loops import for_each
from small_traces import attention_backward, attention_forward

import workings as w
from workings import ops
from workings.engine.errors import (
    AxisError,
    CallError,
    EntryError,
    NumberError,
    PrecisionError,
    ShapeError,
    StepError,
    WorkingsError,
)
from workings.engine.tensor import Tensor


def refused(call, error):
    with pytest.raises(error) as raised:  # warnings are errors here, too
        call()
    return raised.value


@for_each("case", CALLS)
def test_an_error_in_a_recording_says_what_where_given_and_what_to_try(case):
    call, kind, what, given = CALLS[case]
    with w.Trace() as trace, trace.scope("block1"):
        error = refused(call, kind)
    assert isinstance(error, WorkingsError)
    assert re.search(what, error.what), error.what
    assert error.where == "block1.y"
    assert given in error.given
    assert error.hint
    lines = str(error).splitlines()
    assert lines[0] == error.what
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["where", *(["given"] if error.given else []), "try"]
    assert "y" not in [step.name for step in trace]


@for_each("case", CALLS)
def test_an_error_outside_a_recording_says_the_same(case):
    call, kind, _, _ = CALLS[case]
    with w.Trace():
        inside = refused(call, kind)
    outside = refused(call, kind)
    assert (outside.what, outside.given) == (inside.what, inside.given)
    assert outside.where == "y"


@pytest.mark.parametrize("precision", ["float32", "calculator 3 decimals"])
@for_each("case", CALLS)
def test_every_precision_refuses_the_same(case, precision):
    call, _, _, _ = CALLS[case]
    with w.Trace(precision=precision):
        assert refused(call, WorkingsError).where == "y"


# -- leaves ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [w.given, w.parameter])
@pytest.mark.parametrize(("value", "word"), [(NAN, "nan"), (INF, "inf"), (-INF, "-inf")])
def test_nan_and_infinity_in_an_input_or_a_weight_are_refused_by_name_and_entry(make, value, word):
    error = refused(lambda: make([[1.0, 2.0], [3.0, value]], "token model", name="W_Q"), NumberError)
    assert error.what == f"W_Q contains {word} at [1][1]."


def test_a_mask_may_contain_infinity():
    assert w.constant([0.0, -INF], "key").array[1] == -INF


@pytest.mark.parametrize(
    ("call", "kind", "what"),
    [
        (lambda: w.given([[1.0], [2.0, 3.0]], "token model"), ShapeError, "not equally long"),
        (lambda: w.given([1.0, "x"], "token"), ShapeError, "not a number"),
        (lambda: w.given([1j], "token"), ShapeError, "not a number"),
        (lambda: w.given(numpy.array([1j]), "token"), ShapeError, "not a number"),
        (lambda: w.given(numpy.array([[1], [1, 2]], dtype=object)), ShapeError, "not equally long"),
        (lambda: w.given({"a": 1}), ShapeError, "not a number"),
        (lambda: w.given([10**400]), ShapeError, "not a number"),
        (lambda: w.given(None, name="X"), NumberError, "X contains nan"),
        (lambda: w.given([]), ShapeError, "no numbers here"),
        (lambda: w.given(numpy.ones((0, 3)), "token model"), ShapeError, r"the shape is \(0, 3\)"),
        (lambda: w.given([1.0, 2.0], "token model"), ShapeError, r"each axis \(1\); given: token model \(2\)"),
        (lambda: w.given([[1.0, 2.0]], "token token"), AxisError, "'token' would name two axes"),
        (lambda: w.ids([0.5, 1.0]), NumberError, "ids must be whole numbers, not 0.5"),
        (lambda: w.ids([NAN]), NumberError, "whole numbers"),
        (lambda: w.ids(numpy.array([INF])), NumberError, "whole numbers"),
        (lambda: w.ids([[0], [1, 2]]), ShapeError, "not equally long"),
        (lambda: w.ids([2**70]), ShapeError, ""),
        (lambda: X().rename(key="query"), AxisError, "no axis 'key' to rename"),
        (lambda: X().rename(token="model"), AxisError, "two axes"),
        (lambda: X().size("key"), AxisError, "no axis 'key'"),
    ],
)
def test_a_leaf_that_cannot_be_is_refused(call, kind, what):
    error = refused(call, kind)
    assert re.search(what, error.what)
    assert error.hint


def test_a_list_of_words_names_the_axes_too():
    assert w.given([[1.0]], ["token", "model"]).axes == ("token", "model")


def test_whole_numbers_of_numpy_become_real_numbers_so_that_they_have_gradients():
    x = w.given(numpy.array([[1, 0], [0, 1]]), "token model", name="X")
    assert x.array.dtype == numpy.float64
    assert w.ids(numpy.array([1, 0])).array.dtype == numpy.int64


# -- operators -------------------------------------------------------------------------------


def test_operators_take_numbers_and_arrays_on_both_sides():
    x, a = X(), numpy.array([[2.0, 0.5], [1.0, 4.0]])
    pairs = [
        (x + a, x.array + a), (a + x, a + x.array), (x - a, x.array - a), (a - x, a - x.array),
        (x * a, x.array * a), (a * x, a * x.array), (x / a, x.array / a), (a / x, a / x.array),
        (x @ a, x.array @ a), (a @ x, a @ x.array),
        (2 * x, 2 * x.array), (x * numpy.float32(2), 2 * x.array), (x / numpy.int64(2), x.array / 2),
        (1 - x, 1 - x.array), (x + numpy.float64(1), x.array + 1), (1 / x, 1 / x.array), (-x, -x.array),
    ]  # fmt: skip
    for got, expected in pairs:
        assert isinstance(got, Tensor)
        numpy.testing.assert_array_equal(got.array, expected)


def test_a_fraction_beside_whole_numbers_stays_a_fraction():
    ids = w.ids([1, 2])
    assert (ids + 0.5).array.tolist() == [1.5, 2.5]
    assert (ids - 1).array.dtype == numpy.int64
    assert ops.divide_by_root(ids, d=6.25).array.tolist() == [0.4, 0.8]


@pytest.mark.parametrize("other", [[1.0, 2.0], None, "x", (1.0, 2.0), {}])
def test_operators_refuse_what_is_no_array(other):
    for call in (
        lambda: X() + other,
        lambda: X() * other,
        lambda: X() / other,
        lambda: other - X(),
        lambda: X() @ other,
    ):
        assert "is not an array" in refused(call, CallError).what


# -- broadcasting ----------------------------------------------------------------------------


def test_only_what_a_reduction_left_behind_is_stretched():
    column = ops.sum(X(), axis="model", keep=True)
    assert ops.add(X(), column).shape == (2, 2)
    given_column = w.given([[3.0], [7.0]], "token model")
    assert "'model' has 1" in refused(lambda: ops.add(X(), given_column), ShapeError).what


def test_a_column_that_met_a_given_one_is_no_longer_stretched():
    column = ops.sum(X(), axis="model", keep=True)
    met = ops.add(column, w.given([[3.0], [7.0]], "token model"))
    assert "'model' has 1" in refused(lambda: ops.add(X(), met), ShapeError).what
    assert ops.add(X(), ops.add(column, column)).shape == (2, 2)


def test_an_axis_that_is_missing_on_the_right_is_not_invented():
    per_token = w.given([1.0, 2.0], "token")
    assert "'model' meets 'token'" in refused(lambda: ops.add(X(), per_token), AxisError).what


# -- asking a trace --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "kind", "what"),
    [
        (lambda t: t["scores"].cell(2, 0), EntryError, "Position 2 on the axis query is outside: there are 2"),
        (lambda t: t["scores"].cell(0, -3), EntryError, "Position -3 on the axis key"),
        (lambda t: t["scores"].cell(0), EntryError, "An entry of scores has a position on each axis (2); given: 1"),
        (lambda t: t["scores"].cell(), EntryError, "each axis (2); given: 0"),
        (lambda t: t["loss"].cell(0), EntryError, "each axis (0); given: 1"),
        (lambda t: t.backward("scores"), StepError, "Backward starts from one number, but attention.scores has"),
        (lambda t: t.backward("scores", cotangent=numpy.ones((2, 3))), StepError, "upstream gradient has the shape"),
        (lambda t: t.backward("tokens", cotangent=[1, 1]), StepError, "does not depend on any weight"),
        (lambda t: t.backward("W_Q", cotangent=numpy.ones((2, 2)), wrt=["W_K"]), StepError, "does not depend"),
        (lambda t: t.backward("loss", wrt=["tokens"]), StepError, "does not depend"),
        (lambda t: t.backward("loss", wrt=[]), StepError, "does not depend"),
        (lambda t: t.backward("lost"), StepError, "no step 'lost'"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(ask, kind, what):
    error = refused(lambda: ask(attention_backward()), kind)
    assert what in error.what
    assert error.hint


@pytest.mark.parametrize(
    "precision", ["", "float16", "calculator", "calculator 4", "calculator four decimals", 3, None]
)
def test_a_precision_that_is_none_is_refused(precision):
    assert "float64" in refused(lambda: w.Trace(precision=precision), PrecisionError).hint


def test_a_level_that_is_none_is_refused():
    assert "trace, tape" in refused(lambda: w.Trace(level="tap"), CallError).hint


@pytest.mark.parametrize("digits", [0, 13, 10**30])
def test_a_calculator_with_too_few_or_too_many_digits_is_refused(digits):
    error = refused(lambda: attention_forward(f"calculator {digits} significant"), PrecisionError)
    assert "1 to 12" in error.hint


def test_label_outside_the_vocabulary_is_refused():
    error = refused(lambda: ops.lookup(W(), w.ids([7])), NumberError)
    assert str(error).startswith("The label 7 is outside the vocabulary of 2 entries.")
    assert error.hint == "Labels count from 0 to 1."
