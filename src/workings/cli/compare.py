"""`workings compare`: the numbers of a file beside those of a lesson or a scenario, step by step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..engine.sentences import say
from .options import Format, Output
from .output import check_format, give


def compare_command(
    name: Annotated[str, typer.Argument(help="a lesson, a scenario or its file")],
    file: Annotated[Path, typer.Argument(help="a file .npz, .safetensors or .json: arrays by the names of steps")],
    run: Annotated[str | None, typer.Option("--run", help="which run of the lesson or scenario")] = None,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Your numbers beside those of a computation: the first step that differs, and why.

    workings compare example-3 mine.npz --run twin
    """
    from ..teach.checking.compare import compare
    from ..teach.checking.compare_page import comparison_document
    from ..teach.checking.data import comparison_data
    from ..teach.checking.tensor_file import read_tensors
    from .why import trace_of

    format = check_format(format, output)
    found = compare(read_tensors(file), to=trace_of(name, run))
    document = replace(comparison_document(found), title=say("checking.compare.title", name=name))
    give(document, lambda: comparison_data(found), format, output)
