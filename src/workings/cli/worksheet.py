"""`workings worksheet`: a sheet to fill in, its key, or the file that grading needs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..document.blocks import to_data
from ..engine.files import write_user_file
from .options import Format, Output, Run
from .output import check_format, give
from .streams import print_line

if TYPE_CHECKING:
    from ..practice.lines import LineLevel
    from ..practice.sheet import Sheet


def worksheet_command(
    name: Annotated[str, typer.Argument(help="a lesson or a scenario, or the file of one")],
    seed: Annotated[int, typer.Option("--seed", min=0, help="each seed gives other numbers; 0: the original")] = 1,
    run: Run = None,
    blanks: Annotated[str, typer.Option("--blanks", help="how many entries are blank: few, some or all")] = "some",
    digits: Annotated[int, typer.Option("--digits", min=2, max=10, help="significant digits of an answer")] = 4,
    formulas: Annotated[
        bool, typer.Option("--formulas/--no-formulas", help="whether each step says how it is computed")
    ] = True,
    lines: Annotated[bool, typer.Option("--lines", help="blanks for the lines on the way to an entry, too")] = False,
    softmax_lines: Annotated[
        bool, typer.Option("--softmax-lines", help="blanks for the lines of one row of each softmax")
    ] = False,
    training_step: Annotated[
        bool, typer.Option("--training-step", help="only what one update needs, and the forward pass after it")
    ] = False,
    is_key: Annotated[bool, typer.Option("--key", help="the key: the answers, and what mistakes give")] = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """A worksheet to fill in, with fresh numbers; or its key.

    workings worksheet example-3 --seed 7 --blanks few -o sheet.html

    workings worksheet example-3 --seed 7 --no-formulas -o exam.pdf

    workings worksheet example-3 --seed 7 --blanks few --key

    A .json file holds the whole sheet, which every later version can grade. A .csv or .xlsx file is a table for the
    answers.
    """
    from ..practice.sheet import make_sheet
    from ..practice.worksheets.key import key
    from ..practice.worksheets.template import TEMPLATES
    from ..practice.worksheets.worksheet import worksheet

    template = TEMPLATES.get(output.suffix.lower()) if output and format == "terminal" and not is_key else None
    format = format if template else check_format(format, output)
    line_level: LineLevel = "all" if lines else "softmax" if softmax_lines else "none"
    sheet = make_sheet(name, seed, blanks, run=run, digits=digits, lines=line_level, training_step=training_step)  # type: ignore[arg-type]  # blanks are checked there
    document = key(sheet) if is_key else worksheet(sheet, formulas)
    if output is not None and template is not None:
        write_user_file(output, template(sheet))
    else:
        give(document, lambda: to_data(document) if is_key else sheet.to_data(), format, output)
    if output is not None:
        print_line(_done(sheet, output, is_key, format))


def _done(sheet: Sheet, path: Path, is_key: bool, format: str) -> str:
    from ..practice.sheet_code import grade_command, needs_saving, save_command

    if is_key:
        return f"{path} is written: the key to sheet {sheet.code}."
    if format == "json":
        return (
            f"{path} is written: all of sheet {sheet.code}, with its key. To grade answers to it: "
            f"workings grade {shlex.quote(str(path))} ANSWERS"
        )
    if needs_saving(sheet):
        return (
            f"{path} is written: sheet {sheet.code}. To grade answers to it, save all of it as well: "
            f"{save_command(sheet)}, and then: {grade_command(sheet, 'ANSWERS')}"
        )
    return f"{path} is written: sheet {sheet.code}. To grade answers to it: workings grade {sheet.code} ANSWERS"
