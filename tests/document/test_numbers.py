"""Numbers on a page: how many digits, which ones, and where the point is."""

import math
from fractions import Fraction

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.document.numbers import ALL_DIGITS, PLAIN, Style, aligned, apart, is_whole, write

settings.register_profile("busy machine", deadline=None)
settings.load_profile("busy machine")

FINITE = st.floats(allow_nan=False, allow_infinity=False)
USUAL = st.floats(min_value=-1e6, max_value=1e6).filter(lambda x: x == 0 or abs(x) > 1e-4)


def decimals(digits, **more):
    return Style(digits, "decimals", **more)


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (0.123456, PLAIN, "0.1235"),
        (12.3456, PLAIN, "12.35"),
        (-0.6931471805599453, PLAIN, "-0.6931"),
        (0.5, PLAIN, "0.5"),
        (0.25, Style(1), "0.3"),
        (1 / 3, Style(8), "0.33333333"),
        (1 / 3, decimals(2), "0.33"),
        (12345.678, decimals(2), "12345.68"),
        (0.004, decimals(2), "0.0"),
        (-0.004, decimals(2), "0.0"),
    ],
)
def test_digits_are_significant_or_decimals(value, style, text):
    assert write(value, style) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.205, 2, "0.21"),
        (-0.205, 2, "-0.21"),
        (2.675, 2, "2.68"),
        (0.5, 0, "1"),
        (1.005, 2, "1.01"),
        (0.15, 1, "0.2"),
    ],
)
def test_a_half_is_rounded_away_from_zero_whatever_its_binary_form(value, digits, text):
    assert write(value, decimals(digits)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.5e-7, "2.5e-07"),
        (-2.5e-7, "-2.5e-07"),
        (1e-5, "0.00001"),
        (1.2345678e-5, "0.00001235"),
        (5e-324, "5.0e-324"),
        (1.2345678e20, "1.235e+20"),
        (1.7976931348623157e308, "1.798e+308"),
        (1e15, "1000000000000000"),
        (1e16, "1.0e+16"),
        (9.99999, "10.0"),
        (9.99999e-6, "0.00001"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "nan"),
    ],
)
def test_tiny_huge_and_endless_numbers_have_a_form(value, text):
    assert write(value) == text


@pytest.mark.parametrize("value", [0.0, -0.0, 0, -1e-30])
def test_zero_has_no_sign(value):
    assert write(value, decimals(3)) in ("0.0", "0")


@pytest.mark.parametrize("value", [0, 3, -17, 10**20])
def test_integers_stay_integers(value):
    assert write(value) == str(value)
    assert write(value, Style(2, point=",")) == str(value)


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (-3.0, "-3"), (0.0, "0"), (-0.0, "0"), (2.5, "2.5"), (1e300, "1.0e+300")]
)
def test_whole_values_lose_their_point_when_the_style_says_so(value, text):
    assert write(value, Style(whole=True)) == text


@pytest.mark.parametrize(("value", "text"), [(1.0, "1.0"), (-12.0, "-12.0"), (1234.0, "1234.0"), (12346.0, "12346")])
def test_a_real_number_shows_its_point_as_long_as_it_is_short(value, text):
    assert write(value) == write(value, Style(exact=True)) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1304.3, 4, "1304"), (2.4, 1, "2"), (12.4, 2, "12"), (2.04, 2, "2.0"), (2.4e20, 1, "2e+20")],
)
def test_no_zero_replaces_a_digit_that_was_rounded_away(value, digits, text):
    assert write(value, Style(digits)) == text


def test_a_comma_may_be_the_decimal_sign():
    style = Style(point=",")
    assert [write(x, style) for x in (0.5, 0.0, -12.25, 2.5e-7, 3)] == ["0,5", "0,0", "-12,25", "2,5e-07", "3"]


@pytest.mark.parametrize("value", [0.123456789, 1 / 3, 1e-9, 12.5])
def test_an_exact_style_writes_every_digit(value):
    assert float(write(value, Style(2, exact=True))) == value


def test_below_the_dust_a_number_is_zero():
    style = Style(dust=1e-12)
    assert write(1e-13, style) == write(-1e-13, style) == "0.0"
    assert write(2e-12, style) == "2.0e-12"


@pytest.mark.parametrize(
    "value", [99999.5, 123456.7, 1234567890123.0, 1234567890123456.0, 9007199254740993.0, 9999999999999998.0]
)
def test_digits_before_the_point_are_never_rounded_away(value):
    rounded = math.floor(Fraction(value) + Fraction(1, 2))
    assert [write(value, Style(digits)) for digits in (1, 2, 4)] == [str(rounded)] * 3


