"""Corners of single pages that no example of theirs can show: limits, types, words, and axes that may be stretched.

Most of these were found by mutants that nobody noticed: see mutation/run.py.
"""

import math

import array_api_strict
import numpy
import pytest

import workings as w
from workings import ops
from workings.engine.errors import AxisError, CallError, HeadCountError, NumberError, ShapeError
from workings.ops.power import _one_less as one_less

INF, NAN = math.inf, math.nan


# -- leaves made from numbers ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "named"),
    [([0, 1.5, 2.5, 1], "1.5"), ([0, -0.5], "-0.5"), ([1, NAN], "nan"), ([INF, 0], "inf"), ([0, -INF], "-inf")],
)
def test_the_first_number_that_is_not_whole_is_named(values, named):
    with pytest.raises(NumberError, match=rf"^ids must be whole numbers, not {named}\.\n"):
        w.ids(values)


@pytest.mark.parametrize("values", [[[1], [1, 2]], [{}], [10**400], ["a" * 100], numpy.array(["a" * 100])])
def test_what_are_no_numbers_is_shown_up_to_80_characters(values):
    with pytest.raises(ShapeError, match="not equally long, or an entry is not a number") as error:
        w.given(values)
    assert error.value.given == str(values)[:80]


@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("asked", [None, numpy.float32, numpy.float64])
def test_real_numbers_keep_their_type_unless_told_otherwise(kind, asked):
    values = numpy.ones((2, 2), dtype=kind)
    expected = asked or (kind if kind.startswith("float") else "float64")
    for leaf in (w.given(values, dtype=asked), w.given(w.constant(values, dtype=kind), dtype=asked)):
        assert leaf.array.dtype == expected


def test_an_array_of_another_library_stays_one_unless_a_type_is_told():
    values = array_api_strict.ones((2, 2))
    assert type(w.given(values).array) is type(values)
    assert type(w.given(numpy.ones(2)).array) is numpy.ndarray


# -- limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "most"), [("float64", 709.782712893384), ("float32", 88.7)])
def test_the_largest_power_of_e_is_allowed_and_no_larger_one(dtype, most):
    largest = min(most, math.log(float(numpy.finfo(dtype).max)))
    assert numpy.isfinite(ops.exp(numpy.array([largest], dtype=dtype)).array).all()
    with pytest.raises(NumberError, match=f"is larger than any number of type {dtype}"):
        ops.exp(numpy.array([most + 1], dtype=dtype))


def test_the_largest_cube_is_allowed_and_no_larger_one():
    most = float(numpy.finfo("float64").max) ** (1 / 3)
    assert ops.gelu_tanh(numpy.array([most, -most])).array.tolist() == [most, 0.0]
    with pytest.raises(NumberError):
        ops.gelu_tanh(numpy.array([numpy.nextafter(most, INF)]))


def norms():
    """Both norms, with vectors that change nothing."""
    return [
        lambda x, **more: ops.rms_norm(x, numpy.ones(x.shape[-1]), **more),
        lambda x, **more: ops.layer_norm(x, numpy.ones(x.shape[-1]), numpy.zeros(x.shape[-1]), **more),
    ]


@pytest.mark.parametrize("norm", norms())
def test_rows_are_normalised_up_to_the_size_whose_squares_can_be_added(norm):
    rows = numpy.array([[[1.0, -1.0, 0.5], [0.2, 0.4, -1.0]]])
    most = math.sqrt(float(numpy.finfo("float64").max) / 3) / 2
    assert numpy.isfinite(norm(most * rows).array).all()
    with pytest.raises(NumberError):
        norm(numpy.nextafter(most, INF) * rows)
    most = int(math.sqrt(2.0**62 / 3) / 2)  # squares of whole numbers are whole numbers of 64 bits
    assert numpy.isfinite(norm(numpy.array([[10, -20, most]])).array).all()
    with pytest.raises(NumberError):
        norm(numpy.array([[1, 2, most + 1]]))


@pytest.mark.parametrize("norm", norms())
def test_the_row_that_is_too_large_is_named(norm):
    rows = numpy.array([[[1.0, -1.0, 0.5], [0.2, -1.0, 1e200]], [[0.1, 0.3, 0.4], [1e300, 0.2, -1.0]]])
    with pytest.raises(NumberError, match=r"row \[0\]\[1\], with 1e\+200 in it"):
        norm(rows)


@pytest.mark.parametrize("norm", norms())
def test_every_row_must_be_large_enough_where_there_is_no_epsilon(norm):
    rows = numpy.tile([1.0, -1.0], (1, 2, 5))
    assert norm(rows, epsilon=0.0).shape == (1, 2, 10)
    rows[0, 1] *= 3.5e-162
    with pytest.raises(NumberError):
        norm(rows, epsilon=0.0)


