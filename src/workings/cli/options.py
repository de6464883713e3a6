"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Format = Annotated[
    str, typer.Option("--format", help="terminal, md (Markdown), html (one file), json, pdf, ipynb (notebook) or tex")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="write to this file; its ending, such as .html, says how")
]
Digits = Annotated[int, typer.Option("--digits", min=1, max=17, help="significant digits to show")]
Precision = Annotated[
    str | None, typer.Option("--precision", help='float64 (as usual), float32, "calculator 4 significant", ...')
]
Convention = Annotated[str | None, typer.Option("--convention", help="paper, pytorch, gpt2, bert, annotated or seed")]
OneStep = Annotated[str | None, typer.Option("--step", help="show only this step, such as dx or scores")]
Cell = Annotated[str | None, typer.Option("--cell", help="the entry to calculate by hand: 1,0")]
