"""The JSON of a sheet, as types. The schema file of the package is derived from them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from ..engine.trace_data import RunData
from .blanks import BlankKind, BlankLevel


class FieldData(TypedDict):
    """One blank."""

    label: str  # its name in a file of answers
    step: str  # the path
    index: list[int]
    kind: BlankKind
    true: float | str | list[int]  # "-inf" and the like as text
    tolerance: float
    question: str  # what to answer, where it is not the entry itself
    choices: list[str]
    line: NotRequired[str]  # of a line on the way to the entry: its symbol
    points: NotRequired[float]  # that a right answer gives; 1 if nothing is said


class SlipData(TypedDict):
    """What a known mistake gives at a step."""

    id: str
    step: str
    hint: str
    value: Any  # nested lists; "inf", "-inf", "nan" as text
    also: list[str]  # ids of mistakes that give the same


class NotationData(TypedDict):
    """How names and entries are written."""

    symbols: list[list[str]]  # a name, and its symbol
    count_from: int
    vectors: str


class SheetData(TypedDict):
    """A sheet, as `workings worksheet -o sheet.json` writes it: everything that is needed to grade answers to it."""

    schema: str
    code: str  # as it is printed on the sheet
    name: str  # of the lesson or scenario
    run: str
    title: str
    seed: int
    generator: int  # the version of the way in which its numbers were drawn
    digits: int  # significant ones
    blanks: BlankLevel
    fields: list[FieldData]
    slips: list[SlipData]
    notation: NotationData
    labels: dict[str, dict[str, list[str]]]  # words along an axis, by step and axis
    trace: RunData
