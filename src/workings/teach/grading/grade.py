"""A graded sheet: one verdict for each answer, the first wrong step, and the points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...engine.errors import InputError
from ...engine.file import plain
from ...explain.displayed import Displayed
from ...explain.document import Document
from ..answers.file import Answers, read_answers
from ..practice.sheet import DIGITS, Sheet, open_sheet
from .feedback import feedback
from .grade_data import EntryData, GradeData
from .judge import Judge
from .reading import meant, read_all
from .verdicts import Mark, most_points

SCHEMA = "workings/grade/1"


@dataclass(frozen=True, repr=False, eq=False)
class Grade(Displayed):
    """What is right on a sheet, what is not, and why."""

    sheet: Sheet
    marks: tuple[Mark, ...]
    unasked: tuple[str, ...] = ()  # what was answered though nobody asked for it

    @cached_property
    def first_wrong(self) -> str:
        """The path of the first step with a wrong answer; none if all is right."""
        return next((mark.field.step for mark in self.marks if mark.is_wrong), "")

    @property
    def points(self) -> float:
        return sum(mark.points for mark in self.marks)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The ids of the mistakes that were named, the first one first."""
        return tuple(dict.fromkeys(mark.mistake for mark in self.marks if mark.mistake))

    def __getitem__(self, label: str) -> Mark:
        return {mark.field.label: mark for mark in self.marks}[label]

    def to_data(self) -> GradeData:
        """The grade as JSON data; see schema/grade.json in the package."""
        return {
            "schema": SCHEMA,
            "sheet": self.sheet.code,
            "points": self.points,
            "most": most_points(self.marks, not self.sheet.seed),
            "first_wrong": self.first_wrong or None,
            "entries": [_entry(mark) for mark in self.marks],
            "unasked": list(self.unasked),
        }

    def document(self) -> Document:
        """The feedback, for any renderer."""
        return feedback(self.sheet, self.marks, self.unasked)

    def _shown(self) -> Document:
        return self.document()

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


def _entry(mark: Mark) -> EntryData:
    row: EntryData = plain(
        {
            "label": mark.field.label,
            "step": mark.field.step,
            "index": list(mark.field.index),
            "given": mark.given,
            "true": list(mark.field.true) if isinstance(mark.field.true, tuple) else mark.field.true,
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


def grade(sheet: Sheet | str | Path, answers: Answers | Mapping[str, Any] | str | Path, digits: int = DIGITS) -> Grade:
    """Grade the answers to a sheet: a sheet or its file, and answers by their labels or in a file. Of a lesson or a
    scenario, which ask for their own numbers, so many `digits` are asked for.

    >>> from workings.teach.practice.sheet import make_sheet
    >>> sheet = make_sheet("example-1", seed=7)
    >>> graded = grade(sheet, {field.label: str(field.true) for field in sheet.fields if field.kind == "number"})
    >>> sorted({mark.verdict for mark in graded.marks})
    ['blank', 'right']
    """
    opened = sheet if isinstance(sheet, Sheet) else open_sheet(sheet, digits)
    given = read_answers(Path(answers)) if isinstance(answers, str | Path) else answers
    if not isinstance(given, Answers):
        read = read_all(opened, given)
        return Grade(opened, tuple(Judge(opened, read.fields).marks()), read.unasked)
    if given.sheet and given.sheet.casefold() != opened.code.casefold():
        raise InputError("grade.sheet", other=given.sheet[:80], code=opened.code)
    graded = grade(opened, given.written)
    return replace(graded, marks=tuple(_placed(opened, graded.marks, given.places)))


def _placed(sheet: Sheet, marks: Iterable[Mark], places: Mapping[str, str]) -> Iterator[Mark]:
    """The marks with where their answers stand in the file: each entry by itself, or the matrix of its step."""
    found = {asked: place for label, place in places.items() if (asked := meant(sheet, label)) is not None}
    for mark in marks:
        yield replace(mark, place=found.get(mark.field) or found.get(mark.field.step, ""))
