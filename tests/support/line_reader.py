"""Reads lines of arithmetic off a rendered page, and checks each with exact decimals.

It knows nothing of the package, only the text that a reader sees:

    weights[0][0] = e0 / total = 1.0 / 1.99295 = 0.50177

Of such a chain every form in numbers must give the next number, rounded half away from zero to the digits of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException
from itertools import pairwise

from printed_arithmetic import calculate

ROUNDING = Context(prec=400, rounding=ROUND_HALF_UP)
NUMBER = re.compile(r"-?(?:\d+(?:[.,]\d+)?(?:e[+-]\d+)?|∞)")
# What a form in numbers is written with: anything else is a name.
ARITHMETIC = re.compile(
    r"(?:\d+(?:[.,]\d+)?(?:e[+-]\d+)?|∞|e\^|\bln\b|√|\b(?:tanh|erf|sin|cos|max|min|more|smaller|first position of|in)\b"
    r"|[-+−×·/^()\[\]=>,:\s])+"
)
INDEX = re.compile(r"(\[\d+\])+")  # the end of a name that was broken before it
EQUALS = re.compile(r" = (?![^\[]*\])")  # but not the one in [a = b]


@dataclass
class Findings:
    """What was read: how many lines held, which did not, and which could not be read, with the reason."""

    held: int = 0
    wrong: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def check(self, line: str, digits: int, unit: str = "significant") -> None:
        forms = [form.strip() for form in EQUALS.split(line)]
        for form, result in pairwise(forms):
            if not NUMBER.fullmatch(result) or not ARITHMETIC.fullmatch(form) or INDEX.fullmatch(form):
                continue
            if not re.search(r"\d|∞", form):  # words alone
                continue
            try:
                exact = calculate(form)
            except (ValueError, DecimalException) as error:
                self.unread.append(f"{line}   [{error}]")
                continue
            if follows(exact, result, digits, unit):
                self.held += 1
            else:
                self.wrong.append(f"{line}   [{exact:.12g}]")


def follows(exact: Decimal, printed: str, digits: int = 1, unit: str = "significant") -> bool:
    """Whether a number is printed right: rounded to the digits of the page, or to more if more are printed.

    >>> [follows(Decimal("0.49826"), printed, 4) for printed in ("0.4983", "0.49826", "0.4982", "0.5")]
    [True, True, False, False]
    >>> follows(Decimal("0.49826"), "0.5"), follows(Decimal("12345.6"), "12346", 4), follows(Decimal("-1e-7"), "0.0", 4)
    (True, True, True)
    """
    shown = decimal(printed)
    if not exact.is_finite() or not shown.is_finite():
        return exact == shown
    after = max(0, -shown.as_tuple().exponent)
    if not shown:
        return abs(exact) < Decimal("0.05") and abs(exact) <= Decimal(5).scaleb(-digits - 1)
    last = -digits if unit == "decimals" else exact.adjusted() + 1 - digits
    last = min(last, -after) if unit == "significant" else -max(digits, after)
    if "e" not in printed:
        last = min(last, 0)
    return exact.quantize(Decimal(1).scaleb(last), context=ROUNDING) == shown


def decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", ".").replace("∞", "Infinity"))


def lines_in(page: str) -> Iterator[str]:
    """The lines of a page that have an equals sign, with what was broken over several lines joined again."""
    for line in page.splitlines():
        if " = " in line:
            yield line.strip()