@pytest.mark.parametrize(("squares", "refused"), [(18, True), (23, False)])
def test_squares_vanish_where_four_parts_for_each_entry_would(squares, refused):
    smallest = 5e-324
    row = numpy.full((2, 10), math.sqrt(squares) * math.sqrt(smallest * 2**100) / 2**50)
    assert (row[0, 0] ** 2) / smallest == squares
    if refused:
        with pytest.raises(NumberError, match=r"Row \[0\] has the size 0"):
            ops.rms_norm(row, numpy.ones(10), epsilon=0.0)
    else:
        assert numpy.isfinite(ops.rms_norm(row, numpy.ones(10), epsilon=0.0).array).all()


@pytest.mark.parametrize("norm", [ops.rms_norm, lambda x, gamma: ops.layer_norm(x, gamma, gamma)])
def test_the_vectors_of_a_norm_are_as_long_as_its_rows(norm):
    for size in (2, 4):
        with pytest.raises(ShapeError, match=rf"each of the 3 entries of a row, but a vector of shape \({size},\)"):
            norm(numpy.ones((2, 2, 3)), numpy.ones(size))
    with pytest.raises(ShapeError, match="this one has 0 axes"):
        norm(numpy.ones(()), numpy.ones(()))


def test_a_length_below_0_is_refused():
    for norm in (-2.0, -0.5, -1e-9):
        with pytest.raises(NumberError) as error:
            ops.clip_by_norm(numpy.ones((2, 2)), numpy.array(norm), limit=1.0)
        assert ", but a length is never below 0." in error.value.what


def test_one_less_than_an_exponent_is_exact():
    assert one_less(0.7) == -0.3
    assert type(one_less(3)) is int


# -- axes ------------------------------------------------------------------------------------


def columns(*axes):
    """A table of which a reduction left one column (or row) behind."""
    x = w.given(numpy.arange(1.0, 7.0).reshape(2, 3), "token model")
    for axis in axes:
        x = ops.sum(x, axis=axis, keep=True)
    return x


@pytest.mark.parametrize(
    ("result", "kept"),
    [
        (lambda: ops.concat(columns("model"), columns("model"), axis="token"), (False, True)),
        (lambda: ops.concat(columns("token"), columns("token"), axis="model"), (True, False)),
        (lambda: ops.concat(columns("model"), columns("model"), axis="model"), (False, False)),
        (lambda: ops.concat(columns("token", "model"), axis="model"), (True, False)),
        (lambda: ops.concat(columns("token"), w.given([[1.0]], "token model"), axis="model"), (False, False)),
        (lambda: ops.split(columns("model"), sizes=(1, 1), part=0, axis="token"), (False, True)),
        (lambda: ops.split(columns("token"), sizes=(1, 2), part=0, axis="model"), (True, False)),
        (lambda: ops.split(columns("model"), sizes=(1,), part=0, axis="model"), (False, False)),
    ],
)
def test_an_axis_that_a_reduction_left_behind_may_still_be_stretched(result, kept):
    assert result().form.kept == kept


def test_the_context_of_tokens_are_tokens_and_that_of_queries_queries():
    x = w.given([[1.0, 0.5], [0.2, 0.1]], "token head_size")
    assert ops.attention(x, x, x).axes == ("token", "head_size")
    assert ops.attention(x.rename(token="query"), x, x).axes == ("query", "head_size")


@pytest.mark.parametrize("axes", ["head batch token head_size", "head token query head_size", "batch token model head"])
def test_heads_stand_before_their_rows_or_nowhere(axes):
    with pytest.raises(AxisError):
        ops.merge_heads(w.given(numpy.ones((2, 3, 4, 5)), axes))
    assert ops.merge_heads(w.given(numpy.ones((3, 4, 5)), "batch token model")).shape == (4, 15)


def test_the_variance_is_corrected_where_a_row_has_two_entries_or_more():
    for shape in ((1, 3), (3, 2)):
        x, gamma, beta = (
            numpy.arange(6.0)[: math.prod(shape)].reshape(shape),
            numpy.ones(shape[1]),
            numpy.zeros(shape[1]),
        )
        assert ops.layer_norm(x, gamma, beta, correction=1).shape == shape
    one = numpy.ones((3, 1)), numpy.ones(1), numpy.zeros(1)
    assert ops.layer_norm(*one, correction=0).array.tolist() == [[0.0]] * 3
    with pytest.raises(CallError, match="correction"):
        ops.layer_norm(*one, correction=1)


@pytest.mark.parametrize(
    ("shape", "has"), [((4,), 4), ((9,), 9), ((-2, -3), "negative sizes"), ((-1, 6), "negative sizes"), ((0, 6), 0)]
)
def test_a_shape_of_another_size_is_refused_with_that_size(shape, has):
    with pytest.raises(ShapeError) as error:
        ops.reshape(numpy.ones((2, 3)), shape=shape)
    assert error.value.what == f"6 entries cannot be laid out as {shape}, which has {has}."


