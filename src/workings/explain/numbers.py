"""Numbers on a page: how many digits, which decimal sign. Display never changes a value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal

from ..engine.arrays import Array, indices, is_float
from ..engine.rounding import Unit, decimal_of, rounded

SMALLEST_PLAIN = -5  # below 0.00001 a number is written with an exponent
LARGEST_PLAIN = 15


@dataclass(frozen=True)
class Style:
    """How numbers are written. `whole` writes 2.0 as 2, for values that are all whole numbers;
    `exact` writes every digit that there is, for a calculator whose numbers are rounded already;
    below `dust` a number is what rounding left over of 0.
    """

    digits: int = 4
    unit: Unit = "significant"
    point: str = "."
    whole: bool = False
    exact: bool = False
    dust: float = 0.0


PLAIN = Style()


def write(value: float | int, style: Style = PLAIN) -> str:
    """A number as text.

    >>> write(0.205, Style(2, "decimals")), write(12345.678), write(0.0), write(3), write(2.5e-7)
    ('0.21', '12346', '0.0', '3', '2.5e-07')
    >>> write(2.0, Style(whole=True)), write(0.5, Style(point=","))
    ('2', '0,5')
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return str(value)
    if abs(value) < style.dust:
        value = 0.0
    if style.whole and value == int(value):
        return str(int(value))
    exact = decimal_of(value)
    shown = exact if style.exact else _shown(exact, style)
    if not shown:
        return f"0{style.point}0"
    if not SMALLEST_PLAIN <= shown.adjusted() <= LARGEST_PLAIN:
        mantissa = _plain(shown.scaleb(-shown.adjusted()))
        return f"{mantissa}e{shown.adjusted():+03d}".replace(".", style.point)
    return _plain(shown).replace(".", style.point)


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    if "." not in text:
        return f"{text}.0" if len(text.lstrip("-")) <= 4 else text
    text = text.rstrip("0")
    return f"{text}0" if text.endswith(".") else text


def _shown(value: Decimal, style: Style) -> Decimal:
    if style.unit == "decimals" or not value:
        return rounded(value, style.digits, "decimals")
    # Digits before the point are never rounded away.
    return rounded(value, max(style.digits, value.adjusted() + 1), "significant")


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
    for digits in range(style.digits, 18):
        wider = replace(style, digits=digits)
        if one == other or write(one, wider) != write(other, wider):
            return wider
    return replace(style, digits=17)


def aligned(texts: list[str], point: str = ".") -> list[str]:
    """Numbers of one column, padded so that their points stand under each other.

    >>> aligned(["0.5", "-12.25", "3"])
    ['  0.5 ', '-12.25', '  3   ']
    """
    parts = [text.partition(point) for text in texts]
    before = max((len(part[0]) for part in parts), default=0)
    after = max((len(part[1] + part[2]) for part in parts), default=0)
    return [f"{head:>{before}}{(sign + tail):<{after}}" for head, sign, tail in parts]
