"""One number as somebody wrote it: `0.25`, `0,25`, `1/4`, `1/1.22`, `2.5e-1`, `25 %`."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from fractions import Fraction

from ...engine.errors import InputError
from .spelling import shown, spelled

MAX_CHARS = 400  # the largest float written out has 309 digits before its point
MAX_EXPONENT_DIGITS = 3
MIN_FLOAT = 5e-324  # the smallest positive one
EXACT_DIGITS = 17  # of a number without a last digit: as many as a float can show

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s{0,3}(?P<whole>[0-9]*)(?:\.|(?<=[0-9]),(?=[0-9]))?(?P<part>[0-9]*)"
    r"(?:[eE](?P<power>[+-]?[0-9]+))?(?P<percent>%?)"
)
_PART = r"[+-]?(?:[0-9]+(?:[.,][0-9]+)?|\.[0-9]+)"  # of a fraction: 1, 1.22, 1,22, .5
_FRACTION = re.compile(rf"(?P<sign>[+-]?)\s{{0,3}}(?P<above>{_PART})\s{{0,3}}/\s{{0,3}}(?P<below>{_PART})")
_WITHOUT_DIGITS = re.compile(r"(?P<sign>[+-]?)\s{0,3}(?P<word>inf|infinity|nan)", re.IGNORECASE)
_BLANK = re.compile(r"-*|\?+|[_\s]+|\.{2,}|□|null|n/a", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9:.]+)?")


@dataclass(frozen=True)
class GivenNumber:
    """One number as somebody wrote it.

    `unit` is that of its last digit: 0.01 for 1.25, and 0 for a number without a last digit, such as 1/4 or inf. For
    1/1.22 it is how far the fraction moves with the last digit of its decimals.
    """

    text: str
    value: float
    unit: float

    @property
    def digits(self) -> int:
        """How many significant digits it has; for a zero, those after its point.

        >>> [read_number(text).digits for text in ("1.250", "0.0070", "1.2e-3", "0.00", "0", "1/4", "1/1.22")]
        [4, 2, 2, 2, 1, 17, 3]
        """
        plain = _stripped(self.text)
        if self.unit and (fraction := _FRACTION.fullmatch(plain)):
            parts = [part for part in (fraction["above"], fraction["below"]) if _decimals(part)]
            return min(len(part.strip("+-").replace(",", ".").replace(".", "").lstrip("0")) or 1 for part in parts)
        found = _digits(plain)
        if found is None or not self.unit:
            return EXACT_DIGITS
        significant = (found["whole"] + found["part"]).lstrip("0")
        return len(significant) or max(1, len(found["part"]))


def is_blank(text: str) -> bool:
    """Whether this was left open. A blank is not a zero.

    >>> [is_blank(text) for text in ("", "____", "–", "?", "0")]
    [True, True, True, True, False]
    """
    return len(text) <= MAX_CHARS and _BLANK.fullmatch(spelled(text).strip()) is not None


def read_number(text: str) -> GivenNumber | None:
    """The number in a text, or None for a blank.

    >>> read_number("0,0071")
    GivenNumber(text='0,0071', value=0.0071, unit=0.0001)
    >>> read_number("3/8").value, read_number("25 %").unit, read_number("____")
    (0.375, 0.01, None)
    """
    text = text.strip()
    if len(text) > MAX_CHARS:
        raise InputError(
            f"'{shown(text)}' has {len(text)} characters, too many for one number.",
            hint=f"Round it: at most {MAX_CHARS} characters are read.",
        )
    if found := _digits(text):  # most numbers need no other spelling
        return _decimal(text, found)
    if is_blank(text) or text.casefold() == "none":  # for positions, none is an answer
        return None
    plain = _stripped(text)
    if found := _digits(plain):
        return _decimal(text, found)
    if found := _FRACTION.fullmatch(plain):
        return _fraction(text, found)
    if found := _WITHOUT_DIGITS.fullmatch(plain):
        return GivenNumber(text, float(found["sign"] + found["word"]), 0.0)
    raise _refused(text, plain)


def _digits(text: str) -> re.Match[str] | None:
    found = _NUMBER.fullmatch(text)
    return found if found and (found["whole"] or found["part"]) else None


def _refused(text: str, plain: str) -> InputError:
    """What is wrong with a text that is not a number, as far as we can tell."""
    if text.startswith("="):
        return InputError(
            "This cell contains a formula whose value is not stored in the file: open the file in a spreadsheet "
            "program and save it.",
            hint="We do not evaluate formulas; you can also type the number.",
        )
    if _DATE.fullmatch(text):
        return InputError(
            f"'{shown(text)}' is a date.",
            hint="Spreadsheet programs turn a fraction such as 3/8 into a date: write =3/8, or the decimal number.",
        )
    if re.fullmatch(r"[+-]?[0-9]+(?:[.,][0-9]*){2,}", plain):
        return InputError(
            f"'{shown(text)}' has more than one decimal sign.",
            hint="Write one point or comma, and nothing between the thousands: 1234.5.",
        )
    return InputError(
        f"'{shown(text)}' is not a number.",
        hint="Write it as 0.25, 0,25, 1/4, 2.5e-1 or 25 %, or leave it blank.",
    )


def _stripped(text: str) -> str:
    """The number in plain signs, without the usual signs around it: `= 0.5`, `≈ 0.5`, `$0.5$`."""
    return re.sub(r"^[=≈~]", "", spelled(text).strip().strip("$").strip()).strip()


def _decimal(text: str, found: re.Match[str]) -> GivenNumber:
    power = (found["power"] or "0").lstrip("+")
    if len(power.lstrip("-").lstrip("0")) > MAX_EXPONENT_DIGITS:
        raise _outside(text)
    last = int(power) - (2 if found["percent"] else 0)
    value = float(f"{found['sign']}{found['whole'] or '0'}.{found['part']}e{last}")
    if math.isinf(value):
        return GivenNumber(text, value, 0.0)
    return GivenNumber(text, value, max(float(f"1e{last - len(found['part'])}"), MIN_FLOAT))


def _fraction(text: str, found: re.Match[str]) -> GivenNumber:
    above, below = (Fraction(found[part].replace(",", ".")) for part in ("above", "below"))
    if not below:
        raise InputError(f"'{shown(text)}' divides by 0.", hint="Write inf if you mean infinity, or leave it blank.")
    try:
        value, times = float(above / below), float(1 / abs(below))
    except OverflowError:
        raise _outside(text) from None
    unit = (_last(found["above"]) + abs(value) * _last(found["below"])) * times
    return GivenNumber(text, -value if found["sign"] == "-" else value, unit)


def _last(part: str) -> float:
    """The unit of the last digit of a decimal; a whole number in a fraction is exact."""
    return float(f"1e-{len(_decimals(part))}") if _decimals(part) else 0.0


def _decimals(part: str) -> str:
    """The digits after the point."""
    return part.replace(",", ".").partition(".")[2]


def _outside(text: str) -> InputError:
    largest = f"{sys.float_info.max:.0e}"
    return InputError(
        f"'{shown(text)}' is outside the range of numbers.",
        hint=f"Numbers reach from about {MIN_FLOAT:.0e} to {largest}; for more, write inf or 0.",
    )
