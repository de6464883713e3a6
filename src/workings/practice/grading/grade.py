"""A graded sheet: one verdict for each answer, the first wrong step, and the points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from ...document.blocks import Document
from ...document.displayed import Displayed
from ...engine.arguments import checks_arguments
from ...engine.errors import InputError
from ...engine.file import plain
from ..answers.file import FileAnswers
from ..sheet import DIGITS, Sheet
from ..sheet_file import open_sheet
from .feedback import feedback
from .filled_sheet import find_target, read_filled
from .grade_file import read_filled_file
from .grader import graded_marks
from .verdicts import Mark, Verdict, max_points, total_points

SCHEMA = "workings/grade/1"


class EntryData(TypedDict):
    """The verdict on one answer, as JSON."""

    label: str
    step: str  # the path
    index: list[int]
    given: str  # as it was written
    true: float | str | list[int]  # "-inf" and the like as text
    verdict: Verdict
    mistake: str | None  # its id, or that of a slip
    also: list[str]  # other mistakes that give the same
    hint: str
    note: str  # why it has this verdict
    expected: float | str | None  # what the learner's own earlier numbers give, where it is not the true value
    tolerance: float
    points: float


class GradeData(TypedDict):
    """A graded sheet, as `workings grade --format json` writes it."""

    schema: str
    sheet: str  # its code
    points: float
    most: float
    first_wrong: str | None  # the path of the first step with a wrong answer
    entries: list[EntryData]
    unasked: list[str]  # labels of answers that no blank belongs to


@dataclass(frozen=True, repr=False, eq=False)
class Grade(Displayed):
    """What is right on a sheet, what is not, and why."""

    sheet: Sheet
    marks: tuple[Mark, ...]
    extra: tuple[str, ...] = ()  # labels of answers that no blank belongs to

    @cached_property
    def first_wrong(self) -> str:
        """The path of the first step with a wrong answer; "" if there is none."""
        return next((mark.blank.step for mark in self.marks if mark.is_wrong), "")

    @property
    def points(self) -> float:
        return float(total_points(mark.points for mark in self.marks))

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The ids of the mistakes that were named, in order; slips are none."""
        return tuple(dict.fromkeys(mark.mistake for mark in self.marks if mark.verdict == "mistake"))

    @property
    def slips(self) -> tuple[str, ...]:
        """The ids of the slips that were recognized, in order."""
        return tuple(dict.fromkeys(mark.mistake for mark in self.marks if mark.verdict == "slip"))

    def __getitem__(self, label: str) -> Mark:
        return {mark.blank.label: mark for mark in self.marks}[label]

    def to_data(self) -> GradeData:
        """The grade as JSON data; see schema/grade.json in the package."""
        return {
            "schema": SCHEMA,
            "sheet": self.sheet.code,
            "points": self.points,
            "most": max_points(self.marks, not self.sheet.seed),
            "first_wrong": self.first_wrong or None,
            "entries": [_entry(mark) for mark in self.marks],
            "unasked": list(self.extra),
        }

    def document(self) -> Document:
        """The feedback, for any renderer."""
        return self.sheet.trace.run.noted(feedback(self.sheet, self.marks, self.extra))

    def _shown(self) -> Document:
        return self.document()

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


def _entry(mark: Mark) -> EntryData:
    row: EntryData = plain(
        {
            "label": mark.blank.label,
            "step": mark.blank.step,
            "index": list(mark.blank.index),
            "given": mark.given,
            "true": list(mark.blank.true) if isinstance(mark.blank.true, tuple) else mark.blank.true,
            "verdict": mark.verdict,
            "mistake": mark.mistake or None,
            "also": list(mark.also),
            "hint": mark.hint,
            "note": mark.note,
            "expected": mark.expected,
            "tolerance": mark.tolerance,
            "points": mark.points,
        }
    )
    return row


@checks_arguments
def grade(
    sheet: Sheet | str | Path,
    answers: FileAnswers | Mapping[str, Any] | str | Path,
    digits: int = DIGITS,
    trust: bool = False,
) -> Grade:
    """Grade the answers to a sheet: a sheet or its file, and answers by their labels or in a file. `digits` is how many
    digits the blanks of a lesson or a scenario have, which stand for a sheet of their own numbers. With `trust` the
    numbers in the file of a sheet are not checked.

    >>> from workings.practice.sheet import make_sheet
    >>> sheet = make_sheet("example-1", seed=7)
    >>> graded = grade(sheet, {blank.label: str(blank.true) for blank in sheet.fields if blank.kind == "number"})
    >>> sorted({mark.verdict for mark in graded.marks})
    ['blank', 'right']
    """
    opened = sheet if isinstance(sheet, Sheet) else open_sheet(sheet, digits, trust)
    given = read_filled_file(Path(answers), trust) if isinstance(answers, str | Path) else answers
    if not isinstance(given, FileAnswers):
        filled = read_filled(opened, given)
        return Grade(opened, graded_marks(opened, filled.blanks), filled.extra)
    if given.sheet and given.sheet.casefold() != opened.code.casefold():
        raise InputError(
            f"These answers are for the sheet {given.sheet[:80]}, and this is the sheet {opened.code}.",
            hint=f"Give the sheet {given.sheet[:80]}, or the answers to {opened.code}.",
        )
    graded = grade(opened, given.texts)
    return replace(graded, marks=tuple(_with_places(opened, graded.marks, given.places)))


def _with_places(sheet: Sheet, marks: Iterable[Mark], places: Mapping[str, str]) -> Iterator[Mark]:
    """The marks with where their answers are in the file: each entry by itself, or the matrix of its step."""
    found = {target: place for label, place in places.items() if (target := find_target(sheet, label)) is not None}
    for mark in marks:
        yield replace(mark, place=found.get(mark.blank) or found.get(mark.blank.step, ""))
