"""Answers with fewer digits than required: how many digits it takes to tell a right answer from a wrong one, and to how
many a learner works.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ...engine.rounding import round_float
from ..blanks import Blank
from ..sheet import Sheet
from ..tolerance import half_unit, is_short
from .filled_sheet import FilledBlank

MIN_DIGITS = 2  # significant ones of any answer that is right to the digits given
MAX_COARSER = (
    10.0  # tolerances in half a unit of the last digit given: beyond it, a wrong number looks like the right one
)
MOST = 0.9  # of the answers of a learner who works to fewer digits
VISIBLE = 2.0  # tolerances between the truth and a mistake that these digits can show


def needed_digits(sheet: Sheet, blank: Blank) -> int:
    """How many significant digits an answer needs, so that neither a known mistake nor a number that is clearly off has
    the same ones. End zeros need not be written.

    >>> from workings.practice.sheet import make_sheet
    >>> sheet = make_sheet("example-3", seed=7)
    >>> needed_digits(sheet, sheet.by_label["scaled[1][0]"])
    3
    """
    assert isinstance(blank.true, float)
    others = list(mistaken_values(sheet, blank))
    for digits in range(MIN_DIGITS, sheet.digits):
        if _are_enough(digits, blank.true, blank.tolerance, others):
            return digits
    return sheet.digits


def _are_enough(digits: int, true: float, tolerance: float, others: Iterable[float]) -> bool:
    near, shown = half_unit(true, digits), round_float(true, digits, "significant")
    return near <= MAX_COARSER * tolerance and all(abs(shown - other) > near + tolerance for other in others)


def mistaken_values(sheet: Sheet, blank: Blank) -> Iterable[float]:
    """What the known mistakes give in a blank, where it is visible."""
    assert isinstance(blank.true, float)
    shape = sheet.trace[blank.step].shape
    for mistake in sheet.mistakes:
        if mistake.step == blank.step and mistake.value.shape == shape:
            value = float(mistake.value[blank.index])
            if math.isfinite(value) and abs(value - blank.true) > VISIBLE * blank.tolerance:
                yield value


def working_digits(sheet: Sheet, filled: Mapping[str, FilledBlank]) -> int:
    """To how many digits a learner works: those of the sheet, or one fewer if hardly any answer has them all."""
    counts = sorted(
        number.digits
        for blank in sheet.fields
        if isinstance(blank.true, float) and not is_short(blank.true, sheet.digits)
        if (number := filled[blank.label].number) is not None
    )
    if not counts or counts[int(MOST * len(counts))] >= sheet.digits:
        return sheet.digits
    return max(sheet.digits - 1, MIN_DIGITS)
