"""One number, as somebody wrote it."""

import math
import time
from contextlib import suppress

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from workings.engine.errors import InputError, WorkingsError
from workings.practice.answers.number import is_blank, read_number

SETTINGS = settings(deadline=None, derandomize=True, database=None)

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SIGNS = st.text(alphabet="0123456789.,-+−–eE/%^*·×{}\\fracinftymes_?= \u2009\u202f⁻³", max_size=30)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1.25", 1.25, 0.01),
        ("0,0071", 0.0071, 1e-4),
        ("12", 12, 1),
        ("1200", 1200, 1),
        ("+.5", 0.5, 0.1),
        ("7.", 7, 1),
        ("−0.50", -0.5, 0.01),
        ("- 3", -3, 1),
        ("1.2e-3", 1.2e-3, 1e-4),
        ("1,2·10^-3", 1.2e-3, 1e-4),
        (r"1.2 \times 10^{-3}", 1.2e-3, 1e-4),
        ("1.2*10^-3", 1.2e-3, 1e-4),
        ("1.2 * 10**-3", 1.2e-3, 1e-4),
        ("1.2 × 10⁻³", 1.2e-3, 1e-4),
        ("1.2 x 10^-3", 1.2e-3, 1e-4),
        ("1,2x10^-3", 1.2e-3, 1e-4),
        ("1.2 X 10⁻³", 1.2e-3, 1e-4),
        ("10^{-3}", 1e-3, 1e-3),
        ("25 %", 0.25, 0.01),
        ("2,50%", 0.025, 1e-4),
        (r"25\%", 0.25, 0.01),
        ("3/8", 0.375, 0),
        ("-1/4", -0.25, 0),
        ("1/1.25", 0.8, pytest.approx(0.01 * 0.8 / 1.25)),
        ("0,5 / 2", 0.25, pytest.approx(0.1 / 2)),
        (r"-\frac{3}{8}", -0.375, 0),
        (r"$\tfrac{1}{3}$", 1 / 3, 0),
        ("inf", math.inf, 0),
        ("−∞", -math.inf, 0),
        (r"-\infty", -math.inf, 0),
        ("1\u2009234.5", 1234.5, 0.1),
        ("0.123\u202f456", 0.123456, 1e-6),
        (r"1\,234", 1234, 1),
        ("1,234", 1.234, 1e-3),
        ("1{,}5", 1.5, 0.1),
        ("１２", 12, 1),
        ("≈ 0.5", 0.5, 0.1),
        ("= 0.5", 0.5, 0.1),
        ("-0", 0, 1),
        ("1e999", math.inf, 0),
    ],
)
def test_a_number_is_read_with_the_unit_of_its_last_digit(text, value, unit):
    found = read_number(text)
    assert found is not None
    assert (found.text, found.value, found.unit) == (text, value, unit)


def test_what_is_not_a_number_may_be_written_as_such():
    assert math.isnan(read_number("NaN").value)


@pytest.mark.parametrize(
    "text", ["", "  ", "-", "–", "?", "??", "_", "____", "_ _", "…", "...", "null", "n/a", r"\_\_"]
)
def test_a_blank_is_not_a_zero(text):
    assert is_blank(text)
    assert read_number(text) is None


def test_none_is_a_blank_number_and_a_set_without_positions():
    assert read_number("None") is None
    assert not is_blank("none")


@pytest.mark.parametrize(
    ("text", "digits"),
    [("12", 2), ("0.0071", 2), ("0.00710", 3), ("1.20e-3", 3), ("100", 3), ("0", 1), ("0.000", 3), ("25 %", 2)],
)
def test_leading_zeros_are_no_digits_and_trailing_ones_are(text, digits):
    assert read_number(text).digits == digits


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("two", "'two' is not a number."),
        ("0.5 cm", "'0.5 cm' is not a number."),
        ("1 2", "'1 2' is not a number."),
        (",", "',' is not a number."),
        ("1,", "'1,' is not a number."),
        ("1e", "'1e' is not a number."),
        ("2^10", "'2^10' is not a number."),
        ("10^10^10", "'10^10^10' is not a number."),
        ("1,234.5", "'1,234.5' has more than one decimal sign."),
        ("1.234.567", "'1.234.567' has more than one decimal sign."),
        ("1/0", "'1/0' divides by 0."),
        ("1e99999999", "'1e99999999' is outside the range of numbers."),
        ("1e-99999999", "'1e-99999999' is outside the range of numbers."),
        (f"{'9' * 350}/1", "is outside the range of numbers."),
        ("9" * 10_000, "has 10000 characters, too many for one number."),
        ("=A1*2", "This cell contains a formula whose value is not stored in the file: open the file"),
        ("2026-03-08 00:00:00", "'2026-03-08 00:00:00' is a date."),
        ("\x1b[31mred", "' [31mred' is not a number."),
    ],
)
def test_what_is_no_number_is_refused_in_a_sentence(text, said):
    with pytest.raises(InputError) as refused:
        read_number(text)
    assert said in str(refused.value)
    assert "\n  try:   " in str(refused.value)


def test_absurd_numbers_are_refused_at_once():
    start = time.perf_counter()
    for text in ("9" * 10_000_000, "1e" + "9" * 390, "10^" * 100, "1/" + "0" * 390):
        with pytest.raises(InputError):
            read_number(text)
    assert time.perf_counter() - start < 0.5


def check(text, unit):
    for written in (text, text.replace(".", ",")):
        found = read_number(written)
        assert found.value == float(text)
        assert found.unit == pytest.approx(unit, rel=1e-12)


@SETTINGS
@given(FINITE)
@example(5e-324)
@example(1.7976931348623157e308)
def test_every_float_comes_back(value):
    text = repr(value)
    mantissa, _, power = text.partition("e")
    check(text, max(float(f"1e{int(power or 0) - len(mantissa.partition('.')[2])}"), 5e-324))


@SETTINGS
@given(FINITE)
@example(1e308)
def test_every_number_with_four_decimals_comes_back(value):
    check(f"{value:.4f}", 1e-4)


@SETTINGS
@given(FINITE)
@example(5e-324)
def test_every_number_in_powers_of_ten_comes_back(value):
    text = f"{value:.3e}"
    assume(math.isfinite(float(text)))  # the largest float of all is rounded up
    unit = max(float(f"1e{int(text.partition('e')[2]) - 3}"), 5e-324)
    check(text, unit)
    mantissa, _, power = text.partition("e")
    for written in (f"{mantissa} × 10^{{{int(power)}}}", rf"{mantissa} \cdot 10^{{{int(power)}}}"):
        assert (read_number(written).value, read_number(written).unit) == (float(text), unit)
    assert read_number(text).digits == (4 if float(text) else 3)


@SETTINGS
@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9))
def test_every_fraction_comes_back(above, below):
    for text in (f"{above}/{below}", rf"\frac{{{above}}}{{{below}}}"):
        assert read_number(text).value == above / below
        assert read_number(text).unit == 0


@SETTINGS
@given(st.one_of(st.text(), SIGNS))
def test_no_text_does_more_harm_than_a_refusal(text):
    with suppress(WorkingsError):
        found = read_number(text)
        assert (found is None) >= is_blank(text)
        assert found is None or found.digits >= 1
