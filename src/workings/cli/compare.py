"""`workings compare`: the numbers of a file against those of a lesson or a scenario, step by step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .options import Format, Output, Run, Trust
from .output import check_format, give


def compare_command(
    name: Annotated[str, typer.Argument(help="a lesson, a scenario or its file, or a JSON trace")],
    file: Annotated[Path, typer.Argument(help="a .npz, .safetensors or .json file: arrays by the names of steps")],
    run: Run = None,
    trust: Trust = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Compare your numbers with a computation: the first step that differs, and why.

    workings compare example-3 mine.npz --run twin
    """
    from ..practice.checking.compare import compare
    from ..practice.checking.compare_page import comparison_document
    from ..practice.checking.data import comparison_data
    from ..practice.checking.tensor_file import read_tensors
    from .why import trace_of

    format = check_format(format, output)
    trace = trace_of(name, run, trust)
    found = compare(read_tensors(file), to=trace)
    document = trace.run.noted(replace(comparison_document(found), title=f"Your numbers and those of {name}"))
    give(document, lambda: comparison_data(found), format, output)
