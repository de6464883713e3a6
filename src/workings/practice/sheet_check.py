"""Whether the key of a stored sheet is that of its trace, whose own numbers are checked while it is read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy

from ..engine.errors import InputError
from ..engine.file_check import READ_AS_IT_IS, apart
from ..explain.trace import Trace
from .blanks import Blank
from .lines import lines_of
from .tolerance import DUST

SAME = 1e-9  # relative: two machines that compute a number are closer


def check_key(trace: Trace, blanks: Iterable[Blank]) -> None:
    """Refuse the first blank whose answer in the file is not what the trace of the sheet gives.

    >>> from workings.practice.sheet import make_sheet
    >>> sheet = make_sheet("example-1", seed=7)
    >>> check_key(sheet.trace, sheet.fields)
    >>> check_key(sheet.trace, [replace(sheet.by_label["scores[0][1]"], true=9.75)])
    Traceback (most recent call last):
        ...
    workings.engine.errors.InputError: This sheet does not hold: the answer for scores[0][1] does not follow.
    ...
    """
    for blank in blanks:
        key, true = blank.true, _true(trace, blank)
        if isinstance(key, float) and isinstance(true, float):
            if key == true or math.isclose(key, true, rel_tol=SAME, abs_tol=DUST):
                continue
            found, expected = apart(key, true)
        elif key == true:
            continue
        else:
            found, expected = blank.true_text, replace(blank, true=true).true_text
        raise InputError(
            f"This sheet does not hold: the answer for {blank.label} does not follow.",
            where=f"the key, step {blank.step}",
            given=f"the key says {found}, but the step gives {expected}",
            hint=f"The file was changed: make it again. {READ_AS_IT_IS}",
        )


def _true(trace: Trace, blank: Blank) -> float | tuple[int, ...] | str:
    """The right answer, as the trace has it."""
    value = numpy.asarray(trace[blank.step].value)
    if blank.kind == "shape":
        return tuple(value.shape)
    if blank.kind == "positions":
        hidden = numpy.flatnonzero(numpy.isneginf(value[blank.index]))
        return tuple(trace.style.notation.place(int(position)) for position in hidden)
    if blank.kind == "choice":
        best = int(value.argmax())
        return blank.choices[best] if best < len(blank.choices) else ""
    if blank.kind == "line":
        lines = lines_of(trace.recording, trace.find_step(blank.step), blank.index)
        return next((float(line.value) for line in lines if line.symbol == blank.line), math.nan)
    return float(value[blank.index])
