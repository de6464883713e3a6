"""Practice in an offline file: sheets, their hints, and what each blank accepts, so that a browser can check answers
without a lab.
"""

from __future__ import annotations

import math
from functools import partial

from ...document.blocks import Document, Text, Words, to_data
from ...practice.grading.accepted import AcceptedNumber, accepted_answers
from ...practice.quiz.hints import rungs_of
from ...practice.sheet import Sheet
from ..answers.ruling import Expected, Ruling, Rulings
from ..answers.trace import Page
from ..pages.practice import Sheets, hint_page, marked, sheet_page
from .record import Answers, posted

SEEDS, LEVEL = (1, 2, 3), "few"  # the sheet that practice begins with, and those that follow it


def practice_answers(source: str) -> Answers:
    """The first sheets of a lesson or scenario, their hints, and how their answers are checked."""
    sheets = Sheets()
    return {request: answer for seed in SEEDS for request, answer in _of_sheet(sheets, source, seed).items()}


def _of_sheet(sheets: Sheets, source: str, seed: int) -> Answers:
    sheet = sheets.of(source, "", seed, LEVEL)
    wish = {"source": source, "seed": seed, "blanks": LEVEL}
    answers = {posted("/api/sheets", wish): to_data(sheet_page(sheets, source, "", seed, LEVEL))}
    answers[posted("/api/sheets/rulings", wish)] = to_data(rulings(sheet))
    for blank in sheet.fields:
        for rung in range(len(rungs_of(sheet, blank))):
            request = posted("/api/sheets/hint", {**wish, "label": blank.label, "rung": rung})
            answers[request] = to_data(hint_page(sheets, source, "", seed, LEVEL, blank.label, rung))
    return answers


def rulings(sheet: Sheet) -> Rulings:
    """
    >>> found = rulings(Sheets().of("example-1", "", 7, "few")).rulings[4]
    >>> found.label, [(round(one.value, 4), one.mark.verdict) for one in found.expected][:2]
    ('weights[0][1]', [(0.4616, 'right'), (0.4606, 'mistake')])
    """
    about = "This file checks each answer by itself. The lab also sees what follows from a wrong one."
    page = Page(Document("", (Text((Words(about),)),), form="part"))
    mark_of = partial(marked, sheet)
    found = []
    for blank in sheet.fields:
        accepted = accepted_answers(sheet, blank)
        numbers = tuple(_expected(sheet, number) for number in accepted.numbers)
        texts = {text: mark_of(mark) for text, mark in accepted.texts.items()}
        other, unreadable = mark_of(accepted.other), mark_of(accepted.unreadable)
        found.append(Ruling(blank.label, blank.step, numbers, texts, other, unreadable))
    return Rulings(tuple(found), page)


def _expected(sheet: Sheet, number: AcceptedNumber) -> Expected:
    coarser = None if number.coarser is None else marked(sheet, number.coarser)
    too_few = None if number.too_few is None else marked(sheet, number.too_few)
    value = number.value if math.isfinite(number.value) else str(number.value)
    mark = marked(sheet, number.mark)
    return Expected(value, number.tolerance, number.half_unit, mark, coarser, number.coarsest, too_few)
