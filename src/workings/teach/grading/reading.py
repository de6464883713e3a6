"""The answers to a sheet, read: what stands in each field, as far as it can be read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...engine.errors import InputError, WorkingsError
from ..answers.kinds import read_choice, read_positions, read_shape
from ..answers.labels import read_label
from ..answers.matrix import read_matrix
from ..answers.number import Given, is_blank, read_number
from ..answers.spelling import shown
from ..practice.asked import Field
from ..practice.sheet import Sheet
from .sentences import say

_ENTRY = re.compile(r"(?P<name>[^\[\]]+)(?P<index>(?:\[\d+\])*)")


@dataclass(frozen=True)
class Written:
    """What stands in one field: a number, or what else was asked for; nothing if it is blank."""

    text: str = ""
    given: Given | None = None
    other: Any = None  # a shape, a set of positions, a choice
    problem: str = ""  # why it cannot be read
    shape: tuple[int, ...] | None = None  # of a whole matrix that has another one than the step

    @property
    def is_blank(self) -> bool:
        return self.given is None and self.other is None and not self.problem and self.shape is None


@dataclass(frozen=True)
class Read:
    """The answers to a sheet: what stands in each field, and what was answered though nobody asked for it."""

    fields: Mapping[str, Written]
    unasked: tuple[str, ...] = ()


def read_all(sheet: Sheet, written: Mapping[str, Any]) -> Read:
    """Every field of a sheet with what was written into it: by its own label, or in a matrix for the whole step."""
    found = {label: Written() for label in sheet.asked}
    whole: dict[str, Any] = {}
    unasked: list[str] = []
    for label, text in written.items():
        asked = meant(sheet, str(label))
        if isinstance(asked, Field):
            found[asked.label] = _one(asked, text)
        elif asked is not None:
            whole[asked] = text
        else:
            unasked.append(str(label)[:80])
    if unasked and len(unasked) == len(written):
        raise InputError("grade.other_sheet", code=sheet.code, label=unasked[0], asked=sheet.fields[0].label)
    for path, text in whole.items():
        found |= _whole(sheet, path, text, found)
    return Read(found, tuple(unasked))


def meant(sheet: Sheet, label: str) -> Field | str | None:
    """The field or the whole step that a label means: as the sheet calls it, or by any name that the trace knows."""
    label = read_label(label) or label
    if label in sheet.asked:
        return sheet.asked[label]
    if label in sheet.steps:
        return sheet.steps[label]
    match = _ENTRY.fullmatch(label)
    if match is None:
        return None
    try:
        path = sheet.trace.find_step(match["name"]).path
    except WorkingsError:
        return None
    fields = [field for field in sheet.fields if field.step == path and field.kind == "number"]
    if match["index"]:
        entry = sheet.trace.style.notation.entry
        return next((field for field in fields if entry("", field.index) == match["index"]), None)
    return path if fields else None


def _one(field: Field, text: Any) -> Written:
    text = "" if text is None else str(text)
    if is_blank(text):
        return Written(text)
    try:
        if field.kind == "number":
            given = read_number(text)
            if given is not None and math.isnan(given.value):
                return Written(text, problem=say("grade.nan"))
            return Written(text, given=given)
        if field.kind == "shape":
            return Written(text, other=read_shape(text))
        if field.kind == "positions":
            return Written(text, other=read_positions(text))
        return Written(text, other=read_choice(text, field.choices))
    except WorkingsError as error:
        return Written(text, problem=error.what)


def _whole(sheet: Sheet, path: str, text: Any, found: Mapping[str, Written]) -> dict[str, Written]:
    """The fields of a step whose whole matrix was written down; an entry that is answered by itself too must be the
    same there.
    """
    shape = sheet.trace[path].shape
    fields = [field for field in sheet.fields if field.step == path and field.kind == "number"]
    open_fields = [field for field in fields if found[field.label].is_blank]
    written = str(text)
    try:
        matrix = read_matrix(written, shape)
    except WorkingsError as error:
        return {field.label: Written(written, problem=error.what) for field in open_fields}
    if matrix.shape != shape:
        return {field.label: Written(written, shape=matrix.shape) for field in open_fields}
    entries: dict[str, Written] = {}
    for field in fields:
        place = 0
        for position, size in zip(field.index, shape, strict=True):
            place = place * size + position
        given, own = matrix.entries[place], found[field.label]
        if own.is_blank:
            entries[field.label] = Written("" if given is None else given.text, given=given)
        elif given is not None and own.given is not None and own.given.value != given.value:
            problem = say("grade.twice", one=shown(own.text), other=shown(given.text))
            entries[field.label] = Written(own.text, problem=problem)
    return entries
