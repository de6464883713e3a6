"""A sheet read from its JSON file. Each part is checked as it is read, so that a damaged sheet is refused with the part
that is wrong before anything is graded with it. Parts that a newer version has added are ignored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os.path import exists, isfile
from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_args

import numpy

from ..document.notation import Notation
from ..engine.arrays import Array, Index
from ..engine.errors import InputError, LessonError, WorkingsError
from ..engine.files import read_user_text
from ..explain.run import AxisLabels
from ..explain.trace import SCHEMA as TRACE_SCHEMA
from ..explain.trace import Trace
from .answers.spelling import shown
from .blanks import BLANK_LEVELS, Blank, BlankKind
from .lines import LineLevel
from .sheet import DIGITS, SCHEMA, TRAINING_STEP, Sheet, SheetMistake, own_sheet
from .sheet_check import check_key
from .sheet_code import CODE, SOURCE_ENDINGS, is_in_package, sheet_from_code

SCHEMA_KIND = SCHEMA.removesuffix("1")  # of every version
MAX_DIGITS = 12
MAX_AXES = 8  # of a value
MAX_SHEET_BYTES = 20_000_000
ANSWER_TABLES = (".csv", ".tsv", ".xlsx")
PRINTED_CODE = re.compile(r"`sheet ([^`\s]{1,200})`")  # on a page in Markdown
GIVE_THE_FILE = "Give the JSON file of the sheet: `workings worksheet example-1 -o sheet.json`."
MAKE_AGAIN = "Make it again: `workings worksheet example-1 -o sheet.json`."

Known = TypeVar("Known", bound=str)


def open_sheet(source: str | Path, digits: int = DIGITS, trust: bool = False) -> Sheet:
    """A sheet from its file, or made again from the code that is printed on it. A lesson or a scenario is a sheet too:
    every entry of its own numbers is a blank, to so many digits. With `trust` the numbers of a file are not checked.
    """
    name, path = str(source).strip(), Path(source)
    if path.suffix.lower() in ANSWER_TABLES:
        raise _answers_not_sheet(path.name)
    if isfile(path) and path.suffix.lower() not in SOURCE_ENDINGS:
        return read_sheet(read_user_text(path, MAX_SHEET_BYTES, hint=GIVE_THE_FILE), path.name, trust)
    code = CODE.fullmatch(name) or CODE.fullmatch(name.casefold())
    if isfile(path) and path.suffix.lower() == ".md":
        printed = PRINTED_CODE.search(read_user_text(path, MAX_SHEET_BYTES, hint=GIVE_THE_FILE))
        code = CODE.fullmatch(printed[1]) if printed else None
    elif exists(path):
        code = None
    if code is not None:
        return sheet_from_code(code)
    if exists(path) or is_in_package(name):
        return own_sheet(source, digits)
    raise InputError(
        f"There is no sheet '{name[:80]}': no file, code, lesson or scenario has that name.",
        hint="Give the file of the sheet, or the code that is printed on it.",
    )


def _answers_not_sheet(file: str) -> InputError:
    return InputError(
        f"{file} is a file of answers, not a sheet.",
        hint="Name the sheet first, then the answers: `workings grade sheet.json answers.csv`.",
    )


def read_sheet(text: str, name: str = "sheet", trust: bool = False) -> Sheet:
    """A sheet from its JSON. Its trace is computed again and its key compared with it, unless it is to be trusted."""
    try:
        data = json.loads(text)
        schema = str(data.get("schema", ""))[:40] if isinstance(data, dict) else ""
        if not schema and isinstance(data, dict) and "answers" in data:
            raise _answers_not_sheet(name)
        if schema != SCHEMA:
            raise _other_schema(name, schema)
        sheet = _from_data(SheetPart(data), trust)
        if not trust:
            check_key(sheet.trace, sheet.fields)
        return sheet
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        raise InputError(f"{name} is not a complete sheet: it is cut off, or not JSON.", hint=MAKE_AGAIN) from None
    except LessonError:
        raise
    except WorkingsError as error:
        error.where = ", ".join(filter(None, (name, error.where)))
        raise


def _other_schema(file: str, schema: str) -> InputError:
    if schema.startswith(SCHEMA_KIND):
        return InputError(
            f"{file} was written as {schema}, and this version reads {SCHEMA}.",
            hint="Install the version that wrote it: `pip install --upgrade workings`.",
        )
    return InputError(f"{file} is not a sheet: its schema is '{schema}', not {SCHEMA}.", hint=GIVE_THE_FILE)


def _from_data(data: SheetPart, trust: bool) -> Sheet:
    trace = Trace.from_json(json.dumps({"schema": TRACE_SCHEMA, "runs": [data["trace"].value]}), trust=trust)
    labels = _labels(data["labels"])
    by_path = AxisLabels(at_step=lambda view: labels.get(view.path, {}))
    style = replace(trace.style, notation=_notation(data["notation"]))
    trace = trace.with_run(style=style, labels=lambda trace: by_path)
    fields = _blanks(data["fields"], trace)
    return Sheet(
        name=data["name"].text(),
        run=data["run"].text(),
        title=data["title"].text(),
        seed=data["seed"].whole(0),
        digits=data["digits"].whole(1, MAX_DIGITS),
        blanks=data["blanks"].one_of(BLANK_LEVELS),
        fields=fields,
        mistakes=_mistakes(data["slips"], trace),
        trace=trace,
        labels=labels,
        generator=data["generator"].whole(0),
        lines=_lines(data, fields),
        is_training_step=_in_code(data, "step") == TRAINING_STEP,
    )


def _lines(data: SheetPart, blanks: tuple[Blank, ...]) -> LineLevel:
    """Which lines are blanks; the code of the sheet says more than its blanks."""
    if not any(blank.kind == "line" for blank in blanks):
        return "none"
    return "softmax" if _in_code(data, "lines") == "r" else "all"


def _in_code(data: SheetPart, part: str) -> str:
    code = CODE.fullmatch(data["code"].text()) if "code" in data.names() else None
    return code[part] if code is not None else ""


@dataclass(frozen=True)
class SheetPart:
    """A part of the data, and where it is.

    >>> SheetPart({"digits": 4})["digits"].whole(1, 12)
    4
    >>> SheetPart({"fields": [{"kind": "word"}]})["fields"].each()[0]["kind"].one_of(("number", "choice"))
    Traceback (most recent call last):
        ...
    workings.engine.errors.InputError: This is not a complete sheet: fields[0].kind cannot be "word".
    ...
    """

    value: Any
    way: str = ""

    def __getitem__(self, key: str) -> SheetPart:
        if not isinstance(self.value, dict):
            self.refuse()
        way = f"{self.way}.{key}".lstrip(".")
        if key not in self.value:
            raise InputError(f"This is not a complete sheet: {shown(way)} is missing.", hint=MAKE_AGAIN)
        return SheetPart(self.value[key], way)

    def refuse(self) -> NoReturn:
        value = shown(json.dumps(self.value)[:1000])
        raise InputError(f"This is not a complete sheet: {shown(self.way or '{}')} cannot be {value}.", hint=MAKE_AGAIN)

    def each(self) -> list[SheetPart]:
        if not isinstance(self.value, list):
            self.refuse()
        return [SheetPart(item, f"{self.way}[{number}]") for number, item in enumerate(self.value)]

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
        """A number; inf and nan are texts, because JSON has no numbers for them."""
        if type(self.value) not in (int, float) and self.value not in ("inf", "-inf", "nan"):
            self.refuse()
        try:
            return float(self.value)
        except OverflowError:
            self.refuse()

    def array(self) -> Array:
        """Nested lists of numbers, all of the same length."""
        try:
            found = numpy.array(self._nested(), dtype=numpy.float64)
        except ValueError:
            self.refuse()
        return found if found.size and found.ndim <= MAX_AXES else self.refuse()

    def _nested(self, depth: int = 0) -> Any:
        if not isinstance(self.value, list) or depth > MAX_AXES:
            return self.number()
        return [part._nested(depth + 1) for part in self.each()]


def _blanks(part: SheetPart, trace: Trace) -> tuple[Blank, ...]:
    """The blanks: at least one, and each under its own label."""
    shapes = _shapes(trace)
    blanks = tuple(_blank(row, shapes) for row in part.each())
    if not blanks or len({blank.label for blank in blanks}) < len(blanks):
        part.refuse()
    return blanks


def _mistakes(part: SheetPart, trace: Trace) -> tuple[SheetMistake, ...]:
    shapes = _shapes(trace)
    return tuple(_mistake(row, shapes) for row in part.each())


def _labels(part: SheetPart) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words along an axis, by step and axis."""
    return {step: {axis: part[step][axis].texts() for axis in part[step].names()} for step in part.names()}


