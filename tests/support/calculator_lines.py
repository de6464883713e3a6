"""Every line of a calculator's trace follows from its own printed digits."""

import math
from decimal import Decimal

from decimal_judges import round_as_people_do
from printed_arithmetic import calculate

from workings.document.blocks import Number, plain_text
from workings.engine.arrays import indices

SMALLEST = Decimal(math.ulp(0.0)) / 2  # a smaller number is 0 for a computer, and for a calculator long before


def digits_of(precision):
    _, digits, unit = precision.split()
    return int(digits), unit


def check_every_line(trace, precision, only=""):
    """Each line of a calculator's trace gives its printed result from its printed digits."""
    digits, unit = digits_of(precision)
    checked = 0
    for view in trace:
        if only and view.name != only:
            continue
        for at in indices(view.shape):
            for line in view.cell(*at).lines:
                if line.forms and any(isinstance(span, Number) for span in line.forms[-1]):
                    exact = calculate(plain_text(line.forms[-1]))
                    if abs(exact) < SMALLEST:
                        exact = Decimal(0)
                    printed = Decimal(line.value.text.replace("∞", "Infinity"))
                    assert round_as_people_do(exact, digits, unit) == printed, str(line)
                    checked += 1
    assert checked
