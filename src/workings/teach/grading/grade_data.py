"""The shape of a grade in JSON. The schema file of the package is derived from these types."""

from __future__ import annotations

from typing import TypedDict

from .verdicts import Verdict


class EntryData(TypedDict):
    """The verdict on one answer."""

    label: str
    step: str  # the path
    index: list[int]
    given: str  # as it was written
    true: float | str | list[int]  # "-inf" for what JSON cannot write
    verdict: Verdict
    mistake: str | None  # its id
    also: list[str]  # other mistakes that give the same
    hint: str
    note: str  # why it is judged so
    expected: float | str | None  # what one's own earlier numbers give, where it is not the truth
    tolerance: float
    points: float


class GradeData(TypedDict):
    """A graded sheet, as `workings grade --format json` writes it."""

    schema: str
    sheet: str  # its code
    points: float
    most: int
    first_wrong: str | None  # the path of the first step with a wrong answer
    entries: list[EntryData]
    unasked: list[str]  # what was answered though nobody asked for it
