"""Whether the text of a number is its value, rounded half away from zero to the digits that are shown."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import mpmath

GUARD = Context(prec=12, rounding=ROUND_HALF_UP)  # first, so that 0.205 is a half whatever its binary form
WIDE = Context(prec=400, rounding=ROUND_HALF_UP)
DUST = 1e-12  # what rounding leaves over of 0
WRITTEN = re.compile(r"-?\d+([.,]\d+)?(e[+-]\d+)?")
INFINITE = {"inf": "∞", "-inf": "-∞", "nan": "nan"}


def shows(text: str, value: Any) -> bool:
    """
    >>> shows("0.21", 0.205), shows("0.2", 0.205), shows("0.22", 0.205), shows("−∞", "-inf"), shows("0.0", 1e-17)
    (True, True, False, True, True)
    >>> shows("2,5e-07", 2.5e-07), shows("12346", 12345.678), shows("-0.5", 0.5), shows("0.1", float(0))
    (True, True, False, False)
    """
    text = text.replace("−", "-")
    if isinstance(value, str):
        return text == INFINITE[value]
    if not WRITTEN.fullmatch(text):
        return False
    shown, true = Decimal(text.replace(",", ".")), Decimal(repr(value))
    if not shown and abs(value) < DUST:
        return True
    place = Decimal(1).scaleb(int(shown.as_tuple().exponent))
    return shown in (true.quantize(place, context=WIDE), GUARD.plus(true).quantize(place, context=WIDE))


def keyed_in(result: mpmath.mpf, precision: str) -> Decimal:
    """What somebody with a calculator writes down, who rounds to so many digits.

    >>> keyed_in(mpmath.mpf("0.12345"), "calculator 4 significant")
    Decimal('0.1235')
    >>> keyed_in(mpmath.mpf(2) / 3, "calculator 2 decimals")
    Decimal('0.67')
    """
    _, digits, unit = precision.split()
    exact = GUARD.create_decimal(mpmath.nstr(result, 30))
    if unit == "significant":
        return Context(prec=int(digits), rounding=ROUND_HALF_UP).plus(exact)
    return exact.quantize(Decimal(1).scaleb(-int(digits)), context=WIDE)