def _notation(part: SheetPart) -> Notation:
    symbols = tuple((name, symbol) for name, symbol in (pair.texts() for pair in part["symbols"].each()))
    return Notation(symbols, part["count_from"].value, part["vectors"].value)


def _shapes(trace: Trace) -> dict[str, Index]:
    return {step.path: step.form.shape for step in trace.recording.steps.values()}


def _blank(row: SheetPart, shapes: dict[str, Index]) -> Blank:
    kind = row["kind"].one_of(_kinds())
    step = row["step"].one_of(tuple(shapes))
    tolerance = row["tolerance"].number()
    if not 0 <= tolerance < math.inf:
        row["tolerance"].refuse()
    choices = row["choices"].texts()
    true = _true(row["true"], kind, choices)
    index = _index(row["index"], kind, shapes[step])
    points = row["points"].number() if "points" in row.names() else 1.0
    if not 0 <= points < math.inf:
        row["points"].refuse()
    line = row["line"].text() if "line" in row.names() else ""
    return Blank(row["label"].text(), step, index, kind, true, tolerance, row["question"].text(), choices, points, line)


def _kinds() -> tuple[BlankKind, ...]:
    return get_args(BlankKind)


def _index(part: SheetPart, kind: BlankKind, shape: Index) -> Index:
    """The position of an entry, of a row (for positions), or of the whole."""
    sizes = {"number": shape, "line": shape, "positions": shape[:-1]}.get(kind, ())
    index = part.wholes()
    if len(index) != len(sizes) or any(position >= size for position, size in zip(index, sizes, strict=True)):
        part.refuse()
    return index


def _true(part: SheetPart, kind: BlankKind, choices: tuple[str, ...]) -> float | tuple[int, ...] | str:
    if kind == "choice":
        return part.one_of(choices)
    if kind not in ("number", "line"):
        return part.wholes()
    value = part.number()
    return part.refuse() if math.isnan(value) else value


def _mistake(row: SheetPart, shapes: dict[str, Index]) -> SheetMistake:
    step = row["step"].one_of(tuple(shapes))
    return SheetMistake(row["id"].text(), step, row["hint"].text(), row["value"].array(), row["also"].texts())
