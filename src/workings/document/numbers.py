"""Numbers on a page: how many digits, which decimal sign. Display never changes a value."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal

from ..engine.arrays import Array, indices, is_float
from ..engine.rounding import GUARD, Unit, decimal_of, rounded
from .notation import USUAL, Notation

SMALLEST_PLAIN = -5  # below 0.00001 a number is written with an exponent
LARGEST_PLAIN = 15
ALL_DIGITS = 17  # that a float64 has
_WIDE = Context(prec=400, rounding=ROUND_HALF_UP)


@dataclass(frozen=True)
class Style:
    """How numbers are written. `whole` writes 2.0 as 2, for values that are all whole numbers; `exact` writes every
    digit, for a calculator whose numbers are rounded already; a number below `dust` is only rounding error, and is
    written as 0. `notation` says how names and entries are written.
    """

    digits: int = 4
    unit: Unit = "significant"
    point: str = "."
    whole: bool = False
    exact: bool = False
    dust: float = 0.0
    notation: Notation = USUAL


PLAIN = Style()


def write(value: float | int | Decimal, style: Style = PLAIN) -> str:
    """A number as text. A float is rounded as the short decimal that it stands for; a decimal as it is.

    >>> write(0.205, Style(2, "decimals")), write(12345.678), write(0.0), write(3), write(2.5e-7)
    ('0.21', '12346', '0.0', '3', '2.5e-07')
    >>> write(2.0, Style(whole=True)), write(0.5, Style(point=","))
    ('2', '0,5')
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return str(float(value)).replace("inf", "∞")
    if abs(float(value)) < style.dust:
        value = 0.0
    exact = value if isinstance(value, Decimal) else _decimal(value, style)
    if style.whole and value == int(value) and abs(value) < 10**LARGEST_PLAIN:
        return str(int(value))
    shown = exact if style.exact else _shown(exact, style, guarded=not isinstance(value, Decimal))
    if not shown:
        return f"0{style.point}0"
    if not SMALLEST_PLAIN <= shown.adjusted() <= LARGEST_PLAIN:
        mantissa = _plain(shown.scaleb(-shown.adjusted()), shown == exact)
        return f"{mantissa}e{shown.adjusted():+03d}".replace(".", style.point)
    return _plain(shown, shown == exact).replace(".", style.point)


def _decimal(value: float, style: Style) -> Decimal:
    """The short decimal that a float stands for; all its digits where more are wanted than that has."""
    return decimal_of(value) if style.digits <= ALL_DIGITS else Decimal(value)


def _plain(value: Decimal, is_exact: bool) -> str:
    """The digits of a number. A real one shows its point, but no 0 replaces a digit that was rounded away."""
    before, point, after = f"{value:f}".partition(".")
    after = after.rstrip("0")
    if after:
        return f"{before}.{after}"
    return f"{before}.0" if (point or is_exact) and len(before.lstrip("-")) <= 4 else before


def _shown(value: Decimal, style: Style, guarded: bool) -> Decimal:
    # Digits before the point are never rounded away, unless the number is written with an exponent.
    before = value.adjusted() + 1 if value.adjusted() <= LARGEST_PLAIN else 0
    kept = value.adjusted() + 1 + style.digits if style.unit == "decimals" else max(before, style.digits)
    if guarded and kept <= GUARD:
        return rounded(value, style.digits if style.unit == "decimals" else kept, style.unit)
    return value.quantize(Decimal(1).scaleb(value.adjusted() + 1 - kept), context=_WIDE)


def is_whole(array: Array) -> bool:
    """Whether an array has only whole numbers, so that they can be written without a point."""
    if not is_float(array):
        return True
    if math.prod(array.shape) > 4096:
        return False
    return all(float(array[at]).is_integer() and abs(float(array[at])) < 1e6 for at in indices(array.shape))


def apart(one: float, other: float, style: Style = PLAIN) -> Style:
    """The style with as many digits more as two different values need to look different.

    >>> apart(0.50177, 0.50179).digits
    5
    """
    for digits in range(style.digits, ALL_DIGITS + 1):
        wider = replace(style, digits=digits)
        if one == other or write(one, wider) != write(other, wider):
            return wider
    return replace(style, exact=True, dust=0.0)


def aligned(texts: list[str]) -> list[str]:
    """Numbers of one column, padded so that their points (or decimal commas) line up.

    >>> aligned(["0.5", "-12.25", "3"])
    ['  0.5 ', '-12.25', '  3   ']
    """
    heads = [re.split("[.,]", text)[0] for text in texts]
    before = max((len(head) for head in heads), default=0)
    after = max((len(text) - len(head) for text, head in zip(texts, heads, strict=True)), default=0)
    return [f"{head:>{before}}{text[len(head) :]:<{after}}" for text, head in zip(texts, heads, strict=True)]
