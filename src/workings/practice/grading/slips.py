"""Slips: the method is right, and one number was noted or typed wrongly. A slip says nothing about what a learner has
understood, so it is named only in a single answer of a step whose other answers are right.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy

from ...engine.arrays import Array, Index
from ...engine.hand import Apply, Dot, Expression, in_float
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.hand_calculation import lines_in_float
from ..answers.number import GivenNumber
from ..tolerance import half_unit

SLIPS = {
    "slip.sign": "The sign is lost: the number itself is right.",
    "slip.decimal_point": "The decimal point is in another place: the digits are right.",
    "slip.swapped_digits": "Two digits are swapped.",
    "slip.wrong_digit": "One digit is another one: all others are right.",
    "slip.copied": "It is the number of another entry.",
    "slip.dropped_term": "A term of the sum is missing.",
}
MIN_DIGITS = 3  # of an answer in which swapped or wrong digits can be told from another number
MAX_POINT = 3  # places by which a decimal point is moved
MIN_TERMS = 2  # of a sum from which one was dropped
MIN_TERMS_ALONE = 3  # where no other answer of the step is right: with one of two terms it may be another calculation


def find_slip(number: GivenNumber, value: float, tolerance: float, digits: int) -> str | None:
    """The id of the slip that turned a value into the number that was written.

    >>> from workings.practice.answers.number import read_number
    >>> written = ("-0.2534", "2.534", "0.2354", "0.2584", "0.2871")
    >>> [find_slip(read_number(text), 0.25344, 0.0001, 4) for text in written]
    ['slip.sign', 'slip.decimal_point', 'slip.swapped_digits', 'slip.wrong_digit', None]
    """
    if not (math.isfinite(value) and number.value) or abs(value) <= tolerance:
        return None

    def is_right(corrected: float) -> bool:
        return abs(corrected - value) <= tolerance

    tried: dict[str, Callable[[], Iterator[float]]] = {
        "slip.sign": lambda: iter([-number.value]),
        "slip.decimal_point": lambda: _moved(number.value),
        "slip.swapped_digits": lambda: _with_digits(number, digits, _swapped),
        "slip.wrong_digit": lambda: _with_digits(number, digits, _replaced),
    }
    return next((id for id, corrected in tried.items() if any(map(is_right, corrected()))), None)


def is_copied(number: GivenNumber, values: Array, index: Index, digits: int) -> bool:
    """Whether the number belongs into another entry of the table.

    >>> from workings.practice.answers.number import read_number
    >>> table = numpy.array([[0.25344, 0.71], [0.5, -0.3331]])
    >>> [is_copied(read_number(text), table, (0, 0), 4) for text in ("0.7100", "-0.3331", "0.2534", "0.34")]
    [True, True, False, False]
    """
    own = float(values[index])
    others = (float(value) for at, value in numpy.ndenumerate(values) if at != index and float(value) != own)
    return any(abs(number.value - other) <= 1.01 * half_unit(other, digits) for other in others)


def _moved(value: float) -> Iterator[float]:
    return (value * 10.0**places for places in range(-MAX_POINT, MAX_POINT + 1) if places)


def _with_digits(number: GivenNumber, digits: int, change: Callable[[str], Iterator[str]]) -> Iterator[float]:
    """The number with other digits, as far as it has enough of them: a fraction, ∞ and what is as good as 0 have none
    to be noted wrongly.
    """
    unit = 2 * half_unit(number.value, digits)
    if not (number.unit and unit):
        return
    own = str(round(abs(number.value) / unit))
    if min(number.digits, len(own.rstrip("0"))) >= MIN_DIGITS:
        yield from (math.copysign(float(other) * unit, number.value) for other in change(own))


def _swapped(digits: str) -> Iterator[str]:
    for one, other in itertools.combinations(range(len(digits)), 2):
        swapped = list(digits)
        swapped[one], swapped[other] = digits[other], digits[one]
        yield "".join(swapped)


def _replaced(digits: str) -> Iterator[str]:
    """Another digit in any place but the last: there, it may come from rounding."""
    for place in range(len(digits) - 1):
        yield from (digits[:place] + digit + digits[place + 1 :] for digit in "0123456789")


def has_dropped_term(
    recording: Recording, step: Step, index: Index, number: GivenNumber, tolerance: float, least: int
) -> bool:
    """Whether the number is the sum of an entry's hand calculation, of at least so many terms, without one of them."""
    line = _last_line(recording, step, index)
    terms = list(_terms(line)) if line is not None else []
    return len(terms) >= least and _lacks_one(terms, number, tolerance)


def lacks_a_product(recording: Recording, step: Step, index: Index, number: GivenNumber, tolerance: float) -> bool:
    """Whether the number is the dot product that an entry is, without one of its products."""
    line = _last_line(recording, step, index)
    return isinstance(line, Dot) and _lacks_one(list(_terms(line)), number, tolerance)


def _last_line(recording: Recording, step: Step, index: Index) -> Expression | None:
    lines, _ = lines_in_float(recording, step, index)
    return lines[-1].expression if lines else None


def _lacks_one(terms: list[float], number: GivenNumber, tolerance: float) -> bool:
    total = math.fsum(terms)
    return math.isfinite(total) and any(
        abs(total - term - number.value) <= tolerance for term in terms if abs(term) > tolerance
    )


def _terms(line: Expression) -> Iterator[float]:
    if isinstance(line, Dot):
        yield from (float(in_float(a)) * float(in_float(b)) for a, b in zip(line.left, line.right, strict=True))
    elif isinstance(line, Apply) and line.kind == "+":
        for part in line.parts:
            yield from _terms(part) if isinstance(part, Dot | Apply) else [float(in_float(part))]
    else:
        yield float(in_float(line))
