"""The answers to a sheet, read: what is in each blank, as far as it can be read."""

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
from ..answers.number import GivenNumber, is_blank, read_number
from ..answers.spelling import shown
from ..blanks import Blank
from ..sheet import Sheet

_ENTRY = re.compile(r"(?P<name>[^\[\]]+)(?P<index>(?:\[\d+\])*)")


@dataclass(frozen=True)
class FilledBlank:
    """What is in one blank: a number, another kind of answer, or nothing."""

    text: str = ""
    number: GivenNumber | None = None
    other: Any = None  # a shape, a set of positions, a choice
    problem: str = ""  # why it cannot be read
    shape: tuple[int, ...] | None = None  # of a whole matrix whose shape is not that of the step

    @property
    def is_blank(self) -> bool:
        return self.number is None and self.other is None and not self.problem and self.shape is None


@dataclass(frozen=True)
class FilledSheet:
    """The answers to a sheet: what is in each blank, and the labels of answers that no blank belongs to."""

    blanks: Mapping[str, FilledBlank]
    extra: tuple[str, ...] = ()


def read_filled(sheet: Sheet, answers: Mapping[str, Any]) -> FilledSheet:
    """Every blank of a sheet with its answer: under its own label, or in a matrix for the whole step."""
    found = {label: FilledBlank() for label in sheet.by_label}
    whole: dict[str, Any] = {}
    extra: list[str] = []
    for label, text in answers.items():
        target = find_target(sheet, str(label))
        if isinstance(target, Blank):
            found[target.label] = _one(target, text)
        elif target is not None:
            whole[target] = text
        else:
            extra.append(str(label)[:80])
    if extra and len(extra) == len(answers):
        raise InputError(
            f"These answers do not belong to the sheet {sheet.code}: it has no blank named '{extra[0]}'.",
            hint=f"Give the sheet that they belong to, or write labels as on this one: {sheet.fields[0].label}.",
        )
    for path, text in whole.items():
        found |= _whole(sheet, path, text, found)
    return FilledSheet(found, tuple(extra))


def find_target(sheet: Sheet, label: str) -> Blank | str | None:
    """The blank or the path of the whole step that a label refers to: by its name on the sheet, or by any name that the
    trace knows.
    """
    label = read_label(label) or label
    if label in sheet.by_label:
        return sheet.by_label[label]
    if label in sheet.steps:
        return sheet.steps[label]
    match = _ENTRY.fullmatch(label)
    if match is None:
        return None
    try:
        path = sheet.trace.find_step(match["name"]).path
    except WorkingsError:
        return None
    blanks = [blank for blank in sheet.fields if blank.step == path and blank.kind == "number"]
    if match["index"]:
        entry = sheet.trace.style.notation.entry
        return next((blank for blank in blanks if entry("", blank.index) == match["index"]), None)
    return path if blanks else None


def _one(blank: Blank, text: Any) -> FilledBlank:
    text = "" if text is None else str(text)
    if is_blank(text):
        return FilledBlank(text)
    try:
        if blank.is_number:
            number = read_number(text)
            if number is not None and math.isnan(number.value):
                return FilledBlank(text, problem="It is not a number.")
            return FilledBlank(text, number=number)
        if blank.kind == "shape":
            return FilledBlank(text, other=read_shape(text))
        if blank.kind == "positions":
            return FilledBlank(text, other=read_positions(text))
        return FilledBlank(text, other=read_choice(text, blank.choices))
    except WorkingsError as error:
        return FilledBlank(text, problem=error.what)


def _whole(sheet: Sheet, path: str, text: Any, found: Mapping[str, FilledBlank]) -> dict[str, FilledBlank]:
    """The blanks of a step whose whole matrix was answered; an entry that is answered by itself too must be the same
    there.
    """
    text = str(text)
    shape = sheet.trace[path].shape
    blanks = [blank for blank in sheet.fields if blank.step == path and blank.kind == "number"]
    still_open = [blank for blank in blanks if found[blank.label].is_blank]
    try:
        matrix = read_matrix(text, shape)
    except WorkingsError as error:
        return {blank.label: FilledBlank(text, problem=error.what) for blank in still_open}
    if matrix.shape != shape:
        return {blank.label: FilledBlank(text, shape=matrix.shape) for blank in still_open}
    entries: dict[str, FilledBlank] = {}
    for blank in blanks:
        position = 0
        for number, size in zip(blank.index, shape, strict=True):
            position = position * size + number
        given, own = matrix.entries[position], found[blank.label]
        if own.is_blank:
            entries[blank.label] = FilledBlank("" if given is None else given.text, number=given)
        elif given is not None and own.number is not None and own.number.value != given.value:
            problem = (
                f"It is answered twice, by itself as {shown(own.text)} and in the whole matrix as {shown(given.text)}."
            )
            entries[blank.label] = FilledBlank(own.text, problem=problem)
    return entries
