"""A sheet that can be judged without a lab: for each answer the numbers that it may be, and what is said about each.

Only comparing is left to the reader's browser. So each answer is judged by itself, from the true numbers before it;
that a later one follows from a wrong one, only the lab can see.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import cast

from ..engine.sentences import add_sentences, say
from ..explain.document import Document, Text, Words, to_data
from ..explain.numbers import Style, write
from ..teach.grading.agreement import ROOM
from ..teach.grading.judge import Judge
from ..teach.grading.reading import read_all
from ..teach.grading.verdicts import Mark
from ..teach.practice.asked import Field
from ..teach.practice.sheet import Sheet
from ..teach.practice.tolerance import DUST, half_unit
from ..teach.quiz.ladder import rungs_of
from .answers import Marked, Page
from .practice import Sheets, hint_page, marked, sheet_page
from .record import Answers, posted
from .ruling_answers import Expected, Ruling, Rulings

NONE = "none"  # of positions: that there are none is an answer
SEEDS, BLANKS = (1, 2, 3), "few"  # the sheet that practice begins with, and those that follow it

add_sentences(
    "lab",
    {
        "offline.judged": "Each answer is judged by itself here. The lab also sees what follows from it.",
        "offline.unreadable": "write a decimal or a fraction, such as 0.25 or 1/4.",
    },
)


def practice_answers(source: str) -> Answers:
    """The first sheets of a lesson or scenario, their hints, and how their answers are judged."""
    sheets = Sheets()
    return {request: answer for seed in SEEDS for request, answer in _of_sheet(sheets, source, seed).items()}


def _of_sheet(sheets: Sheets, source: str, seed: int) -> Answers:
    sheet = sheets.of(source, "", seed, BLANKS)
    wish = {"source": source, "seed": seed, "blanks": BLANKS}
    answers = {posted("/api/sheets", wish): to_data(sheet_page(sheets, source, "", seed, BLANKS))}
    answers[posted("/api/sheets/rulings", wish)] = to_data(rulings(sheet))
    for field in sheet.fields:
        for rung in range(len(rungs_of(sheet, field))):
            request = posted("/api/sheets/hint", {**wish, "label": field.label, "rung": rung})
            answers[request] = to_data(hint_page(sheets, source, "", seed, BLANKS, field.label, rung))
    return answers


def rulings(sheet: Sheet) -> Rulings:
    """
    >>> found = rulings(Sheets().of("example-1", "", 7, "few")).rulings[4]
    >>> found.label, [(round(one.value, 4), one.mark.verdict) for one in found.expected][:2]
    ('last[0]', [(0.0916, 'right'), (0.0923, 'mistake')])
    """
    about = Document("", (Text((Words(say("lab.offline.judged")),)),), form="part")
    return Rulings(tuple(_ruling(sheet, field) for field in sheet.fields), Page(about))


def _ruling(sheet: Sheet, field: Field) -> Ruling:
    said = partial(_said, sheet, field)
    return Ruling(
        field.label,
        field.step,
        tuple(_expected(sheet, field)) if field.kind == "number" else (),
        {normal(text): said(text) for text in _texts(field)},
        marked(sheet, Mark(field, "", "unknown")),
        marked(sheet, Mark(field, "", "unreadable", note=say("lab.offline.unreadable"))),
    )


def _expected(sheet: Sheet, field: Field) -> Iterator[Expected]:
    """The true number first, then what each mistake gives that can be named from this entry alone."""
    true = cast(float, field.true)
    coarser = marked(sheet, Mark(field, "", "right to the digits given"))
    yield _number(sheet, field, true, _said(sheet, field, repr(true)), coarser)
    for slip in sheet.slips:
        if slip.step != field.step or len(slip.value.shape) != len(field.index):
            continue
        value = float(slip.value[field.index])
        mark = _said(sheet, field, write(value, Style(sheet.digits)))
        if mark.mistake:
            yield _number(sheet, field, value, mark, None)


def _number(sheet: Sheet, field: Field, value: float, mark: Marked, coarser: Marked | None) -> Expected:
    if not math.isfinite(value):  # it is that, or it is not
        return Expected(str(value), 0.0, 0.0, mark, None)
    room = field.tolerance + ROOM * abs(value) + DUST
    return Expected(value, room, half_unit(value, sheet.digits), mark, coarser)


def _texts(field: Field) -> tuple[str, ...]:
    """The answers to what is no number that are known beforehand: the choices, or the right positions."""
    if field.kind == "positions":
        return (" ".join(map(str, cast(tuple[int, ...], field.true))) or NONE,)
    return field.choices


def _said(sheet: Sheet, field: Field, text: str) -> Marked:
    judge = Judge(sheet, read_all(sheet, {field.label: text}).fields)
    return marked(sheet, next(mark for mark in judge.step_alone(field.step) if mark.field.label == field.label))


def normal(text: str) -> str:
    """A text of which only its words and numbers count; of several numbers, which there are.

    >>> normal(" 1,  3 "), normal("Yes"), normal("{3} and 1"), normal("{}")
    ('1 3', 'yes', '1 3', 'none')
    """
    words = "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()
    if all(word.isdecimal() or word == "and" for word in words):
        words = [str(number) for number in sorted({int(word) for word in words if word != "and"})]
    return " ".join(words) or NONE
