"""The code that is printed on a sheet: what it was made from, the sheet itself made again, and the commands with it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..engine.errors import InputError, WorkingsError
from ..explain.trace import Trace
from ..lessons.contents import names as lesson_names
from ..lessons.runs import TWIN
from ..scenarios.reading.scenario_file import DEFAULT
from ..scenarios.scenario import names as scenario_names
from .blanks import BLANK_LEVELS
from .exercise import exercise
from .lines import LINES_IN_CODE, LineLevel
from .sheet import DIGITS, Sheet, checksum_of, name_in_code, sheet_of
from .training_step import AFTER_RUN
from .variant import FIRST_GENERATOR, GENERATOR, MAX_ATTEMPTS, Variant, draw_variant

CODE = re.compile(
    r"(?P<name>[^.]+)\.(?P<run>.+)-(?P<seed>\d+)-(?P<generator>\d+)(?P<blanks>[fsa])(?P<digits>\d+)"
    r"(?P<lines>[lr]?)(?P<step>t?)-(?P<sum>[0-9a-f]{4})"
)
SOURCE_ENDINGS = (".yaml", ".yml", ".md")
MAX_FOLDER_DEPTH = 4
MAX_SCANNED = 5_000  # files and folders
MAX_SOURCES = 5
SAVED_SHEET = "sheet.json"
USUAL_LEVEL = "some"
LINE_OPTIONS: dict[LineLevel, list[str]] = {"none": [], "softmax": ["--softmax-lines"], "all": ["--lines"]}


# -- what a code was made from -------------------------------------------------------------------------


def is_in_package(name: str) -> bool:
    """Whether it is a lesson or a scenario of the package.

    >>> is_in_package("example-3"), is_in_package("homework/two.yaml")
    (True, False)
    """
    return name in lesson_names() or name in scenario_names()


def sources_of(name: str) -> Iterator[str]:
    """What the name in a code may refer to: what the package has, and files in the current folder and below it.

    >>> next(sources_of("example-3"))
    'example-3'
    """
    if is_in_package(name):
        yield name
    yield from map(str, islice(_files(name), MAX_SOURCES))


def _files(name: str) -> Iterator[Path]:
    """The files that have this name in a code, the nearest first."""

    def is_it(file: str) -> bool:
        return name_in_code(file).casefold() == name.casefold()  # a code may be copied in capitals

    scanned = 0
    folders = [Path()]
    for folder in folders:
        try:
            found = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            scanned += 1
            if scanned > MAX_SCANNED:
                return
            path = folder / entry.name
            if entry.is_file() and path.suffix.lower() in SOURCE_ENDINGS and is_it(entry.name):
                yield path
            is_hidden = entry.name.startswith(".")
            if not is_hidden and len(path.parts) <= MAX_FOLDER_DEPTH and entry.is_dir(follow_symlinks=False):
                folders.append(path)


# -- the sheet made again ------------------------------------------------------------------------------


def sheet_from_code(code: re.Match[str]) -> Sheet:
    """The sheet on which this code is printed, made again from its source."""
    generator = int(code["generator"])
    if not FIRST_GENERATOR <= generator <= GENERATOR:
        raise InputError(
            f"The sheet {code[0]} was made by generator {code['generator']}, and this version has "
            f"generators {FIRST_GENERATOR} to {GENERATOR}.",
            hint="Grade it with the file of the sheet, which every version can read.",
        )
    level = next(known for known in BLANK_LEVELS if known[0] == code["blanks"])
    refused: WorkingsError = InputError(
        f"The sheet {code[0]} was made from a file named {code['name']}, and there is none in this folder or below it.",
        hint=f"Go to the folder of {code['name']}.yaml or {code['name']}.md, or give the file of the "
        f"sheet: `workings grade {SAVED_SHEET} ANSWERS`.",
    )
    for number, source in enumerate(sources_of(code["name"])):  # several files may have one name
        try:
            chosen = exercise(source, code["run"], bool(code["step"]))
            return sheet_of(chosen, _variant_of(chosen.trace, code), level, generator, LINES_IN_CODE[code["lines"]])
        except WorkingsError as error:
            refused = refused if number else error  # the nearest is the most likely one
    raise refused


def _variant_of(trace: Trace, code: re.Match[str]) -> Variant:
    """The variant whose numbers have the checksum of a code. Which attempt of a seed was chosen depended on the
    mistakes that were known at the time; the numbers of an attempt do not.
    """
    seed, digits = int(code["seed"]), int(code["digits"])
    attempts = (draw_variant(trace, seed, attempt, digits) for attempt in range(MAX_ATTEMPTS))
    for variant in attempts if seed else [Variant(trace, digits)]:
        if variant is not None and checksum_of(variant.trace) == code["sum"]:
            return variant
    raise InputError(
        f"This version makes other numbers than those printed on the sheet {code[0]}.",
        hint="Check that the code is copied correctly, or grade with the file of the sheet.",
    )


# -- commands ------------------------------------------------------------------------------------------


def needs_saving(sheet: Sheet) -> bool:
    """Whether the sheet can only be made again from the user's own file: then it is safer to save all of it."""
    return not is_in_package(sheet.name)


def save_command(sheet: Sheet) -> str:
    """The command that writes all of a sheet into a file.

    >>> from workings.practice.sheet import make_sheet
    >>> save_command(make_sheet("example-1", seed=7, blanks="few"))
    'workings worksheet example-1 --seed 7 --blanks few -o sheet.json'
    """
    return shlex.join([*_making(sheet, sheet.seed), "-o", SAVED_SHEET])


def make_command(sheet: Sheet, seed: int) -> str:
    """The command that makes a sheet like this one, with other numbers.

    >>> from workings.practice.sheet import make_sheet
    >>> make_command(make_sheet("example-2", seed=0, lines="softmax", training_step=True), seed=1)
    'workings worksheet example-2 --seed 1 --softmax-lines --training-step'
    """
    return shlex.join(_making(sheet, seed))


def _making(sheet: Sheet, seed: int) -> list[str]:
    words = ["workings", "worksheet", sheet.name, "--seed", str(seed), *_run_option(sheet)]
    words += [] if sheet.blanks == USUAL_LEVEL else ["--blanks", sheet.blanks]
    words += LINE_OPTIONS[sheet.lines]
    words += ["--training-step"] if sheet.is_training_step else []
    words += [] if sheet.digits == DIGITS else ["--digits", str(sheet.digits)]
    return words


def grade_command(sheet: Sheet, answers: str) -> str:
    """The command that grades answers to a sheet, by its code or by the file that was saved."""
    return f"workings grade {SAVED_SHEET if needs_saving(sheet) else sheet.code} {answers}"


def drill_command(sheet: Sheet, mistake: str) -> str:
    """The command that practices one mistake."""
    return shlex.join(("workings", "quiz", sheet.name, *_run_option(sheet), "--mistake", mistake))


def _run_option(sheet: Sheet) -> list[str]:
    usual = (AFTER_RUN,) if sheet.is_training_step else (TWIN, DEFAULT)
    return [] if sheet.run in usual else ["--run", sheet.run]
