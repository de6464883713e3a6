"""Guard digits: how many digits a hand calculation needs so that every line follows from what is printed.

    0.993 / 1.993 = 0.4983           a calculator says 0.4982
    0.99295 / 1.99295 = 0.4982       with one digit more the line holds

A calculation is done as with a pencil: each line is computed from its operands as printed, and rounded half away from
zero. Operands and the results of lines on the way have as many digits as it takes for every line to agree with the true
number in the digits that the reader chose; the entry at the end has just these. If so many digits were chosen that the
last ones are a computer's rounding error, no line can give them: then each has what a pencil gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, localcontext
from typing import Protocol, TypeAlias

from ..document.numbers import LARGEST_PLAIN, Style, write
from ..engine.hand import Apply, Dot, Entry, Expression, Line, Literal, Named, Position
from ..engine.hand_tables import DECIMAL, EXACT
from .long_sums import shown_places, split_terms, value_of_term

NOISE = 8  # units of rounding of the largest operand: a smaller difference is no number
MAX_DIGITS = 39  # of an operand; a float64 has up to 17 that mean something, but more when it is written out
MAX_DIGITS_OF_ENTRY = 4  # more than the reader chose
FEW_GUARD_DIGITS = 6  # that nearly always are enough
GUARD_DIGITS = 2  # of operands, where no number of digits gives the computer's result
_ROUNDING = Context(prec=400, rounding=ROUND_HALF_UP)

# The exact value of an expression whose numbers are printed with so many digits, after these results of earlier lines.
Printed: TypeAlias = Callable[[int, Mapping[str, str]], Decimal]


class Printer(Protocol):
    """What the writer of a calculation knows about its numbers: their texts with so many digits."""

    style: Style

    def leaf_text(self, leaf: Entry | Named | Literal, digits: int) -> str: ...

    def rest_text(self, terms: list[Expression], digits: int) -> str: ...

    def is_whole_line(self, symbol: str) -> bool: ...


@dataclass(frozen=True)
class Pencil:
    """A calculation as printed: the digits of its numbers, the results of the lines on the way, and the digits of the
    entry at the end.
    """

    digits: int
    results: Mapping[str, str]
    digits_of_entry: int
    agrees: bool = True  # with the computer, in all digits of the entry


def pencil(lines: Sequence[Line], printer: Printer) -> Pencil | None:
    """The calculation with the fewest digits in which every line holds; None if there is none. Where more digits of the
    operands do not help, because computer and pencil round a number halfway between two in different directions, the
    entry gets another one.
    """
    usual = printer.style.digits
    work = [(line, printed_value(line.expression, printer)) for line in lines]

    def found(entry: int, digits: Iterable[int]) -> Iterator[Pencil]:
        for count in digits:
            results = _carried_out(work, count, entry, printer)
            if results is not None:
                yield Pencil(count, results, entry)

    entries = range(usual, usual + MAX_DIGITS_OF_ENTRY)
    few = next(found(usual, range(usual, usual + FEW_GUARD_DIGITS)), None)
    if few is not None or not any(next(found(entry, [MAX_DIGITS]), None) for entry in entries):
        return few  # nearly always; or the last digits are rounding errors, and no others give them
    return next(pencil for entry in entries for pencil in found(entry, range(usual, MAX_DIGITS + 1)))


def pencil_alone(lines: Sequence[Line], printer: Printer) -> Pencil | None:
    """The calculation as a pencil does it, whatever a computer made of it; None if it cannot be done."""
    usual = printer.style.digits
    work = [(line, printed_value(line.expression, printer)) for line in lines]
    results = _carried_out(work, usual + GUARD_DIGITS, usual, printer, is_strict=False)
    return None if results is None else Pencil(usual + GUARD_DIGITS, results, usual, agrees=False)


def _carried_out(
    work: Sequence[tuple[Line, Printed]], digits: int, entry: int, printer: Printer, is_strict: bool = True
) -> dict[str, str] | None:
    """The result of each line if the numbers have so many digits; None if one cannot be computed or, if
    strict, does not agree with the true number.
    """
    results: dict[str, str] = {}
    for line, value in work:
        try:
            with localcontext(EXACT):
                exact = value(digits, results)
        except DecimalException:
            return None  # to so few digits, it divides by 0 or takes the logarithm of 0
        if not is_strict:
            holds = True
        elif line.symbol:
            holds = agrees(exact, line.value, printer.style.digits, printer.style, _largest_term(line.expression))
        else:
            holds = agrees(exact, line.value, entry, printer.style)
        if not holds:
            return None
        is_whole = printer.is_whole_line(line.symbol) or isinstance(line.value, int)
        style = replace(printer.style, digits=digits if line.symbol else entry, whole=is_whole)
        results[line.symbol] = write(exact, style)
    return results


def agrees(exact: Decimal, true: float | int, digits: int, style: Style, largest_term: float = 0.0) -> bool:
    """Whether a number, rounded half away from zero to so many digits, is the true one as it is printed. What is left
    of terms that cancel need only be right in the digits of the largest term.

    >>> [agrees(Decimal(exact), 0.49823, 4, Style()) for exact in ("0.49824", "0.49826")]
    [True, False]
    >>> agrees(Decimal("0.00002"), 0.000025, 4, Style(), largest_term=0.3)
    True
    """
    if not exact.is_finite() or not math.isfinite(true):
        return exact.is_nan() or exact == Decimal(true)
    if largest_term and abs(exact - Decimal(true)) <= _unit(Decimal(largest_term), digits, style) / 2:
        return True
    shown = decimal_in(write(true, replace(style, digits=digits, whole=False, point=".")))
    if not shown:
        return abs(exact) <= Decimal(5).scaleb(-digits - 1)
    return exact.quantize(_unit(exact, digits, style), context=_ROUNDING) == shown


def _unit(value: Decimal, digits: int, style: Style) -> Decimal:
    """A unit of the last printed digit."""
    last = -digits
    if style.unit == "significant":
        # Digits before the point are never rounded away, unless the number is written with an exponent.
        before = value.adjusted() + 1 if value.adjusted() <= LARGEST_PLAIN else 0
        last = value.adjusted() + 1 - max(digits, before)
    return Decimal(1).scaleb(last)


def printed_value(expression: Expression, printer: Printer) -> Printed:
    """The exact value of an expression as printed."""
    if isinstance(expression, Entry | Named | Literal):
        return _printed_leaf(expression, printer)

    def printed(part: Expression) -> Printed:
        return printed_value(part, printer)

    if isinstance(expression, Position):
        value, places = printed(expression.value), [(n, printed(entry)) for n, entry in shown_places(expression)[0]]
        return lambda digits, results: _first(
            value(digits, results), ((n, entry(digits, results)) for n, entry in places)
        )
    assert isinstance(expression, Apply | Dot)
    kind = expression.kind if isinstance(expression, Apply) else "+"
    shown, hidden = split_terms(expression)
    parts = [printed(part) for part in shown]
    if hidden and kind == "+":
        parts.append(lambda digits, results: decimal_in(printer.rest_text(hidden, digits)))
    combine = DECIMAL[kind]
    return lambda digits, results: combine(*(part(digits, results) for part in parts))


def _printed_leaf(leaf: Entry | Named | Literal, printer: Printer) -> Printed:
    def printed(digits: int, results: Mapping[str, str]) -> Decimal:
        result = results.get(leaf.symbol) if isinstance(leaf, Named) else None
        return decimal_in(result or printer.leaf_text(leaf, digits))

    return printed


def _first(value: Decimal, places: Iterable[tuple[int, Decimal]]) -> Decimal:
    return Decimal(next((n for n, entry in places if entry == value), -1))


def _largest_term(expression: Expression) -> float:
    """The magnitude of the largest term of a sum or difference; 0 for anything else."""
    if isinstance(expression, Dot):
        terms = (Apply("*", pair) for pair in zip(expression.left, expression.right, strict=True))
        values = [abs(value_of_term(term)) for term in terms]
    elif isinstance(expression, Apply) and expression.kind in ("+", "-"):
        values = [abs(value_of_term(part)) for part in expression.parts]
    else:
        return 0.0
    return max((value for value in values if math.isfinite(value)), default=0.0)


def without_noise(expression: Expression, value: float | int, unit: float) -> float | int:
    """The value of a line, or 0 if it is only what rounding errors of this relative size leave of terms that cancel.

    >>> without_noise(Literal(0.3) - Literal(0.1) * Literal(3.0), 0.3 - 0.1 * 3.0, 2.0**-53)
    0.0
    """
    return 0.0 if 0 < abs(value) <= NOISE * unit * _largest_term(expression) else value


def decimal_in(text: str) -> Decimal:
    """The value of a printed number.

    >>> decimal_in("-0,5"), decimal_in("2.5e-07"), decimal_in("-∞")
    (Decimal('-0.5'), Decimal('2.5E-7'), Decimal('-Infinity'))
    """
    return Decimal(text.replace(",", ".").replace("∞", "Infinity"))
