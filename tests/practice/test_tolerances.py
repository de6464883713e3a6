"""Tolerances checked with Python's decimal, which knows nothing of the trace."""

import random
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest

import workings as w
from workings.practice.exercise import exercise
from workings.practice.tolerance import Rounding, half_unit, is_short
from workings.practice.variant import find_variant

DIGITS = 4
HALVES = {"up": Context(prec=DIGITS, rounding=ROUND_HALF_UP), "even": Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)}


def tenths(draw):
    """A short number that is not 0."""
    return Decimal(draw.choice([number for number in range(-15, 16) if number])) / 10


def rounding_of(trace):
    named = {step.id for step in trace.recording.steps.values()}
    return Rounding(trace.recording, DIGITS, lambda id, index: id in named)


def test_half_unit_of_the_last_digit():
    assert [half_unit(value, 3) for value in (0.1234, 25.0, -25.0, 999.9, 1.0, 0.0)] == [
        0.0005,
        0.05,
        0.05,
        0.5,
        0.005,
        0,
    ]
    assert half_unit(0.1 + 0.2 - 0.2, 3) == half_unit(0.1, 3)  # a hair below 0.1 is 0.1
    assert half_unit(float("inf"), 3) == 0


def test_short_number_is_written_exactly_by_the_digits():
    assert [is_short(value, 3) for value in (0.125, 1250.0, 0.1 + 0.2, 0.0, float("-inf"))] == [True] * 5
    assert [is_short(value, 3) for value in (1 / 3, 0.1251, 1251.0)] == [False] * 3


def test_line_from_short_numbers_has_only_its_own_rounding():
    with w.Trace() as trace:
        w.ops.matmul(w.given([[0.3, 0.7]], name="X"), w.parameter([[0.9], [1.1]], name="W"), name="Q")
    assert rounding_of(trace).tolerance(trace.find_step("Q"), (0, 0)) == half_unit(1.04, DIGITS)


def test_earlier_rounding_is_scaled_by_the_slope():
    with w.Trace() as trace:
        third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
        w.ops.mul(third, w.given(7.0, name="seven"), name="product")
    found = rounding_of(trace).tolerance(trace.find_step("product"), ())
    assert found == pytest.approx(half_unit(7 / 3, DIGITS) + 7 * half_unit(1 / 3, DIGITS), rel=1e-12)


@pytest.mark.parametrize("half", HALVES)
def test_chained_products_stay_within_the_tolerance_and_nearly_reach_it(half):
    """Q = X W is noted rounded, and s = Q v is computed from the note; both by decimal."""
    context, draw, nearest = HALVES[half], random.Random(5), 0.0
    for _ in range(300):
        x, v = [[tenths(draw) for _ in range(3)] for _ in range(2)]
        matrix = [[tenths(draw) / 7 for _ in range(3)] for _ in range(3)]
        matrix = [[entry.quantize(Decimal("0.001")) for entry in row] for row in matrix]
        with w.Trace() as trace:
            q = w.ops.matmul(w.given([[*map(float, x)]], name="X"), w.parameter(_floats(matrix), name="W"), name="Q")
            w.ops.matmul(q, w.parameter([[float(entry)] for entry in v], name="v"), name="s")
        exact = [sum(Fraction(x[row]) * Fraction(matrix[row][column]) for row in range(3)) for column in range(3)]
        noted = [_rounded(value, context) for value in exact]
        true = sum(value * Fraction(factor) for value, factor in zip(exact, v, strict=True))
        answer = _rounded(
            sum(Fraction(value) * Fraction(factor) for value, factor in zip(noted, v, strict=True)), context
        )
        tolerance = rounding_of(trace).tolerance(trace.find_step("s"), (0, 0))
        gap = abs(float(Fraction(answer) - true))
        assert gap <= tolerance * (1 + 1e-9) + 1e-15
        nearest = max(nearest, gap / tolerance)
    assert nearest > 0.6  # the tolerance is not simply wide


def _product(row, column):
    return sum(Fraction(left) * Fraction(right) for left, right in zip(row, column, strict=True))


def _floats(matrix):
    return [[float(entry) for entry in row] for row in matrix]


def _rounded(value, context):
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


@pytest.mark.parametrize("name", ["example-3", "cat-sleeps", "layer-norm", "multi-head", "adam"])
def test_rounding_every_line_stays_within_every_tolerance(name):
    """Each line and its expectation are computed from the rounded numbers before it."""
    variant = find_variant(exercise(name).trace, 5, DIGITS)
    by_hand = variant.trace.in_precision(f"calculator {DIGITS} significant")
    noted = {}
    for step in variant.mistakes.named_steps:
        if step in variant.steps:
            expected = variant.trace.replay(values=noted)[step.path].value
            gap = abs(by_hand[step.path].value - expected)
            finite = gap == gap  # hidden scores are -∞ on both sides
            assert (gap[finite] <= variant.tolerances[step.path][finite] * 1.001 + 1e-12).all(), step.path
        if step.op is not None and step.path in by_hand:
            noted[step.path] = by_hand[step.path].value
