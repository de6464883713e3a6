"""Precision: rounding as people do it, judged by `decimal`, and calculators that never write a digit too many."""

import math
from decimal import ROUND_DOWN, Decimal, localcontext
from fractions import Fraction

import numpy
import pytest
from graphs import bits
from hypothesis import example, given, settings
from hypothesis import strategies as some
from small_traces import attention_training

import workings as w
from workings import ops
from workings.engine.arithmetic import Calculator, Float, arithmetic
from workings.engine.errors import PrecisionError
from workings.engine.hand import Literal
from workings.engine.rounding import decimal_of, round_float, rounded

MANY = settings(max_examples=150, deadline=None, derandomize=True, database=None)
PLAIN_NUMBERS = some.floats(min_value=-1e15, max_value=1e15).filter(lambda x: not x or abs(x) > 1e-15)
DIGITS = some.integers(1, 12)
UNITS = some.sampled_from(["significant", "decimals"])


# -- an independent implementation -----------------------------------------------------------


def size_of(number):
    """The place of the first digit that is not 0: 2 for 345, -1 for 0.2."""
    place = 0
    while abs(number) >= Fraction(10) ** (place + 1):
        place += 1
    while abs(number) < Fraction(10) ** place:
        place -= 1
    return place


def half_away(number, place):
    """A fraction rounded to a multiple of 10^place, halves away from zero."""
    unit = Fraction(10) ** place
    count = math.floor(abs(number) / unit + Fraction(1, 2))
    return count * unit if number > 0 else -count * unit


def by_the_book(number, digits, unit):
    """Twelve significant digits first, then as many as are asked for; in exact fractions."""
    if not number:
        return Fraction(0)
    guarded = half_away(number, size_of(number) - 11)
    return half_away(guarded, -digits if unit == "decimals" else size_of(guarded) - digits + 1)


@MANY
@given(number=PLAIN_NUMBERS, digits=DIGITS, unit=UNITS)
@example(number=0.205, digits=2, unit="decimals")
@example(number=9.9996, digits=4, unit="significant")
@example(number=-0.0004, digits=3, unit="decimals")
@example(number=999999999999.5, digits=12, unit="significant")
def test_rounding_is_what_exact_fractions_give(number, digits, unit):
    expected = by_the_book(Fraction(repr(number)), digits, unit)
    assert Fraction(rounded(decimal_of(number), digits, unit)) == expected
    assert round_float(number, digits, unit) == float(expected)


@MANY
@given(number=PLAIN_NUMBERS, digits=DIGITS, unit=UNITS)
def test_rounding_twice_changes_nothing_and_signs_do_not_matter(number, digits, unit):
    once = round_float(number, digits, unit)
    assert round_float(once, digits, unit) == once
    assert round_float(-number, digits, unit) == -once


@MANY
@given(count=some.integers(-(10**6), 10**6), digits=some.integers(1, 4))
def test_a_half_that_is_typed_goes_away_from_zero(count, digits):
    """0.205, 2.5, -0.0125: whatever their binary form is."""
    half = Decimal(10 * count + (5 if count >= 0 else -5)).scaleb(-digits - 1)
    away = Decimal(count + (1 if count >= 0 else -1)).scaleb(-digits)
    assert rounded(decimal_of(float(half)), digits, "decimals") == away
    assert round_float(float(half), digits, "decimals") == float(away)


@pytest.mark.parametrize(
    ("number", "digits", "unit", "expected"),
    [
        (0.205, 2, "decimals", 0.21),
        (-0.205, 2, "decimals", -0.21),
        (2.675, 2, "decimals", 2.68),
        (1.005, 2, "decimals", 1.01),
        (0.1 + 0.2, 12, "significant", 0.3),
        (1.15 * 3, 2, "significant", 3.5),
        (0.28 * 0.25 * 5, 1, "decimals", 0.4),  # 0.35000000000000003
        (1234.5, 4, "significant", 1235.0),
        (12345678.0, 3, "significant", 12300000.0),
        (0.00012345, 4, "significant", 0.0001235),
        (0.00012345, 4, "decimals", 0.0001),
        (999.96, 4, "significant", 1000.0),
        (1e300, 3, "decimals", 1e300),
        (5e-324, 3, "significant", 5e-324),
        (5e-324, 3, "decimals", 0.0),
        (-0.0, 3, "decimals", 0.0),
        (float("-inf"), 3, "decimals", float("-inf")),
    ],
)
def test_rounding_of_telling_numbers(number, digits, unit, expected):
    result = round_float(number, digits, unit)
    assert result == expected
    assert math.copysign(1, result) == math.copysign(1, expected)


