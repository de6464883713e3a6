"""What each blank accepts, computed beforehand, so that a page can check answers without a lab: for each blank the
numbers that an answer may be, and the mark that each of them gets.

Only the comparison is left to the reader's browser. So each answer is checked by itself, from the true numbers before
it; that a later answer follows from a wrong one, only the lab can see.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from ...document.numbers import Style, write
from ..blanks import Blank
from ..sheet import Sheet
from ..tolerance import DUST, half_unit
from .few_digits import needed_digits
from .filled_sheet import read_filled
from .grader import Grader
from .verdicts import FLOAT_ERROR, Mark, too_few_digits

NONE = "none"  # of positions: that there are none is an answer


@dataclass(frozen=True)
class AcceptedNumber:
    """A number that an answer may be: the true one, or what a mistake gives. An answer with fewer digits than required
    may be further off, up to `coarsest`, and then gets the mark `coarser`; beyond it, with its few digits, `too_few`.
    """

    value: float
    tolerance: float
    half_unit: float
    mark: Mark
    coarser: Mark | None
    coarsest: float = 0.0  # half a unit of the last digit that an answer needs
    too_few: Mark | None = None


@dataclass(frozen=True)
class AcceptedAnswers:
    """What one blank accepts: numbers, or texts of which only words and numbers count. Any `other` answer is wrong."""

    blank: Blank
    numbers: tuple[AcceptedNumber, ...]
    texts: dict[str, Mark]
    other: Mark
    unreadable: Mark


def accepted_answers(sheet: Sheet, blank: Blank) -> AcceptedAnswers:
    """
    >>> from workings.practice.sheet import make_sheet
    >>> sheet = make_sheet("example-1", seed=7, blanks="few")
    >>> found = accepted_answers(sheet, sheet.by_label["scaled[0][0]"])
    >>> [(round(one.value, 4), one.mark.verdict) for one in found.numbers][:2]
    [(-0.002, 'right'), (-0.0028, 'mistake')]
    """
    return AcceptedAnswers(
        blank,
        tuple(_numbers(sheet, blank)) if blank.kind == "number" else (),
        {normalized(text): _mark(sheet, blank, text) for text in _texts(blank)},
        Mark(blank, "", "unknown"),
        Mark(blank, "", "unreadable", note="write a decimal or a fraction, such as 0.25 or 1/4."),
    )


def _numbers(sheet: Sheet, blank: Blank) -> Iterator[AcceptedNumber]:
    """The true number first, then what each mistake gives that can be named from this entry alone."""
    true = cast(float, blank.true)
    needed = needed_digits(sheet, blank)
    right = _number(sheet, true, _mark(sheet, blank, repr(true)))
    if math.isfinite(true):
        coarser = Mark(blank, "", "right to the digits given")
        too_few = Mark(blank, "", "too few digits", note=too_few_digits(needed))
        right = replace(right, coarser=coarser, coarsest=half_unit(true, needed), too_few=too_few)
    yield right
    shape = sheet.trace[blank.step].shape
    for mistake in sheet.mistakes:
        if mistake.step != blank.step or mistake.value.shape != shape:
            continue
        value = float(mistake.value[blank.index])
        mark = _mark(sheet, blank, write(value, Style(sheet.digits)))
        if mark.verdict == "mistake":
            yield _number(sheet, value, mark)


def _number(sheet: Sheet, value: float, mark: Mark) -> AcceptedNumber:
    if not math.isfinite(value):  # an answer is that, or it is not
        return AcceptedNumber(value, 0.0, 0.0, mark, None)
    tolerance = mark.blank.tolerance + FLOAT_ERROR * abs(value) + DUST
    return AcceptedNumber(value, tolerance, half_unit(value, sheet.digits), mark, None)


def _texts(blank: Blank) -> tuple[str, ...]:
    """The answers to a blank for text that are known beforehand: the choices, or the right positions."""
    if blank.kind == "positions":
        return (" ".join(map(str, cast(tuple[int, ...], blank.true))) or NONE,)
    return blank.choices


def _mark(sheet: Sheet, blank: Blank, text: str) -> Mark:
    grader = Grader(sheet, read_filled(sheet, {blank.label: text}).blanks)
    return next(mark for mark in grader.step_alone(blank.step) if mark.blank.label == blank.label)


def normalized(text: str) -> str:
    """A text of which only words and numbers count; of several numbers, which there are.

    >>> normalized(" 1,  3 "), normalized("Yes"), normalized("{3} and 1"), normalized("{}")
    ('1 3', 'yes', '1 3', 'none')
    """
    words = "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()
    if all(word.isdecimal() or word == "and" for word in words):
        words = [str(number) for number in sorted({int(word) for word in words if word != "and"})]
    return " ".join(words) or NONE