@pytest.mark.parametrize(
    ("width", "heads", "nearest"),
    [
        (6, 4, "3 and 6"),
        (6, 5, "3 and 6"),
        (6, 7, "6"),
        (6, 0, "1"),
        (6, -3, "1"),
        (7, 2, "1 and 7"),
        (4, 3, "2 and 4"),
    ],
)
def test_heads_that_do_not_fit_are_refused_with_the_nearest_that_do(width, heads, nearest):
    with pytest.raises(HeadCountError) as error:
        ops.split_heads(numpy.ones((2, 3, width)), heads=heads)
    assert error.value.what == f"{width} columns cannot be divided evenly among {heads} heads."
    assert error.value.hint == f"The number of heads must divide {width}. The nearest that do: {nearest}."
    assert ops.split_heads(numpy.ones((2, 3, width)), heads=1).shape == (2, 1, 3, width)
    assert ops.split_heads(numpy.ones((2, 3, width)), heads=width).shape == (2, width, 3, 1)


@pytest.mark.parametrize(
    ("sizes", "part", "error"),
    [
        ((1, 3), 0, ShapeError),
        ((1, 1), 0, ShapeError),
        ((0, 3), 0, ShapeError),
        ((1, 2), 2, NumberError),
        ((1, 2), 3, NumberError),
        ((1, 2), -3, NumberError),
    ],
)
def test_pieces_that_are_not_there_are_refused(sizes, part, error):
    with pytest.raises(error):
        ops.split(numpy.ones((2, 3)), sizes=sizes, part=part, axis=-1)


@pytest.mark.parametrize(
    ("shape", "drop", "keep", "error"),
    [
        ((2,), (0, 0), (), AxisError),
        ((2,), (0,), (0,), AxisError),
        ((2,), (0,), (-2,), AxisError),
        ((2, 1), (), (1, 1), AxisError),
        ((4,), (0,), (), ShapeError),
        ((2,), (0,), (), ShapeError),
        ((3, 3), (), (1,), ShapeError),
        ((3,), (), (0,), ShapeError),
    ],
)
def test_what_cannot_be_spread_is_refused(shape, drop, keep, error):
    with pytest.raises(error):
        ops.spread(numpy.ones(shape), drop=drop, keep=keep, axes=("token", "model"), shape=(2, 3))


@pytest.mark.parametrize("index", [-3, 2, 3])
def test_a_row_that_is_not_there_is_refused(index):
    x = w.given([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "token model")
    with pytest.raises(NumberError):
        ops.take_row(x, index=index, axis="token")
    assert [ops.take_row(x, index=n, axis="token").array.tolist() for n in (-2, -1)] == x.array.tolist()


@pytest.mark.parametrize("k", [-1, 0, 4])
def test_as_many_positions_as_there_are_entries_in_a_row_and_no_more(k):
    with pytest.raises(CallError) as error:
        ops.top_k(numpy.ones((2, 5, 3)), k=k)
    assert error.value.hint == "Allowed: a whole number from 1 to 3."
    assert ops.top_k(numpy.ones((2, 5, 3)), k=3).array.tolist() == [[[0, 1, 2]] * 5] * 2
    with pytest.raises(ShapeError, match="this one has 0 axes"):
        ops.top_k(numpy.ones(()), k=1)


def test_a_single_row_cannot_be_transposed():
    with pytest.raises(ShapeError, match="this one has 1 axis"):
        ops.transpose(numpy.ones(3))


def test_scores_of_one_query_may_have_marks_of_their_own():
    scores, marks = w.given([[2.0, 3.0], [4.0, 5.0]], "batch key"), w.constant([[1, 0], [0, 1]], "batch key")
    assert ops.padding_mask(scores, marks).array.tolist() == [[2.0, -INF], [-INF, 5.0]]


@pytest.mark.parametrize("loss", [ops.cross_entropy, ops.negative_log_likelihood])
@pytest.mark.parametrize("labels", [numpy.zeros((2, 1), int), numpy.zeros((2, 4), int), numpy.zeros(2, int)])
def test_labels_that_do_not_fit_the_rows_are_refused_with_both_shapes(loss, labels):
    rows = w.given(numpy.full((2, 3, 4), 0.25), "batch token vocab")
    with pytest.raises(ShapeError) as error:
        loss(rows, labels)
    assert f"the rows are {(2, 3)}, the labels {labels.shape}." in error.value.what


def test_of_many_equal_entries_the_first_comes_first():
    row = numpy.arange(200.0) % 3
    assert ops.top_k(row, k=200).array.tolist() == sorted(range(200), key=lambda n: -row[n])


@pytest.mark.parametrize("exponent", [2, 3, 4, 5])
def test_a_power_has_as_many_factors_as_its_exponent_says(exponent):
    numbers = numpy.array([0.5, -1.2, 3.0])
    expected = numpy.prod(numpy.broadcast_to(numbers, (exponent, 3)), axis=0)
    assert numpy.allclose(ops.power(w.given(numbers), exponent=exponent).array, expected, rtol=1e-15)
    with w.Trace():
        assert numpy.allclose(ops.power(w.given(numbers), exponent=exponent).array, expected, rtol=1e-15)
