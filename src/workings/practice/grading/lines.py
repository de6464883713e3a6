"""The marks of lines on the way to an entry: from the learner's own numbers, and from their own lines before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ...engine.steps import Step
from ..blanks import Blank
from ..lines import LineAnswers, carried_lines
from .verdicts import Mark, compare_number

if TYPE_CHECKING:
    from .grader import Grader


def line_answers(grader: Grader, path: str) -> LineAnswers:
    """What was answered for the lines of a step."""
    blanks = (blank for blank in grader.sheet.fields if blank.kind == "line" and blank.step == path)
    given = ((blank, grader.filled[blank.label].number) for blank in blanks)
    return {(blank.line, cast(float, blank.true)): number.value for blank, number in given if number is not None}


def mark_line(grader: Grader, step: Step, blank: Blank) -> Mark:
    """The mark of one line. From a wrong one the entry may follow, so its step is not judged by the truth alone."""
    filled, true = grader.filled[blank.label], cast(float, blank.true)
    mark = Mark(blank, filled.text, "blank", tolerance=blank.tolerance)
    if filled.problem or filled.number is None:
        return replace(mark, verdict="unreadable", note=filled.problem) if filled.problem else mark
    grader.carried.compute(step)
    recording, answers = grader.carried.recording, line_answers(grader, step.path)
    own = carried_lines(recording, grader.truth, step, blank.index, answers).get(blank.line, true)
    is_true = compare_number(filled.number, true, blank.tolerance, grader.sheet.digits)
    if is_true is not None:
        return replace(mark, verdict=is_true)
    grader.tainted.add(step.id)
    follows = compare_number(filled.number, own, blank.tolerance, grader.sheet.digits) is not None
    return replace(mark, verdict="follows" if follows else "unknown", expected=own if own != true else None)


def entry_from_lines(grader: Grader, step: Step, blank: Blank) -> Iterator[tuple[float, float]]:
    """What an entry should be from the learner's own lines, and how far off it may be."""
    answers = line_answers(grader, step.path)
    if answers:
        lines = carried_lines(grader.carried.recording, grader.truth, step, blank.index, answers)
        if "" in lines:
            yield lines[""], blank.tolerance
