"""`workings compare`: the numbers of a file against those of a lesson or a scenario, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..engine.errors import InputError
from .options import Format, Output, Run, Trust
from .output import check_format, give

if TYPE_CHECKING:
    from ..practice.checking.compare import StepComparison


def compare_command(
    name: Annotated[
        str, typer.Argument(help="a lesson, a scenario or its file, a JSON trace, or the folder of a training")
    ],
    file: Annotated[Path, typer.Argument(help="a .npz, .safetensors or .json file: arrays by the names of steps")],
    run: Run = None,
    tokens: Annotated[
        str, typer.Option("--tokens", help="for the folder of a training: what its model reads, a text or ids")
    ] = "",
    trust: Trust = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Compare your numbers with a computation: the first step that differs, and why; then what differs on its own.

    workings compare example-3 mine.npz --run twin

    workings compare runs/copy mine.npz --tokens "3 1 2"
    """
    from ..practice.checking.compare import compare
    from ..practice.checking.compare_page import comparison_document
    from ..practice.checking.data import comparison_data
    from ..practice.checking.tensor_file import read_tensors
    from .why import trace_of

    format = check_format(format, output)
    values, title = read_tensors(file), f"Your numbers and those of {name}"
    if tokens:
        found = _with_model(values, name, run, tokens)
        document = replace(comparison_document(found), title=title)
    else:
        trace = trace_of(name, run, trust)
        found = compare(values, to=trace)
        document = trace.run.noted(replace(comparison_document(found), title=title))
    give(document, lambda: comparison_data(found), format, output)


def _with_model(values: Mapping[str, Any], name: str, run: str | None, tokens: str) -> StepComparison:
    """The numbers beside those of a trained model that reads these tokens."""
    from ..practice.checking.compare import compare
    from ..scenarios.running.checkpoints import is_training, load_checkpoint

    if run is not None or not is_training(name):
        raise InputError(
            f"--tokens is for a trained model, and {name} has its own.",
            hint="Leave it out; or name the folder of a training, without --run.",
        )
    words = tokens.replace(",", " ").split()
    ids = [int(word) for word in words] if all(word.isdecimal() for word in words) else tokens
    return compare(values, to=load_checkpoint(name), tokens=ids)
