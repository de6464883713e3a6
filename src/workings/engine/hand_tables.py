"""What each kind of hand expression does to numbers: in floating point, and in exact decimals.

Python's `decimal` knows e^x, ln, roots and powers; the others are worked out here from their series.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Any, TypeAlias

# Enough digits that every short decimal product and sum is exact, and e^x far beyond the guard.
EXACT = Context(prec=50)
WORKING = 100  # digits of the series, so that what cancels leaves all digits of the result

Table: TypeAlias = dict[str, Callable[..., Any]]


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    return EXACT.power(base, exponent) if exponent else Decimal(1)  # 0⁰ is 1, as in floating point


def _tanh(x: Decimal) -> Decimal:
    if abs(x) > 60:  # nearer to 1 than 50 digits can say
        return Decimal(1).copy_sign(x)
    if abs(x) < Decimal("1e-26"):  # tanh x = x - x³/3 + ...
        return x
    with localcontext(prec=WORKING):
        up, down = x.exp(), (-x).exp()
        return EXACT.plus((up - down) / (up + down))


def _erf(x: Decimal) -> Decimal:
    if abs(x) > 11:  # nearer to 1 than 50 digits can say
        return Decimal(1).copy_sign(x)
    with localcontext(prec=WORKING):
        return EXACT.plus(2 / _pi(WORKING).sqrt() * (-x * x).exp() * _summed(_erf_terms(x)))


def _erf_terms(x: Decimal) -> Iterator[Decimal]:
    """x + 2x³/3 + 4x⁵/15 + ...: all of one sign, so that nothing cancels."""
    term, odd = x, 1
    while True:
        yield term
        odd += 2
        term *= 2 * x * x / odd


def _sin(x: Decimal) -> Decimal:
    return _wave(x, quarter=0)


def _cos(x: Decimal) -> Decimal:
    return _wave(x, quarter=1)


def _wave(x: Decimal, quarter: int) -> Decimal:
    """The sine of an angle, or of one that is a quarter turn ahead, which is the cosine."""
    digits = WORKING + max(0, x.adjusted())  # whole turns are taken off: π needs as many digits more as x has
    with localcontext(prec=digits):
        turn = 2 * _pi(digits)
        angle = x + quarter * turn / 4
        angle -= turn * (angle / turn).to_integral_value()
        return EXACT.plus(_summed(_sin_terms(angle)))


def _sin_terms(x: Decimal) -> Iterator[Decimal]:
    """x - x³/6 + x⁵/120 - ..."""
    term, n = x, 1
    while True:
        yield term
        term *= -x * x / ((n + 1) * (n + 2))
        n += 2


@lru_cache(maxsize=16)
def _pi(digits: int) -> Decimal:
    """π = 16 arctan(1/5) - 4 arctan(1/239), which is Machin's formula."""
    with localcontext(prec=digits + 5):
        return 16 * _summed(_arctan_terms(5)) - 4 * _summed(_arctan_terms(239))


def _arctan_terms(n: int) -> Iterator[Decimal]:
    """1/n - 1/(3n³) + 1/(5n⁵) - ..."""
    power, odd = 1 / Decimal(n), 1
    while True:
        yield power / odd
        power /= -n * n
        odd += 2


def _summed(terms: Iterator[Decimal]) -> Decimal:
    """A series, up to the first term that changes nothing."""
    total = next(terms)
    for term in terms:
        if total == total + term:
            break
        total += term
    return total


FLOAT: Table = {
    "+": lambda *terms: sum(terms),
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": math.pow,
    "exp": math.exp,
    "ln": math.log,
    "sqrt": math.sqrt,
    "tanh": math.tanh,
    "erf": math.erf,
    "sin": math.sin,
    "cos": math.cos,
    "max": lambda *values: max(values),
    "min": lambda *values: min(values),
    ">": lambda a, b: int(a > b),
    "==": lambda a, b: int(a == b),
    "if": lambda condition, value: value if condition else 0.0,
    "mask": lambda allow, value: value if allow else -math.inf,
}

DECIMAL: Table = {
    **FLOAT,
    "+": lambda *terms: sum(terms[1:], start=terms[0]),
    "pow": _power,
    "exp": EXACT.exp,
    "ln": EXACT.ln,
    "sqrt": EXACT.sqrt,
    "tanh": _tanh,
    "erf": _erf,
    "sin": _sin,
    "cos": _cos,
    ">": lambda a, b: Decimal(int(a > b)),
    "==": lambda a, b: Decimal(int(a == b)),
    "if": lambda condition, value: value if condition else Decimal(0),
    "mask": lambda allow, value: value if allow else Decimal("-Infinity"),
}
