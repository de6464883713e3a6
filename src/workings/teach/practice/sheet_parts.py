"""The parts of a sheet, read from its JSON. Each is checked as it is read, so that a damaged sheet is refused with the
part that is wrong, before anything is graded with it. What a newer version has added is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, get_args

import numpy

from ...engine.arrays import Array, Index
from ...engine.errors import InputError
from ...explain.notation import Notation
from ...explain.view import Trace
from ..answers.spelling import shown
from . import sentences as _sentences  # noqa: F401 - puts them into the catalogue
from .asked import Field, FieldKind

DEEPEST = 8  # axes of a value

Known = TypeVar("Known", bound=str)


@dataclass(frozen=True, eq=False)
class KeyedSlip:
    """What a mistake gives at a step, worked out from the true numbers."""

    id: str
    step: str
    hint: str
    value: Array
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A part of the data, and the way to it.

    >>> Part({"digits": 4})["digits"].whole(1, 12)
    4
    >>> Part({"fields": [{"kind": "word"}]})["fields"].each()[0]["kind"].one_of(("number", "choice"))
    Traceback (most recent call last):
        ...
    workings.engine.errors.InputError: This is no whole sheet: fields[0].kind cannot be "word".
    ...
    """

    value: Any
    way: str = ""

    def __getitem__(self, key: str) -> Part:
        if not isinstance(self.value, dict):
            self.refuse()
        way = f"{self.way}.{key}".lstrip(".")
        if key not in self.value:
            raise InputError("sheet.broken.missing", part=shown(way))
        return Part(self.value[key], way)

    def refuse(self) -> NoReturn:
        raise InputError("sheet.broken", part=shown(self.way or "{}"), value=shown(json.dumps(self.value)[:1000]))

    def each(self) -> list[Part]:
        if not isinstance(self.value, list):
            self.refuse()
        return [Part(item, f"{self.way}[{place}]") for place, item in enumerate(self.value)]

    def names(self) -> list[str]:
        if not isinstance(self.value, dict):
            self.refuse()
        return list(self.value)

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.refuse()
        return self.value

    def texts(self) -> tuple[str, ...]:
        return tuple(part.text() for part in self.each())

    def one_of(self, known: Sequence[Known]) -> Known:
        return next((word for word in known if word == self.value), None) or self.refuse()

    def whole(self, least: int, most: int | None = None) -> int:
        value = self.value
        if type(value) is not int or value < least or (most is not None and value > most):
            self.refuse()
        return int(value)

    def wholes(self) -> tuple[int, ...]:
        return tuple(part.whole(0) for part in self.each())

    def number(self) -> float:
        """A number; JSON cannot write inf and nan, which are texts."""
        if type(self.value) not in (int, float) and self.value not in ("inf", "-inf", "nan"):
            self.refuse()
        try:
            return float(self.value)
        except OverflowError:
            self.refuse()

    def array(self) -> Array:
        """Nested lists of numbers, all equally long."""
        try:
            found = numpy.array(self._nested(), dtype=numpy.float64)
        except ValueError:
            self.refuse()
        return found if found.size and found.ndim <= DEEPEST else self.refuse()

    def _nested(self, depth: int = 0) -> Any:
        if not isinstance(self.value, list) or depth > DEEPEST:
            return self.number()
        return [part._nested(depth + 1) for part in self.each()]


def fields_of(part: Part, trace: Trace) -> tuple[Field, ...]:
    """What is asked for: at least one answer, and each under a label of its own."""
    shapes = _shapes(trace)
    fields = tuple(_field(row, shapes) for row in part.each())
    if not fields or len({field.label for field in fields}) < len(fields):
        part.refuse()
    return fields


def slips_of(part: Part, trace: Trace) -> tuple[KeyedSlip, ...]:
    """What mistakes give."""
    shapes = _shapes(trace)
    return tuple(_slip(row, shapes) for row in part.each())


def labels_of(part: Part) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words along an axis, by step and axis."""
    return {step: {axis: part[step][axis].texts() for axis in part[step].names()} for step in part.names()}


def notation_of(part: Part) -> Notation:
    symbols = tuple((name, symbol) for name, symbol in (pair.texts() for pair in part["symbols"].each()))
    return Notation(symbols, part["count_from"].value, part["vectors"].value)


def _shapes(trace: Trace) -> dict[str, Index]:
    return {step.path: step.form.shape for step in trace.recording.steps.values()}


def _field(row: Part, shapes: dict[str, Index]) -> Field:
    kind = row["kind"].one_of(_kinds())
    step = row["step"].one_of(tuple(shapes))
    tolerance = row["tolerance"].number()
    if not 0 <= tolerance < math.inf:
        row["tolerance"].refuse()
    choices = row["choices"].texts()
    true = _true(row["true"], kind, choices)
    index = _index(row["index"], kind, shapes[step])
    return Field(row["label"].text(), step, index, kind, true, tolerance, row["question"].text(), choices)


def _kinds() -> tuple[FieldKind, ...]:
    return get_args(FieldKind)


def _index(part: Part, kind: FieldKind, shape: Index) -> Index:
    """The place of an entry, of a row whose positions are asked for, or of the whole."""
    places = {"number": shape, "positions": shape[:-1]}.get(kind, ())
    index = part.wholes()
    if len(index) != len(places) or any(place >= size for place, size in zip(index, places, strict=True)):
        part.refuse()
    return index


def _true(part: Part, kind: FieldKind, choices: tuple[str, ...]) -> float | tuple[int, ...] | str:
    if kind == "choice":
        return part.one_of(choices)
    if kind != "number":
        return part.wholes()
    value = part.number()
    return part.refuse() if math.isnan(value) else value


def _slip(row: Part, shapes: dict[str, Index]) -> KeyedSlip:
    step = row["step"].one_of(tuple(shapes))
    return KeyedSlip(row["id"].text(), step, row["hint"].text(), row["value"].array(), row["also"].texts())
