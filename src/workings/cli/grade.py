"""`workings grade`: which answers on a filled sheet are right, and why the others are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Format, Output, Trust
from .output import check_format, give
from .streams import print_line


def grade_command(
    sheet: Annotated[str, typer.Argument(help="the .json file of the sheet, or the code printed on it")],
    answers: Annotated[Path, typer.Argument(help="the answers: a .md, .json, .csv or .xlsx file, or a stored grade")],
    digits: Annotated[
        int, typer.Option("--digits", min=2, max=10, help="significant digits, for a lesson or scenario")
    ] = 4,
    trust: Trust = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Grade the answers to a sheet: every entry, the first wrong step, and the mistake behind it.

    The file of a sheet is checked first: one whose key does not follow from its given numbers is refused.

    workings grade sheet.json answers.csv
    """
    from ..practice.grading.grade import grade

    format = check_format(format, output)
    graded = grade(sheet, answers, digits, trust)
    give(graded.document(), graded.to_data, format, output)
    if output is not None:
        print_line(f"{output} is written.")