def test_not_a_number_stays_what_it_is():
    assert math.isnan(round_float(float("nan"), 3, "decimals"))


# -- the calculator --------------------------------------------------------------------------


@MANY
@given(
    rows=some.lists(some.tuples(some.integers(-9999, 9999), some.integers(-9999, 9999)), min_size=1, max_size=5),
    digits=some.integers(1, 6),
    unit=UNITS,
)
def test_a_dot_product_is_one_line_and_rounded_once(rows, digits, unit):
    left, right = ([Decimal(n).scaleb(-3) for n in column] for column in zip(*rows, strict=True))
    a, b = ([float(rounded(n, digits, unit)) for n in numbers] for numbers in (left, right))
    with w.Trace(precision=f"calculator {digits} {unit}") as trace:
        ops.matmul(w.given([a], "token model"), w.given([[n] for n in b], "model hidden"), name="y")
    exact = sum((Fraction(repr(x)) * Fraction(repr(y)) for x, y in zip(a, b, strict=True)), Fraction(0))
    assert trace["y"].value[0, 0] == float(by_the_book(exact, digits, unit))


@MANY
@given(number=some.integers(-40000, 40000), digits=some.integers(2, 8))
def test_a_power_of_e_is_the_rounded_true_one(number, digits):
    power = number / 10000
    with w.Trace(precision=f"calculator {digits} significant") as trace:
        ops.exp(w.given([power], "token", name="x"), name="y")
    with localcontext() as context:
        context.prec = 40
        true = Decimal(repr(float(trace["x"].value[0]))).exp()
    assert trace["y"].value[0] == float(by_the_book(Fraction(true), digits, "significant"))


def digits_of(number):
    """How many significant digits and how many decimals a float has when it is written out."""
    _, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    return len(digits), max(0, -exponent)


@pytest.mark.parametrize("count", [2, 3, 4, 6, 12])
@pytest.mark.parametrize("unit", ["significant", "decimals"])
def test_a_calculator_never_writes_a_digit_too_many(count, unit):
    trace = attention_training(f"calculator {count} {unit}")
    for step in trace:
        if step.value.dtype.kind != "f":
            continue
        for number in step.value.ravel():
            assert digits_of(number)[unit == "decimals"] <= count, step.path
            assert not (number == 0 and numpy.signbit(number)), step.path


@pytest.mark.parametrize("count", [2, 4])
def test_inside_a_composite_every_line_is_rounded_too(count):
    trace = attention_training(f"calculator {count} significant")
    for step in trace["step1.attention.weights"].inside:
        assert all(digits_of(number)[0] <= count for number in step.value.ravel())


@pytest.mark.parametrize("precision", ["float64", "calculator 3 decimals"])
def test_a_row_of_one_entry_is_worked_out_too(precision):
    with w.Trace(precision=precision) as trace:
        ops.softmax(w.given([[0.7]], "query key", name="x"), name="P")
    assert trace["P"].value.tolist() == [[1.0]]
    assert trace["P"].cell(0, 0).lines[0].value.value == 0.7


def test_whole_numbers_are_not_rounded():
    with w.Trace(precision="calculator 2 significant") as trace:
        ops.lookup(w.given(numpy.ones((1500, 1)), "vocab model"), w.ids([1234], name="tokens"))
    assert trace["tokens"].value.tolist() == [1234]


