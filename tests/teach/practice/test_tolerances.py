"""How far an entry may be off: judged by Python's decimal, which knows nothing of the trace."""

import random
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest

import workings as w
from workings.teach.practice.exercise import exercise
from workings.teach.practice.tolerance import Rounding, half_unit, is_short
from workings.teach.practice.variant import find_variant

DIGITS = 4
HALVES = {"up": Context(prec=DIGITS, rounding=ROUND_HALF_UP), "even": Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)}


def tenths(draw):
    """A short number that is not 0."""
    return Decimal(draw.choice([number for number in range(-15, 16) if number])) / 10


def rounding_of(trace):
    named = {step.id for step in trace.recording.steps.values()}
    return Rounding(trace.recording, DIGITS, lambda id, index: id in named)


def test_half_a_unit_of_the_last_digit():
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


def test_a_short_number_is_one_that_the_digits_write():
    assert [is_short(value, 3) for value in (0.125, 1250.0, 0.1 + 0.2, 0.0, float("-inf"))] == [True] * 5
    assert [is_short(value, 3) for value in (1 / 3, 0.1251, 1251.0)] == [False] * 3


def test_one_line_from_short_numbers_is_off_by_its_own_rounding_alone():
    with w.Trace() as trace:
        w.ops.matmul(w.given([[0.3, 0.7]], name="X"), w.parameter([[0.9], [1.1]], name="W"), name="Q")
    assert rounding_of(trace).tolerance(trace.find_step("Q"), (0, 0)) == half_unit(1.04, DIGITS)


def test_what_is_rounded_before_counts_as_strongly_as_it_is_multiplied():
    with w.Trace() as trace:
        third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
        w.ops.mul(third, w.given(7.0, name="seven"), name="product")
    found = rounding_of(trace).tolerance(trace.find_step("product"), ())
    assert found == pytest.approx(half_unit(7 / 3, DIGITS) + 7 * half_unit(1 / 3, DIGITS), rel=1e-12)


@pytest.mark.parametrize("half", HALVES)
def test_two_products_one_after_the_other_stay_within_the_tolerance_and_nearly_reach_it(half):
    """Q = X W is written down rounded, and s = Q v is worked out from what was written; both by decimal."""
    context, draw, nearest = HALVES[half], random.Random(5), 0.0
    for _ in range(300):
        x, v = [[tenths(draw) for _ in range(3)] for _ in range(2)]
        matrix = [[tenths(draw) / 7 for _ in range(3)] for _ in range(3)]
        matrix = [[entry.quantize(Decimal("0.001")) for entry in row] for row in matrix]
        with w.Trace() as trace:
            q = w.ops.matmul(w.given([[*map(float, x)]], name="X"), w.parameter(_floats(matrix), name="W"), name="Q")
            w.ops.matmul(q, w.parameter([[float(entry)] for entry in v], name="v"), name="s")
        exact = [sum(Fraction(x[row]) * Fraction(matrix[row][column]) for row in range(3)) for column in range(3)]
        written = [_rounded(value, context) for value in exact]
        true = sum(value * Fraction(factor) for value, factor in zip(exact, v, strict=True))
        answer = _rounded(
            sum(Fraction(value) * Fraction(factor) for value, factor in zip(written, v, strict=True)), context
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
def test_whoever_rounds_every_line_of_a_twin_is_right_at_every_step(name):
    """Step by step: a line is worked out by calculator from what stands rounded before it, as is its expectation."""
    variant = find_variant(exercise(name).trace, 5, DIGITS)
    by_hand = variant.trace.in_precision(f"calculator {DIGITS} significant")
    written = {}
    for step in variant.slips.told:
        if step in variant.steps:
            expected = variant.trace.replay(values=written)[step.path].value
            gap = abs(by_hand[step.path].value - expected)
            finite = gap == gap  # hidden scores are -∞ on both sides
            assert (gap[finite] <= variant.tolerances[step.path][finite] * 1.001 + 1e-12).all(), step.path
        if step.op is not None and step.path in by_hand:
            written[step.path] = by_hand[step.path].value
