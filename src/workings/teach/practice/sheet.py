"""A sheet: a file that says what is given, what is asked, and what the answers are.

It needs nothing else to be graded: not the lesson, not the seed, not the version that wrote it. What is printed carries
a code, `example-3.twin-7-1s4-4f2a`: the lesson and its run, the seed, the number of the generator, which blanks (few,
some, all) and how many digits, and a checksum of the numbers that are printed as given. So a sheet on paper can be made
again, and one that was made in another way says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy

from ...engine.errors import InputError, LessonError, WorkingsError
from ...engine.file import plain
from ...explain.notation import Notation
from ...explain.view import SCHEMA as TRACE_SCHEMA
from ...explain.view import Trace
from .asked import BLANKS, Blanks, Field, asked, label_of
from .exercise import Exercise, exercise
from .sheet_data import NotationData, SheetData
from .sheet_parts import KeyedSlip, Part, fields_of, labels_of, notation_of, slips_of
from .slips import Slip
from .sources import ENDINGS, is_in_package, name_in_code, sources_of
from .variant import GENERATOR, TRIES, Variant, attempted, find_variant

__all__ = ["DIGITS", "KeyedSlip", "Sheet", "make_sheet", "open_sheet", "read_sheet", "sheet_of"]

KIND = "workings/sheet/"
SCHEMA = f"{KIND}1"
DIGITS, MOST_DIGITS = 4, 12
TABLES = (".csv", ".tsv", ".xlsx")  # of answers
PRINTED = re.compile(r"`sheet ([^`\s]{1,200})`")  # how a page in Markdown says its code
LARGEST = 20_000_000  # bytes of a sheet
CODE = re.compile(
    r"(?P<name>[^.]+)\.(?P<run>.+)-(?P<seed>\d+)-(?P<generator>\d+)(?P<blanks>[fsa])(?P<digits>\d+)-(?P<sum>[0-9a-f]{4})"
)


@dataclass(frozen=True, eq=False)
class Sheet:
    """What is asked, and the trace that it is asked about."""

    name: str  # of the lesson or scenario
    run: str
    title: str
    seed: int
    digits: int
    blanks: Blanks
    fields: tuple[Field, ...]
    slips: tuple[KeyedSlip, ...]
    trace: Trace = field(repr=False)
    labels: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict, repr=False)  # by step, axis
    generator: int = GENERATOR

    @property
    def code(self) -> str:
        how = f"{self.generator}{self.blanks[0]}{self.digits}"
        return f"{name_in_code(self.name)}.{self.run}-{self.seed}-{how}-{self.checksum}"

    @cached_property
    def checksum(self) -> str:
        return _checksum(self.trace)

    @cached_property
    def asked(self) -> dict[str, Field]:
        """The fields by their labels."""
        return {field.label: field for field in self.fields}

    @cached_property
    def steps(self) -> dict[str, str]:
        """The paths of the steps that are asked for, by what the sheet calls them."""
        asked = dict.fromkeys(field.step for field in self.fields if field.kind == "number")
        return {label_of(self.trace, self.trace.find_step(path)): path for path in asked}

    def to_data(self) -> SheetData:
        """The sheet as JSON data; see schema/sheet.json in the package."""
        run = self.trace.to_data(self.title, self.run)["runs"][0]
        return {
            "schema": SCHEMA,
            "code": self.code,
            "name": self.name,
            "run": self.run,
            "title": self.title,
            "seed": self.seed,
            "generator": self.generator,
            "digits": self.digits,
            "blanks": self.blanks,
            "fields": [plain(asdict(field)) for field in self.fields],
            "slips": [plain({**asdict(slip), "value": numpy.asarray(slip.value).tolist()}) for slip in self.slips],
            "notation": _notation_data(self.trace.style.notation),
            "labels": {step: {axis: list(words) for axis, words in own.items()} for step, own in self.labels.items()},
            "trace": run,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_data(), allow_nan=False, ensure_ascii=False)


def _notation_data(notation: Notation) -> NotationData:
    symbols = [[name, symbol] for name, symbol in notation.pairs]
    return {"symbols": symbols, "count_from": notation.count_from, "vectors": notation.vectors}


def make_sheet(
    source: str | Path | Exercise,
    seed: int = 1,
    blanks: Blanks = "some",
    *,
    run: str | None = None,
    digits: int = DIGITS,
) -> Sheet:
    """A sheet about a lesson or a scenario, with numbers of its own for every seed. Seed 0 has the numbers that the
    lesson or scenario has itself.

    >>> make_sheet("example-1", seed=7, blanks="few").code
    'example-1.twin-7-1f4-a0f2'
    """
    if blanks not in BLANKS:
        raise InputError("practice.blanks", blanks=str(blanks)[:40], choices=", ".join(BLANKS))
    chosen = source if isinstance(source, Exercise) else exercise(source, run)
    variant = find_variant(chosen.trace, seed, digits) if seed else Variant(chosen.trace, digits)
    return sheet_of(chosen, variant, blanks)


def sheet_of(chosen: Exercise, variant: Variant, blanks: Blanks) -> Sheet:
    """The sheet that asks about a variant."""
    trace = variant.trace
    labels = {step.path: trace.labels(trace[step.path]) for step in variant.slips.told}
    return Sheet(
        name=chosen.name,
        run=chosen.run,
        title=chosen.title,
        seed=variant.seed or 0,
        digits=variant.digits,
        blanks=blanks,
        fields=asked(variant, blanks),
        slips=tuple(_keyed(slip) for slip in variant.slips.all),
        trace=trace,
        labels={path: own for path, own in labels.items() if own},
    )


def _keyed(slip: Slip) -> KeyedSlip:
    return KeyedSlip(slip.id, slip.step, slip.hint, slip.value, slip.also)


# -- reading -------------------------------------------------------------------------------------------


def open_sheet(source: str | Path, digits: int = DIGITS) -> Sheet:
    """A sheet from its file, or made again from the code that is printed on it. A lesson or a scenario is a sheet too:
    it asks for every entry of its own numbers, to so many digits.
    """
    name, path = str(source).strip(), Path(source)
    if path.suffix.lower() in TABLES:
        raise InputError("sheet.answers", path=path.name)
    if path.is_file() and path.suffix.lower() not in ENDINGS:
        return read_sheet(_text_of(path), path.name)
    code = CODE.fullmatch(name) or CODE.fullmatch(name.casefold())
    if path.is_file() and path.suffix.lower() == ".md":
        printed = PRINTED.search(_text_of(path))
        code = CODE.fullmatch(printed[1]) if printed else None
    elif path.exists():
        code = None
    if code is not None:
        return _made_again(code)
    if path.exists() or is_in_package(name):
        return make_sheet(source, seed=0, blanks="all", digits=digits)
    raise InputError("sheet.missing", path=name[:80])


def _made_again(code: re.Match[str]) -> Sheet:
    if int(code["generator"]) != GENERATOR:
        raise InputError("sheet.generator", code=code[0], made=code["generator"], now=GENERATOR)
    blanks = next(known for known in BLANKS if known[0] == code["blanks"])
    refused: WorkingsError = InputError("sheet.source", code=code[0], name=code["name"])
    for place, source in enumerate(sources_of(code["name"])):  # several files may have one name
        try:
            chosen = exercise(source, code["run"])
            return sheet_of(chosen, _drawn_again(chosen.trace, code), blanks)
        except WorkingsError as error:
            refused = refused if place else error  # the nearest is the most likely one
    raise refused


def _drawn_again(trace: Trace, code: re.Match[str]) -> Variant:
    """The variant whose numbers have the checksum of a code. Which of the numbers that a seed gives were chosen hung on
    the mistakes that were known then; the numbers themselves do not.
    """
    seed, digits = int(code["seed"]), int(code["digits"])
    drawn = (attempted(trace, seed, attempt, digits) for attempt in range(TRIES)) if seed else [Variant(trace, digits)]
    for variant in drawn:
        if variant is not None and _checksum(variant.trace) == code["sum"]:
            return variant
    raise InputError("sheet.checksum", code=code[0])


def _checksum(trace: Trace) -> str:
    """Of the numbers that are given: short, to be copied by hand."""
    given = [(leaf.path, plain(numpy.asarray(leaf.tensor.array).tolist())) for leaf in trace.recording.leaves()]
    return sha256(json.dumps(given).encode()).hexdigest()[:4]


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise InputError("sheet.large", path=path.name, size=path.stat().st_size // 10**6, most=LARGEST // 10**6)
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "utf-8"
        raise InputError("sheet.unread", path=path.name, reason=reason) from None


def read_sheet(text: str, name: str = "sheet") -> Sheet:
    """A sheet from its JSON."""
    try:
        data = json.loads(text)
        schema = str(data.get("schema", ""))[:40] if isinstance(data, dict) else ""
        if not schema and isinstance(data, dict) and "answers" in data:
            raise InputError("sheet.answers", path=name)
        if schema != SCHEMA:
            key = "sheet.newer" if schema.startswith(KIND) else "sheet.schema"
            raise InputError(key, path=name, schema=schema, known=SCHEMA)
        return _from_data(Part(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        raise InputError("sheet.json", path=name) from None
    except LessonError:
        raise
    except WorkingsError as error:
        error.where = error.where or name
        raise


def _from_data(data: Part) -> Sheet:
    trace = Trace.from_json(json.dumps({"schema": TRACE_SCHEMA, "runs": [data["trace"].value]}))
    labels = labels_of(data["labels"])
    trace.labels = lambda view: dict(labels.get(view.path, {}))
    trace.style = replace(trace.style, notation=notation_of(data["notation"]))
    return Sheet(
        name=data["name"].text(),
        run=data["run"].text(),
        title=data["title"].text(),
        seed=data["seed"].whole(0),
        digits=data["digits"].whole(1, MOST_DIGITS),
        blanks=data["blanks"].one_of(BLANKS),
        fields=fields_of(data["fields"], trace),
        slips=slips_of(data["slips"], trace),
        trace=trace,
        labels=labels,
        generator=data["generator"].whole(0),
    )
