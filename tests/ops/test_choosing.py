"""The pages by which a next token is chosen, against PyTorch and against plain sums of fractions."""

import math
from fractions import Fraction

import array_api_strict
import hypothesis.strategies as st
import numpy
import pytest
import torch
from example_runs import is_off
from hand_calculations import hand_calculations
from hypothesis import given, settings

import workings as w
from workings import ops
from workings.engine.errors import CallError, NumberError, ShapeError
from workings.engine.hand import work_out
from workings.ops.parts.drawing import Draws

SETTINGS = settings(deadline=None, derandomize=True, database=None)
PARTS = 64  # shares are counted in 64ths: floating point adds these without rounding


@st.composite
def tables(draw, entries, most=6):
    """A row, a matrix or a batch of such entries."""
    lead = draw(st.sampled_from([(), (1,), (3,), (2, 2)]))
    size = draw(st.integers(1, most))
    count = math.prod(lead) * size
    return numpy.reshape(draw(st.lists(entries, min_size=count, max_size=count)), (*lead, size)).astype(float)


@st.composite
def shares(draw):
    """Rows of 64ths that add up to 1; some of them are 0."""
    table = draw(tables(st.integers(0, PARTS), most=8))
    cuts = numpy.sort(table[..., 1:], axis=-1)
    ends = numpy.concatenate([cuts, numpy.full((*table.shape[:-1], 1), float(PARTS))], axis=-1)
    return numpy.diff(ends, axis=-1, prepend=0.0) / PARTS


def rows_of(array):
    return numpy.reshape(array, (-1, array.shape[-1])).tolist()


def by_size(row):
    """The places of a row, the largest entry first; of equal ones the first one first."""
    return sorted(range(len(row)), key=lambda place: (-row[place], place))


# -- running totals --------------------------------------------------------------------------


@SETTINGS
@given(tables(st.floats(-100, 100)), st.booleans())
def test_running_totals_and_their_gradient_are_those_of_torch(x, reverse):
    for axis in range(-x.ndim, 0):
        judged = torch.tensor(x, requires_grad=True)
        turned = judged.flip(axis) if reverse else judged
        totals = turned.cumsum(axis)
        expected = totals.flip(axis) if reverse else totals
        weights = numpy.cos(numpy.arange(1.0, x.size + 1)).reshape(x.shape)
        expected.backward(torch.tensor(weights))
        with w.Trace() as trace:
            y = ops.cumulative_sum(w.given(x, name="x"), axis=axis, reverse=reverse, name="y")
        trace.backward("y", cotangent=weights)
        numpy.testing.assert_allclose(y.array, expected.detach(), rtol=1e-12, atol=1e-12)
        numpy.testing.assert_allclose(trace["dx"].value, judged.grad, rtol=1e-12, atol=1e-12)


def test_the_last_running_total_is_the_sum_also_for_a_calculator():
    x = [[0.1234, 0.4567, 0.00891, 0.3333], [0.7, 0.1, 0.1, 0.1]]
    with w.Trace(precision="calculator 3 significant"):
        leaf = w.given(x, "token vocab")
        assert ops.cumulative_sum(leaf).array[:, -1].tolist() == ops.sum(leaf, axis="vocab").array.tolist()


# -- the k largest ---------------------------------------------------------------------------


@SETTINGS
@given(tables(st.integers(-3, 3)), st.integers(1, 6))
def test_exactly_the_k_largest_are_kept_and_of_equal_ones_the_first(x, k):
    if k > x.shape[-1]:
        with pytest.raises(CallError, match=rf"k of keep_top_k cannot be {k}(.|\n)*from 1 to {x.shape[-1]}\."):
            ops.keep_top_k(x, k=k)
        return
    kept = ops.keep_top_k(x, k=k).array
    assert rows_of(kept) == [[float(place in by_size(row)[:k]) for place in range(len(row))] for row in rows_of(x)]


@SETTINGS
@given(tables(st.floats(-5, 5), most=8), st.integers(1, 8))
def test_what_is_kept_are_the_places_of_top_k(x, k):
    k = min(k, x.shape[-1])
    expected = numpy.zeros_like(x)
    numpy.put_along_axis(expected, ops.top_k(x, k=k).array, 1.0, axis=-1)
    assert ops.keep_top_k(x, k=k).array.tolist() == expected.tolist()