def test_a_number_of_the_method_is_not_rounded_but_a_given_one_is():
    with w.Trace(precision="calculator 2 significant") as trace:
        x = w.given([1234.0, 0.98765], "token", name="x")
        ops.scale(x, factor=1.2345, name="scaled")
        (1.0625 - x)
    assert trace["x"].value.tolist() == [1200.0, 0.99]
    assert trace["scaled"].value.tolist() == [1500.0, 1.2]  # 1200 × 1.2345 = 1481.4
    assert trace["sub"].value.tolist() == [-1200.0, 0.073]  # 1.0625 − 0.99 = 0.0725


def test_more_digits_come_closer_to_floating_point():
    exact = attention_training()["step2.loss"].value
    errors = [abs(attention_training(f"calculator {n} significant")["step2.loss"].value - exact) for n in (2, 4, 6, 9)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-7


def test_the_loss_falls_from_three_decimals_on():
    """The fewest digits at which one step of training still shows what it is to show."""
    fell = []
    for count in (1, 2, 3, 4, 5):
        trace = attention_training(f"calculator {count} decimals")
        fell.append(bool(trace["step2.loss"].value < trace["step1.loss"].value))
    assert fell[-3:] == [True, True, True]


# -- floating point --------------------------------------------------------------------------


def test_float32_is_float32_in_every_step():
    for step in attention_training("float32"):
        assert step.value.dtype in (numpy.float32, numpy.int64), step.path


def test_float64_computes_with_what_it_is_given():
    with w.Trace() as trace:
        ops.exp(w.given(numpy.array([0.1], dtype="float32"), name="x"), name="y")
    assert trace["y"].value.dtype == numpy.float32


def test_a_leaf_is_narrowed_once():
    with w.Trace(precision="float32") as trace:
        ops.neg(w.given([0.1], name="x"), name="y")
    assert bits(trace["y"].value) == bits(-numpy.array([0.1], dtype="float32"))


# -- the words -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "digits", "unit"),
    [
        ("calculator 4 significant", 4, "significant"),
        ("calculator 1 decimal", 1, "decimals"),
        ("calculator 12 decimals", 12, "decimals"),
        ("  calculator 3 decimals ", 3, "decimals"),
    ],
)
def test_a_calculator_by_its_words(text, digits, unit):
    found = arithmetic(text)
    assert isinstance(found, Calculator)
    assert (found.digits, found.unit, found.precision) == (digits, unit, f"calculator {digits} {unit}")
    assert arithmetic(found.precision).precision == found.precision


@pytest.mark.parametrize("text", ["float64", "float32"])
def test_floating_point_by_its_word(text):
    assert type(arithmetic(text)) is Float
    assert w.Trace(precision=text).precision == text


@pytest.mark.parametrize("text", ["calculator -1 decimals", "calculator 2.5 decimals", "calculator 3", "double", "4"])
def test_other_words_are_refused(text):
    with pytest.raises(PrecisionError) as raised:
        arithmetic(text)
    assert text in raised.value.what


@MANY
@given(number=PLAIN_NUMBERS)
def test_the_decimal_of_a_float_is_the_one_that_is_written(number):
    assert float(decimal_of(number)) == number
    assert str(decimal_of(number).normalize()) == str(Decimal(repr(number)).normalize())


@MANY
@given(a=PLAIN_NUMBERS, b=PLAIN_NUMBERS, digits=DIGITS, unit=UNITS)
def test_one_line_on_a_calculator_is_worked_out_exactly_and_rounded_once(a, b, digits, unit):
    calculator = Calculator(digits, unit)
    one, other = Fraction(repr(a)), Fraction(repr(b))
    assert calculator.value_of(Literal(a) + Literal(b)) == float(by_the_book(one + other, digits, unit))
    assert calculator.value_of(Literal(a) * Literal(b)) == float(by_the_book(one * other, digits, unit))
    with localcontext(prec=60, rounding=ROUND_DOWN):
        if b:
            quotient = Fraction(decimal_of(a) / decimal_of(b))
            assert calculator.value_of(Literal(a) / Literal(b)) == float(by_the_book(quotient, digits, unit))
