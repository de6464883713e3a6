"""The shape of a sheet in JSON. The schema file of the package is derived from these types."""

from __future__ import annotations

from typing import Any, TypedDict

from ...engine.trace_data import RunData
from .asked import Blanks, FieldKind


class FieldData(TypedDict):
    """One answer that is asked for."""

    label: str  # what it is called in a file of answers
    step: str  # the path
    index: list[int]
    kind: FieldKind
    true: float | str | list[int]  # "-inf" for what JSON cannot write
    tolerance: float
    question: str  # what is asked, where it is not the entry itself
    choices: list[str]


class SlipData(TypedDict):
    """What a known mistake gives at a step."""

    id: str
    step: str
    hint: str
    value: Any  # nested lists; "inf", "-inf", "nan" for what JSON cannot write
    also: list[str]  # ids of mistakes that give the same


class NotationData(TypedDict):
    """How names and entries are written."""

    symbols: list[list[str]]  # a name, and the symbol that stands for it
    count_from: int
    vectors: str


class SheetData(TypedDict):
    """A sheet, as `workings worksheet -o sheet.json` writes it: all that is needed to grade answers to it."""

    schema: str
    code: str  # as it is printed on the sheet
    name: str  # of the lesson or scenario
    run: str
    title: str
    seed: int
    generator: int  # the number of the way in which its numbers were drawn
    digits: int  # significant ones
    blanks: Blanks
    fields: list[FieldData]
    slips: list[SlipData]
    notation: NotationData
    labels: dict[str, dict[str, list[str]]]  # words along an axis, by step and axis
    trace: RunData