def test_masked_scores_may_be_marked():
    x = ops.mask(w.given([0.5, 0.1, 0.9, 0.7]), w.constant([1, 0, 0, 1]))
    assert ops.keep_top_k(x, k=3).array.tolist() == [1, 1, 0, 1]


# -- the largest that reach p ----------------------------------------------------------------


def nucleus(row, p):
    """Sort, add up until p is reached."""
    marks, total = [0.0] * len(row), Fraction(0)
    for place in by_size(row):
        if total >= Fraction(p):
            break
        marks[place] = 1.0
        total += Fraction(row[place])
    return marks


@SETTINGS
@given(shares(), st.integers(1, PARTS))
def test_the_largest_shares_are_kept_until_they_reach_p(x, parts):
    p = parts / PARTS
    kept = ops.keep_top_p(x, p=p).array
    assert rows_of(kept) == [nucleus(row, p) for row in rows_of(x)]
    assert kept.max(axis=-1).min() == 1


@SETTINGS
@given(tables(st.floats(-4, 4), most=8), st.floats(0.01, 0.99))
def test_hugging_face_cuts_the_same_tokens(logits, p):
    """Their way, written anew: sorted upwards, those go that together do not exceed 1 - p. The rows are
    turned round, so that of equal ones the first stays.
    """
    probabilities = torch.softmax(torch.tensor(logits), dim=-1)
    upwards, places = probabilities.flip(-1).sort(dim=-1, stable=True)
    total = upwards.cumsum(dim=-1)
    if torch.any((total - (1 - p)).abs() < 1e-12):
        return  # two ways to add up may disagree about the last digit
    stays = total > 1 - p
    stays[..., -1] = True
    expected = torch.zeros_like(probabilities).scatter(-1, places, stays.double()).flip(-1)
    assert ops.keep_top_p(probabilities.numpy(), p=p).array.tolist() == expected.tolist()


@pytest.mark.parametrize("p", [0, 0.0, -0.1, 1.01, 2])
def test_p_is_above_0_and_up_to_1(p):
    with pytest.raises(CallError, match="a number above 0 and up to 1"):
        ops.keep_top_p(numpy.array([0.5, 0.5]), p=p)


def test_p_may_be_the_whole():
    assert ops.keep_top_p(numpy.array([0.25, 0.5, 0.0, 0.25]), p=1).array.tolist() == [1, 1, 0, 1]


# -- drawing ---------------------------------------------------------------------------------


@SETTINGS
@given(shares(), st.data())
def test_the_first_place_is_drawn_where_the_total_is_above(x, data):
    rows = rows_of(x)
    drawn = data.draw(st.lists(st.integers(0, PARTS - 1), min_size=len(rows), max_size=len(rows)))
    numbers = numpy.reshape(numpy.array(drawn) / PARTS, x.shape[:-1])
    places = ops.draw_by_share(x, numbers).array
    assert places.dtype == numpy.int64
    for row, number, place in zip(rows, numbers.ravel(), places.ravel(), strict=True):
        total = sum(Fraction(share) for share in row[:place])
        assert total <= number < total + Fraction(row[place])


@SETTINGS
@given(tables(st.floats(-4, 4), most=8), st.integers(0, 2**40))
def test_torch_finds_the_same_place(logits, seed):
    probabilities = torch.softmax(torch.tensor(logits), dim=-1)
    drawn = Draws(seed).uniform((1, *logits.shape[:-1]))[0]
    column = torch.tensor(drawn).reshape(*logits.shape[:-1], 1)
    expected = torch.searchsorted(probabilities.cumsum(dim=-1), column, right=True).squeeze(-1)
    expected = expected.clamp(max=logits.shape[-1] - 1)
    assert ops.draw_by_share(probabilities.numpy(), numpy.asarray(drawn)).array.tolist() == expected.tolist()


def test_places_are_drawn_as_often_as_their_shares_say():
    x = numpy.array([0.5, 0.0, 0.125, 0.375])
    places = ops.draw_by_share(numpy.tile(x, (4000, 1)), Draws(3).uniform(4000)).array
    often = numpy.bincount(places, minlength=4) / 4000
    assert often[1] == 0
    assert numpy.abs(often - x).max() < 0.03


@pytest.mark.parametrize("drawn", [0.9985, 0.9999999, numpy.nextafter(1.0, 0.0), 1.0])
def test_where_rounding_leaves_a_gap_the_last_share_is_taken(drawn):
    x = numpy.array([0.0, 0.333, 0.333, 0.332, 0.0])
    assert ops.draw_by_share(x, numpy.array(drawn)).array == 3


