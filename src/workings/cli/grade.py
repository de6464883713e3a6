"""`workings grade`: what is right on a filled sheet, what is not, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..engine.sentences import add_sentences, say
from .options import Format, Output
from .output import check_format, give

add_sentences("cli", {"grade.written": "{path} is written."})


def grade_command(
    sheet: Annotated[str, typer.Argument(help="the file .json of the sheet, or the code that stands on it")],
    answers: Annotated[Path, typer.Argument(help="the answers: a file .md, .json, .csv or .xlsx")],
    digits: Annotated[
        int, typer.Option("--digits", min=2, max=10, help="significant digits, if a lesson or scenario is graded")
    ] = 4,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Grade the answers to a sheet: every entry, the first wrong step, and the mistake that was made there.

    workings grade sheet.json answers.csv
    """
    from ..teach.grading.grade import grade

    format = check_format(format, output)
    graded = grade(sheet, answers, digits)
    give(graded.document(), graded.to_data, format, output)
    if output is not None:
        typer.echo(say("cli.grade.written", path=output))
