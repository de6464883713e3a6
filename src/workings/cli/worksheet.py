"""`workings worksheet`: a sheet to work on, its key, or the file that grading needs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..engine.sentences import add_sentences, say
from ..explain.document import to_data
from .options import Format, Output
from .output import check_format, give, write_whole

if TYPE_CHECKING:
    from ..teach.practice.sheet import Sheet

add_sentences(
    "cli",
    {
        "worksheet.page": "{path} is written: sheet {code}. To grade answers to it: workings grade {code} ANSWERS",
        "worksheet.page.own": "{path} is written: sheet {code}. To grade answers to it, keep all of it as well: "
        "{keeping}, and then: {grading}",
        "worksheet.key": "{path} is written: the key to sheet {code}.",
        "worksheet.file": "{path} is written: all of sheet {code}, with its key. To grade answers to it: "
        "workings grade {file} ANSWERS",
    },
)


def worksheet_command(
    name: Annotated[str, typer.Argument(help="a lesson or a scenario, or the file of one")],
    seed: Annotated[int, typer.Option("--seed", min=0, help="another one gives other numbers; 0: its own")] = 1,
    run: Annotated[str | None, typer.Option("--run", help="which run of the lesson or scenario")] = None,
    blanks: Annotated[str, typer.Option("--blanks", help="how much is left blank: few, some or all")] = "some",
    digits: Annotated[int, typer.Option("--digits", min=2, max=10, help="significant digits that are asked for")] = 4,
    is_key: Annotated[bool, typer.Option("--key", help="the key: what is right, and what mistakes give")] = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """A worksheet with numbers of its own, to fill in; or its key.

    workings worksheet example-3 --seed 7 --blanks few -o sheet.html

    workings worksheet example-3 --seed 7 --blanks few --key

    The file .json holds all of it, and is graded right by every later version. A file .csv or .xlsx is a table for the
    answers.
    """
    from ..teach.practice.sheet import make_sheet
    from ..teach.worksheets.key import key
    from ..teach.worksheets.template import TEMPLATES
    from ..teach.worksheets.worksheet import worksheet

    template = TEMPLATES.get(output.suffix.lower()) if output and format == "terminal" and not is_key else None
    format = format if template else check_format(format, output)
    sheet = make_sheet(name, seed, blanks, run=run, digits=digits)  # type: ignore[arg-type]  # blanks are checked there
    document = key(sheet) if is_key else worksheet(sheet)
    if output is not None and template is not None:
        write_whole(output, template(sheet))
    else:
        give(document, lambda: to_data(document) if is_key else sheet.to_data(), format, output)
    if output is not None:
        typer.echo(_done(sheet, output, is_key, format))


def _done(sheet: Sheet, path: Path, is_key: bool, format: str) -> str:
    from ..teach.worksheets.commands import grading, keeping, needs_keeping

    if is_key:
        return say("cli.worksheet.key", path=path, code=sheet.code)
    if format == "json":
        return say("cli.worksheet.file", path=path, code=sheet.code, file=shlex.quote(str(path)))
    if needs_keeping(sheet):
        commands = {"keeping": keeping(sheet), "grading": grading(sheet, "ANSWERS")}
        return say("cli.worksheet.page.own", path=path, code=sheet.code, **commands)
    return say("cli.worksheet.page", path=path, code=sheet.code)
