"""The decimal table against mpmath, to 45 digits, and against the table of floating point."""

import math
from decimal import Decimal

import mpmath
import pytest
from loops import for_each

from workings.engine.hand_tables import DECIMAL, FLOAT

NUMBERS = ["0", "1e-40", "-3e-9", "0.001", "-0.5", "1.0", "2.718281828459045", "-7.9", "10.999", "11.5", "59.9", "-61"]
ANGLES = [*NUMBERS, "3.141592653589793", "-1.5707963267948966", "22", "1e22", "-6.02e23", "1.7e308"]


def agrees(got: Decimal, name: str, *numbers: str) -> bool:
    with mpmath.workdps(500):  # as many as the turns in 1.7e308 need
        expected = getattr(mpmath, name)(*(mpmath.mpf(number) for number in numbers))
        gap = abs(mpmath.mpf(str(got)) - expected)
        return gap == 0 or gap <= abs(expected) * mpmath.mpf("1e-45")


@pytest.mark.parametrize(
    ("kind", "number"),
    [(kind, number) for kind in ("tanh", "erf") for number in NUMBERS]
    + [(kind, number) for kind in ("sin", "cos") for number in ANGLES],
)
def test_functions(kind, number):
    assert agrees(DECIMAL[kind](Decimal(number)), kind, number)


@pytest.mark.parametrize("kind", ["tanh", "erf", "sin", "cos"])
@for_each("number", NUMBERS)
def test_both_tables_agree(kind, number):
    assert float(DECIMAL[kind](Decimal(number))) == pytest.approx(FLOAT[kind](float(number)), rel=1e-15)


@pytest.mark.parametrize(
    ("base", "exponent"),
    [("-1.5", "3"), ("0.1", "-2"), ("2", "0.5"), ("10000", "0.66"), ("7.25", "-1.3"), ("0.0", "2.5"), ("-2", "0")],
)
def test_powers(base, exponent):
    got = DECIMAL["pow"](Decimal(base), Decimal(exponent))
    assert agrees(got, "power", base, exponent)
    assert float(got) == pytest.approx(FLOAT["pow"](float(base), float(exponent)), rel=1e-15)


def test_nothing_to_the_power_of_nothing_is_one_in_both_tables():
    assert DECIMAL["pow"](Decimal("0.0"), Decimal(0)) == FLOAT["pow"](0.0, 0) == 1


def test_whole_powers_of_short_numbers_are_exact():
    assert str(DECIMAL["pow"](Decimal("-1.2"), Decimal(3))) == "-1.728"


@pytest.mark.parametrize("table", [DECIMAL, FLOAT])
def test_smallest_and_mask(table):
    three, seven = Decimal(3), Decimal(7)
    assert table["min"](seven, three) == 3
    assert table["mask"](Decimal(1), seven) == 7
    assert table["mask"](Decimal(0), seven) == -math.inf
