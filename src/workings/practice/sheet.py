"""A sheet: what is given, the blanks to fill in, and everything that is needed to grade the answers.

A sheet needs nothing else to be graded: not the lesson, not the seed, not the version that wrote it. Printed, it
carries a code, `example-3.twin-7-2s4-4f2a`: the lesson and its run, the seed, the version of the generator, the level
of blanks (few, some, all), the digits, an `l` if lines are blanks too (an `r` if only those of one row of each
softmax), a `t` if it is only the training step of its run, and a checksum of the given numbers. So a sheet on paper can
be made again (sheet_code.py), and a mismatch is noticed.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy

from ..document.notation import Notation
from ..document.numbers import Style, write
from ..engine.arguments import checks_arguments, unknown_choice
from ..engine.arrays import Array
from ..engine.file import plain
from ..explain.trace import Trace
from .blanks import BLANK_LEVELS, Blank, BlankLevel, choose_blanks, number_blank, step_label
from .exercise import Exercise, exercise
from .lines import LINE_LEVELS, LINES_IN_CODE, LineLevel, with_lines
from .mistakes import MistakeOutcome
from .sheet_data import NotationData, SheetData
from .tolerance import NEARLY
from .variant import FIRST_GENERATOR, GENERATOR, Variant, find_variant

SCHEMA = "workings/sheet/1"
DIGITS = 4  # significant ones
TRAINING_STEP = "t"  # in the code of a sheet


@dataclass(frozen=True, eq=False)
class SheetMistake:
    """What a mistake gives at a step, computed from the true numbers."""

    id: str
    step: str
    hint: str
    value: Array
    also: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Sheet:
    """The blanks to fill in, and the trace that they come from."""

    name: str  # of the lesson or scenario
    run: str
    title: str
    seed: int
    digits: int
    blanks: BlankLevel
    fields: tuple[Blank, ...]
    mistakes: tuple[SheetMistake, ...]
    trace: Trace = field(repr=False)
    labels: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict, repr=False)  # by step, axis
    generator: int = GENERATOR
    lines: LineLevel = "none"  # which lines on the way to an entry are blanks, too
    is_training_step: bool = False  # and not the whole run

    @property
    def code(self) -> str:
        lines = next(letter for letter, level in LINES_IN_CODE.items() if level == self.lines)
        how = f"{self.generator}{self.blanks[0]}{self.digits}{lines}{TRAINING_STEP if self.is_training_step else ''}"
        return f"{name_in_code(self.name)}.{self.run}-{self.seed}-{how}-{self.checksum}"

    @cached_property
    def checksum(self) -> str:
        return checksum_of(self.trace)

    @cached_property
    def by_label(self) -> dict[str, Blank]:
        return {blank.label: blank for blank in self.fields}

    @cached_property
    def steps(self) -> dict[str, str]:
        """The paths of the steps that have blanks for numbers, by their names on the sheet."""
        paths = dict.fromkeys(blank.step for blank in self.fields if blank.kind == "number")
        return {step_label(self.trace, self.trace.find_step(path)): path for path in paths}

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
            "fields": [plain(asdict(blank)) for blank in self.fields],
            "slips": [plain({**asdict(one), "value": numpy.asarray(one.value).tolist()}) for one in self.mistakes],
            "notation": _notation_data(self.trace.style.notation),
            "labels": {step: {axis: list(words) for axis, words in own.items()} for step, own in self.labels.items()},
            "trace": run,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_data(), allow_nan=False, ensure_ascii=False)


def _notation_data(notation: Notation) -> NotationData:
    symbols = [[name, symbol] for name, symbol in notation.pairs]
    return {"symbols": symbols, "count_from": notation.count_from, "vectors": notation.vectors}


def name_in_code(name: str) -> str:
    """The name of a lesson or a file in a code: a file may have any name, and a code is copied by hand.

    >>> name_in_code("homework/my own. example.yaml"), name_in_code("example-3")
    ('my-own-example', 'example-3')
    """
    return re.sub(r"[^\w-]+", "-", Path(name).stem)


def checksum_of(trace: Trace) -> str:
    """A checksum of the given numbers: short, to be copied by hand."""
    given = [(leaf.path, plain(numpy.asarray(leaf.tensor.array).tolist())) for leaf in trace.recording.leaves()]
    return sha256(json.dumps(given).encode()).hexdigest()[:4]


@checks_arguments
def make_sheet(
    source: str | Path | Exercise,
    seed: int = 1,
    blanks: BlankLevel = "some",
    *,
    run: str | None = None,
    digits: int = DIGITS,
    lines: bool | LineLevel = False,
    training_step: bool = False,
) -> Sheet:
    """A sheet about a lesson or a scenario, with new numbers for every seed. Seed 0 keeps the numbers of the lesson or
    scenario itself. With `lines`, there are blanks for the lines that lead to an entry; with `lines="softmax"`, for
    those of one row of each softmax. With `training_step`, it asks only for what one update needs, and for the forward
    pass after it.

    >>> make_sheet("example-1", seed=7, blanks="few").code
    'example-1.twin-7-2f4-a0f2'
    >>> make_sheet("example-2", seed=0, lines="softmax", training_step=True).code
    'example-2.after-0-2s4rt-872e'
    """
    if blanks not in BLANK_LEVELS:
        raise unknown_choice("blanks", blanks, BLANK_LEVELS)
    level = ("all" if lines else "none") if isinstance(lines, bool) else lines
    if level not in LINE_LEVELS:
        raise unknown_choice("lines", str(lines), LINE_LEVELS)
    chosen = source if isinstance(source, Exercise) else exercise(source, run, training_step)
    variant = find_variant(chosen.trace, seed, digits) if seed else Variant(chosen.trace, digits)
    return sheet_of(chosen, variant, blanks, lines=level)


def own_sheet(source: str | Path, digits: int = DIGITS) -> Sheet:
    """The sheet on which learners check their own numbers for a lesson or a scenario: nothing is printed on it, and
    every entry is a blank.
    """
    chosen = exercise(source)
    return sheet_of(chosen, Variant(chosen.trace, digits), "all", FIRST_GENERATOR)


def sheet_of(
    chosen: Exercise, variant: Variant, level: BlankLevel, generator: int = GENERATOR, lines: LineLevel = "none"
) -> Sheet:
    """The sheet with the numbers of a variant."""
    trace = variant.trace
    blanks = choose_blanks(variant, level, generator)
    blanks = _with_last(variant, blanks) if chosen.is_training_step else blanks
    blanks = with_lines(variant, blanks, lines) if lines != "none" else blanks
    labels = {step.path: trace.labels(trace[step.path]) for step in variant.mistakes.named_steps}
    return Sheet(
        name=chosen.name,
        run=chosen.run,
        title=chosen.title,
        seed=variant.seed or 0,
        digits=variant.digits,
        blanks=level,
        fields=_with_points(blanks, chosen.points),
        mistakes=tuple(_on_sheet(mistake) for mistake in variant.mistakes.all),
        trace=trace,
        labels={path: own for path, own in labels.items() if own},
        generator=generator,
        # A sheet without a line to ask for is the same with and without them, and so is its code.
        lines=lines if any(blank.kind == "line" for blank in blanks) else "none",
        is_training_step=chosen.is_training_step,
    )


def _with_last(variant: Variant, blanks: tuple[Blank, ...]) -> tuple[Blank, ...]:
    """The blanks of a training step, which ends in a question: has the loss fallen?"""
    last = variant.steps[-1]
    if last.form.shape or any(blank.step == last.path for blank in blanks):
        return blanks
    return (*blanks, number_blank(variant, last, ()))


def _with_points(blanks: tuple[Blank, ...], points: Mapping[str, float]) -> tuple[Blank, ...]:
    """The blanks of a step share its points."""
    count = Counter(blank.step for blank in blanks)
    return tuple(
        replace(blank, points=points[blank.step] / count[blank.step]) if blank.step in points else blank
        for blank in blanks
    )


def points_text(sheet: Sheet) -> str:
    """What the steps are worth, where a scenario says so; else nothing."""
    count = Counter(blank.step for blank in sheet.fields)
    points: dict[str, float] = defaultdict(float)
    for blank in sheet.fields:
        points[blank.step] += blank.points
    whole = Style(whole=True)
    own = {path: write(round(worth, 6), whole) for path, worth in points.items() if abs(worth - count[path]) > NEARLY}
    if not own:
        return ""
    steps = ", ".join(f"{step_label(sheet.trace, sheet.trace.find_step(path))} {text}" for path, text in own.items())
    total = write(round(sum(points.values()), 6), whole)
    return f"All blanks of a step together: {steps}; every other blank 1. In all {total} points."


def _on_sheet(mistake: MistakeOutcome) -> SheetMistake:
    return SheetMistake(mistake.id, mistake.step, mistake.hint, mistake.value, mistake.also)
