"""Rounding as people and spreadsheets do it: half away from zero.

A guard of 12 significant digits comes first, so that 0.205 rounds to 0.21 whatever its
binary form is.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal

GUARD = 12
_WIDE = Context(prec=400, rounding=ROUND_HALF_UP)

Unit = Literal["significant", "decimals"]


def rounded(value: Decimal, digits: int, unit: Unit) -> Decimal:
    """
    >>> rounded(Decimal("0.205"), 2, "decimals"), rounded(Decimal("-1234.5"), 4, "significant")
    (Decimal('0.21'), Decimal('-1235'))
    """
    if not value.is_finite():
        return value
    if not value:
        return Decimal(0)  # on paper there is no -0
    guarded = _to_exponent(value, value.adjusted() - GUARD + 1)
    if unit == "decimals":
        return _to_exponent(guarded, -digits)
    return _to_exponent(guarded, guarded.adjusted() - digits + 1)


def _to_exponent(value: Decimal, exponent: int) -> Decimal:
    result = value.quantize(Decimal(1).scaleb(exponent), context=_WIDE) if _finer(value, exponent) else value
    return result if result else Decimal(0)


def _finer(value: Decimal, exponent: int) -> bool:
    own = value.as_tuple().exponent
    return isinstance(own, int) and own < exponent


def decimal_of(value: float | int) -> Decimal:
    """The decimal that is written for a float: the shortest one that means the same float.

    >>> decimal_of(0.1)
    Decimal('0.1')
    """
    return Decimal(repr(value))


def round_float(value: float, digits: int, unit: Unit) -> float:
    """
    >>> round_float(0.205, 2, "decimals")
    0.21
    """
    return float(rounded(decimal_of(value), digits, unit))