def test_a_place_without_a_share_is_never_drawn():
    x = numpy.array([0.0, 0.5, 0.0, 0.5, 0.0])
    assert [int(ops.draw_by_share(x, numpy.array(drawn)).array) for drawn in (0.0, 0.25, 0.5, 0.75)] == [1, 1, 3, 3]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_library_draws_the_same(dtype):
    logits = Draws(5).normal((3, 4, 9)).astype(dtype)
    numbers = Draws(6).uniform((3, 4)).astype(dtype)
    x = ops.softmax(logits).array
    expected = ops.draw_by_share(x, numbers).array.tolist()
    strict = ops.draw_by_share(array_api_strict.asarray(x), array_api_strict.asarray(numbers)).array
    assert numpy.asarray(strict).tolist() == expected
    assert ops.draw_by_share(torch.tensor(x), torch.tensor(numbers)).array.tolist() == expected


# -- what is refused -------------------------------------------------------------------------

REFUSED = {
    "no row": (lambda: ops.keep_top_k(numpy.array(1.0), k=1), ShapeError, "this one has 0 axes"),
    "none kept": (lambda: ops.keep_top_k(numpy.ones(3), k=0), CallError, "k of keep_top_k cannot be 0"),
    "no row of shares": (lambda: ops.keep_top_p(numpy.array(1.0), p=0.5), ShapeError, "this one has 0 axes"),
    "scores for shares": (lambda: ops.keep_top_p(numpy.array([2.0, -1.0]), p=0.5), NumberError, "-1 .* below 0"),
    "a cut row": (
        lambda: ops.keep_top_p(numpy.array([[0.5, 0.5], [0.6, 0.3]]), p=0.5),
        NumberError,
        r"row \[1\] sum to 0.9, not to 1",
    ),
    "too much": (lambda: ops.draw_by_share(numpy.array([0.6, 0.5]), numpy.array(0.1)), NumberError, "sum to 1.1"),
    "whole shares": (lambda: ops.draw_by_share(numpy.array([1, 0]), numpy.array(0.1)), NumberError, "real numbers"),
    "a share below 0": (
        lambda: ops.draw_by_share(numpy.array([1.1, -0.1]), numpy.array(0.1)),
        NumberError,
        r"probability -0.1 \(entry \[1\]\)",
    ),
    "nothing to draw from": (
        lambda: ops.draw_by_share(numpy.array(1.0), numpy.array(0.1)),
        ShapeError,
        "draw_by_share needs .* this one has 0 axes",
    ),
    "one number for two rows": (
        lambda: ops.draw_by_share(numpy.full((2, 2), 0.5), numpy.array(0.1)),
        ShapeError,
        r"Each row needs one drawn number: the rows are \(2,\), the numbers \(\)",
    ),
    "two numbers for one row": (
        lambda: ops.draw_by_share(numpy.full(2, 0.5), numpy.array([0.1, 0.2])),
        ShapeError,
        r"Each row needs one drawn number: the rows are \(\), the numbers \(2,\)",
    ),
    "one number for each batch": (
        lambda: ops.draw_by_share(numpy.full((2, 3, 2), 0.5), numpy.array([0.1, 0.2])),
        ShapeError,
        r"the rows are \(2, 3\), the numbers \(2,\)",
    ),
    "a drawn number below 0": (
        lambda: ops.draw_by_share(numpy.full((2, 2), 0.5), numpy.array([0.2, -0.1])),
        NumberError,
        r"drawn number -0.1 \(entry \[1\]\) is not between 0 and 1",
    ),
    "a drawn number above 1": (
        lambda: ops.draw_by_share(numpy.full(2, 0.5), numpy.array(1.01)),
        NumberError,
        "drawn number 1.01",
    ),
    "a bound for nothing": (lambda: ops.first_above(numpy.array(1.0), numpy.array(0.1)), ShapeError, "has 0 axes"),
    "bounds for columns": (
        lambda: ops.first_above(numpy.ones((2, 3)), numpy.ones(3)),
        ShapeError,
        "Each row needs one bound: the rows are 2, the bounds 3",
    ),
    "one bound for two rows": (
        lambda: ops.first_above(numpy.ones((2, 3)), numpy.array(0.1)),
        ShapeError,
        "the rows are 2, the bounds one number",
    ),
    "whole numbers": (
        lambda: ops.first_above(numpy.arange(3), numpy.array(1.0)),
        NumberError,
        "x must be real numbers",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_chosen_from_is_refused_with_what_to_try(case):
    call, kind, what = REFUSED[case]
    with pytest.raises(kind, match=what) as error:
        call()
    assert error.value.hint.endswith(".")


@pytest.mark.parametrize("total", [0.98, 1.02])
def test_shares_that_were_rounded_by_hand_are_taken(total):
    row = numpy.array([0.5, total - 0.5])
    assert ops.keep_top_p(row, p=0.4).array.tolist() == [float(total <= 1), float(total > 1)]
    with pytest.raises(NumberError):
        ops.keep_top_p(row + numpy.array([0.0, 0.03 if total > 1 else -0.03]), p=0.4)


# -- by hand ---------------------------------------------------------------------------------


def test_of_equal_entries_those_before_are_crossed_out():
    with w.Trace() as trace:
        ops.keep_top_k(w.given([0.9, 0.8, -0.4, 0.8, 0.8], "vocab", name="x"), k=2, name="y")
    assert "first position of x[3] in x[0], x[3], x[4], x[2] without 1 =" in str(trace["y"].cell(3))
    assert "first position of x[1] in x[0], x[1], x[3], x[4], x[2] =" in str(trace["y"].cell(1))


def test_before_the_largest_share_there_is_nothing():
    with w.Trace() as trace:
        ops.keep_top_p(w.given([0.2, 0.5, 0.3], "vocab", name="x"), p=0.9, name="y")
    assert str(trace["y"].cell(1)) == "y[1] = [0.9 > 0] = 1"
    assert str(trace["y"].cell(0)) == "before = x[1] + x[2] = 0.5 + 0.3 = 0.8\ny[0] = [0.9 > before] = [0.9 > 0.8] = 1"


# -- the whole way in a trace ----------------------------------------------------------------


@pytest.mark.parametrize("precision", ["float64", "float32", "calculator 3 significant", "calculator 2 decimals"])
def test_every_number_of_a_choice_can_be_worked_out_by_hand(precision):
    with w.Trace(precision=precision) as trace:
        logits = w.given([1.2, -0.4, 0.9, 2.1, 0.0, 1.2], "vocab", name="logits")
        tempered = ops.divide_by(logits, divisor=0.8, name="tempered")
        top = ops.mask(tempered, ops.keep_top_k(tempered, k=4, name="top"), name="cut")
        kept = ops.keep_top_p(ops.softmax(top), p=0.8, name="kept")
        shares = ops.softmax(ops.mask(top, kept), name="shares")
        drawn = w.random(0.75, name="drawn")
        ops.draw_by_share(shares, drawn, name="chosen")
    assert trace["top"].value.tolist() == [1, 0, 1, 1, 0, 1]
    assert trace["kept"].value.tolist() == [1, 0, 0, 1, 0, 1]
    assert trace["chosen"].value == 3
    assert trace["chosen"].value == trace["chosen.place"].value
    tolerance = 0 if precision.startswith("calculator") else 1e-6
    for what, hand, at, expected in hand_calculations(trace.recording):
        got = work_out(hand, trace.recording.arithmetic.value_of)[-1].value
        assert not is_off(got, expected, tolerance), (what, at, got, expected)


@pytest.mark.parametrize(("row", "drawn"), [([0.1, 0.2, 0.7], 0.3), ([0.0123, 0.456, 0.532], 0.468)])
def test_a_calculator_draws_by_the_totals_that_it_wrote_down(row, drawn):
    """In floating point 0.1 + 0.2 is above 0.3, and 0.0123 + 0.456 is rounded nowhere."""
    assert ops.draw_by_share(numpy.array(row), numpy.array(drawn)).array == 1
    with w.Trace(precision="calculator 3 significant") as trace:
        ops.draw_by_share(w.given(row, "vocab"), w.random(drawn, name="drawn"), name="chosen")
    assert trace["chosen.running"].value[1] == drawn
    assert trace["chosen"].value == 2


def test_a_calculator_keeps_by_the_totals_that_it_wrote_down():
    row = numpy.array([0.7, 0.1, 0.1, 0.1])
    assert ops.keep_top_p(row, p=0.8).array.tolist() == [1, 1, 1, 0]  # in floating point 0.7 + 0.1 is below 0.8
    with w.Trace(precision="calculator 3 significant"):
        assert ops.keep_top_p(w.given(row, "vocab"), p=0.8).array.tolist() == [1, 1, 0, 0]
