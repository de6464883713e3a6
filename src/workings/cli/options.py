"""Options that several commands have, and what they have in common when they are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ..engine.errors import InputError

Format = Annotated[
    str, typer.Option("--format", help="terminal, md (Markdown), html (one file), json, pdf, ipynb (notebook) or tex")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="write to this file; its ending, such as .html, sets the format")
]
Digits = Annotated[int, typer.Option("--digits", min=1, max=17, help="significant digits to show")]
Precision = Annotated[
    str | None, typer.Option("--precision", help='float64 (the default), float32, "calculator 4 significant", ...')
]
Convention = Annotated[str | None, typer.Option("--convention", help="paper, pytorch, gpt2, bert, annotated or seed")]
Numbers = Annotated[str, typer.Option("--numbers", help="document, or distinguishing: all different")]
OneStep = Annotated[str | None, typer.Option("--step", help="show only this step, such as dx or scores")]
Cell = Annotated[str | None, typer.Option("--cell", help="the entry to calculate by hand: 1,0")]
Run = Annotated[str | None, typer.Option("--run", help="the run of the lesson or scenario")]
Trust = Annotated[bool, typer.Option("--trust", help="do not check the numbers of a stored file; the page says so")]
Values = Annotated[Path | None, typer.Option("--values", help="write every array to this .npz file")]


def named_values(words: list[str]) -> Iterator[tuple[str, str, str]]:
    """The options of an op, which depend on its page: each as it was written, its name and its value. The name of a
    word that is no option is empty.

    >>> list(named_values(["--x", "1 2", "--axis=key"]))
    [('--x', 'x', '1 2'), ('--axis', 'axis', 'key')]
    """
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            yield word, "", ""
            continue
        option, equals, value = word.partition("=")
        yield option, option.removeprefix("--"), value if equals else next(rest, "")


def missing_value(option: str) -> InputError:
    return InputError(f"{option} needs a value.", hint=f'Write the numbers in quotes: {option} "2 1.5; 1 0".')


def no_runs(name: str) -> InputError:
    return InputError(f"{name} is not a scenario, so it has no runs to choose from.", hint="Leave out --run.")
