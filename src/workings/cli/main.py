"""The `workings` command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..engine.arithmetic import arithmetic
from ..engine.errors import InputError, WorkingsError
from ..engine.sentences import say
from ..explain.document import Document, Text, Words
from ..explain.numbers import Style
from ..explain.op_page import op_document, run_op
from ..explain.step import title_of
from ..explain.story import step_blocks
from ..explain.view import Trace
from .numbers import read_index
from .op import op_call, op_list
from .output import give, write_whole

app = typer.Typer(
    name="workings",
    help="The transformer that shows its workings.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Format = Annotated[str, typer.Option("--format", help="terminal or json")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="write to this file instead of the screen")]
Digits = Annotated[int, typer.Option("--digits", min=1, max=17, help="significant digits to show")]
Precision = Annotated[str, typer.Option("--precision", help='float64, float32, "calculator 4 significant", ...')]
Cell = Annotated[str | None, typer.Option("--cell", help="the entry to calculate by hand: 1,0")]


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", help="show the version and stop", is_eager=True)] = False,
) -> None:
    if version:
        from .. import __version__

        print(f"workings {__version__}")
        raise typer.Exit


@app.command("op", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def op_command(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="the op; none: list them all")] = None,
    cell: Cell = None,
    digits: Digits = 4,
    precision: Precision = "float64",
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """One op page with your numbers, forward and backward.

    Give inputs and settings under the names of the page:
    workings op softmax --x "2 1.5; 1 0" --axis key --cotangent "0.3 -0.7; 0.2 0.5"
    """
    if name is None:
        document = op_list()
        give(document, {"document": document.title}, format, output)
        return
    call = op_call(name, context.args)
    run = run_op(call.op, call.inputs, call.settings, call.cotangent, precision, Style(digits))
    page = op_document(run, read_index(cell) if cell is not None else None)
    give(page, run.trace.to_data(name, document=page), format, output)


@app.command("trace")
def trace_command(
    name: Annotated[str | None, typer.Argument(help="a small trace by name, or the JSON file of a trace")] = None,
    step: Annotated[str | None, typer.Option("--step", help="show only this step")] = None,
    cell: Cell = None,
    digits: Digits = 4,
    precision: Precision = "float64",
    format: Format = "terminal",
    output: Output = None,
    values: Annotated[Path | None, typer.Option("--values", help="write every array to this .npz file")] = None,
) -> None:
    """A whole computation: every step forward, backward and update, with one entry of each by hand.

    workings trace attention-backward --step dW_V --cell 0,1
    """
    from ..models.small import SMALL_TRACES

    arithmetic(precision)  # refuse a precision that cannot be read before anything is computed
    if name is None:
        lines = tuple(Text((Words(f"{key}  {make.__doc__}"),)) for key, make in SMALL_TRACES.items())
        document = Document(say("cli.traces"), lines)
        give(document, {"traces": list(SMALL_TRACES)}, format, output)
        return
    trace = SMALL_TRACES[name](precision) if name in SMALL_TRACES else _read_trace(Path(name), list(SMALL_TRACES))
    trace.style = Style(digits)
    document = trace.document(name) if step is None else _step_document(trace, step, cell)
    if values is not None:
        _write_values(trace, values)
    give(document, trace.to_data(name, document=document), format, output)


def _read_trace(path: Path, names: list[str]) -> Trace:
    try:
        return Trace.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("input.trace", name=path, names=", ".join(names)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("input.file", path=path, reason=error) from None


def _step_document(trace: Trace, name: str, cell: str | None) -> Document:
    view = trace[name]
    if cell is not None:
        return Document(view.path, (Text(title_of(trace.recording, view.step)), view.cell(*read_index(cell))))
    return Document(view.path, tuple(step_blocks(trace.recording, view.step, trace.style)))


def _write_values(trace: Trace, path: Path) -> None:
    import io

    import numpy

    stream = io.BytesIO()
    numpy.savez(stream, **trace.values())  # type: ignore[arg-type]
    write_whole(path, stream.getvalue())


def main(arguments: list[str] | None = None) -> int:
    """Run a command. Errors are sentences on standard error, never a traceback."""
    try:
        app(arguments, standalone_mode=True)
    except WorkingsError as error:
        _complain(str(error))
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("WORKINGS_DEBUG"):
            raise
        _complain(say("cli.fault", error=f"{type(error).__name__}: {error}"))
        return 1
    return 0


def _complain(text: str) -> None:
    encoding = sys.stderr.encoding or "ascii"
    sys.stderr.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def run() -> Any:
    sys.exit(main())