@given(FINITE)
def test_seventeen_digits_give_the_number_back(x):
    assert float(write(x, Style(ALL_DIGITS))) == x
    assert float(write(x, Style(ALL_DIGITS, point=",")).replace(",", ".")) == x


def by_people(x: float, places: int) -> Fraction:
    """Half away from zero at a decimal place, from the digits that Python prints; after a guard of 12 digits."""
    exact = Fraction(repr(x))
    magnitude = 0
    while abs(exact) >= Fraction(10) ** (magnitude + 1):
        magnitude += 1
    while exact and abs(exact) < Fraction(10) ** magnitude:
        magnitude -= 1
    guarded = half_up(exact, 11 - magnitude)
    return half_up(guarded, places)


def half_up(x: Fraction, places: int) -> Fraction:
    scale = Fraction(10) ** places
    size = math.floor(abs(x) * scale + Fraction(1, 2)) / scale
    return size if x >= 0 else -size


@given(USUAL, st.integers(min_value=0, max_value=5))
def test_rounding_to_decimals_agrees_with_fractions(x, places):
    assert Fraction(write(x, decimals(places))) == by_people(x, places)


@given(st.integers(min_value=-99999, max_value=99999), st.integers(min_value=1, max_value=3))
def test_short_decimals_round_as_on_paper(number, places):
    x = float(f"{number}e-{places + 1}")  # one digit too many, often a 5
    assert Fraction(write(x, decimals(places))) == half_up(Fraction(number, 10 ** (places + 1)), places)


@given(USUAL, st.integers(min_value=1, max_value=9))
def test_rounding_to_significant_digits_is_off_by_half_a_unit_at_most(x, digits):
    written = Fraction(write(x, Style(digits)))
    unit = Fraction(10) ** (math.floor(math.log10(abs(x))) - digits + 1) if x else Fraction(1)
    # The guard may move a number by half a unit of its own before it is rounded.
    assert abs(written - Fraction(x)) <= min(unit, 1) * Fraction(501, 1000)


@given(st.floats(min_value=-1e300, max_value=1e300), st.integers(min_value=1, max_value=17))
def test_rounding_twice_is_rounding_once(x, digits):
    written = float(write(x, Style(digits)))
    assert float(write(written, Style(digits))) == written


@given(st.floats(min_value=-1e3, max_value=1e3), st.floats(min_value=-1e3, max_value=1e3), st.sampled_from([1, 2, 4]))
@settings(max_examples=200)
def test_two_different_values_never_look_equal(one, other, digits):
    for style in (Style(digits), decimals(digits), Style(digits, dust=1e-9)):
        wider = apart(one, other, style)
        assert (write(one, wider) == write(other, wider)) is (one == other)


def test_no_more_digits_are_added_than_needed():
    assert apart(0.50177, 0.50179) == Style(5)
    assert apart(0.5, 0.6) == PLAIN
    assert apart(0.5, 0.5) == PLAIN
    assert apart(1.0, 1.0 + 2**-52).digits == 17
    assert apart(1e-20, 2e-20, decimals(2)).exact


def test_decimal_points_line_up():
    assert aligned(["0.5", "-12.25", "3"]) == ["  0.5 ", "-12.25", "  3   "]
    assert aligned(["0,5", "-12,25"]) == ["  0,5 ", "-12,25"]
    assert aligned(["2.5e-07", "0.25", "inf"]) == ["  2.5e-07", "  0.25   ", "inf      "]
    assert aligned(["1", "-10"]) == ["  1", "-10"]
    assert aligned([]) == []


@given(st.lists(FINITE, min_size=1, max_size=6))
def test_aligning_changes_no_number_and_makes_all_equally_long(column):
    texts = [write(x) for x in column]
    lines = aligned(texts)
    assert [line.strip() for line in lines] == texts
    assert len({len(line) for line in lines}) == 1
    with_point = [line.index(".") for line in lines if "." in line]
    assert len(set(with_point)) <= 1


def test_an_array_is_whole_when_all_of_its_numbers_are():
    assert is_whole(numpy.asarray([1.0, -2.0]))
    assert is_whole(numpy.asarray([1, 2]))
    assert not is_whole(numpy.asarray([1.0, 2.5]))
    assert not is_whole(numpy.asarray([1e7]))
    assert not is_whole(numpy.ones(5000))
