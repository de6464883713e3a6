"""The commands that a sheet recommends."""

from __future__ import annotations

import shlex

from ...models.reading.scenario_reading import DEFAULT
from ..practice.sheet import DIGITS, Sheet
from ..practice.sources import is_in_package
from ..runs import TWIN

KEPT = "sheet.json"
USUAL_BLANKS = "some"


def needs_keeping(sheet: Sheet) -> bool:
    """Whether somebody's own file would be needed to make the sheet again: then it is better to keep all of it."""
    return not is_in_package(sheet.name)


def keeping(sheet: Sheet) -> str:
    """The command that writes all of a sheet into a file.

    >>> from workings.teach.practice.sheet import make_sheet
    >>> keeping(make_sheet("example-1", seed=7, blanks="few"))
    'workings worksheet example-1 --seed 7 --blanks few -o sheet.json'
    """
    words = ["workings", "worksheet", sheet.name, "--seed", str(sheet.seed)]
    words += [] if sheet.run in (TWIN, DEFAULT) else ["--run", sheet.run]
    words += [] if sheet.blanks == USUAL_BLANKS else ["--blanks", sheet.blanks]
    words += [] if sheet.digits == DIGITS else ["--digits", str(sheet.digits)]
    return shlex.join([*words, "-o", KEPT])


def grading(sheet: Sheet, answers: str) -> str:
    """The command that grades answers to a sheet, by its code or by the file that was kept."""
    return f"workings grade {KEPT if needs_keeping(sheet) else sheet.code} {answers}"
