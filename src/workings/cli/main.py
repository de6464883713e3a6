"""The `workings` command."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ..engine.arithmetic import arithmetic
from ..engine.errors import InputError, WorkingsError
from ..engine.sentences import say
from ..explain.document import Document, to_data
from ..explain.numbers import Style
from ..explain.op_page import op_document, run_op
from .compare import compare_command
from .grade import grade_command
from .numbers import read_index
from .op import op_call, op_list
from .options import Cell, Convention, Digits, Format, OneStep, Output, Precision
from .output import ReaderLeft, check_format, give
from .quiz import quiz_command
from .serve import Serving, serve, serve_command
from .why import why_command
from .worksheet import worksheet_command

app = typer.Typer(
    name="workings",
    help="The transformer that shows its workings.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__

        typer.echo(f"workings {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="show the version and stop", is_eager=True, callback=_version)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        serve(Serving())


@app.command("op", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def op_command(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="the op; none: list them all")] = None,
    step: OneStep = None,
    cell: Cell = None,
    got: Annotated[str, typer.Option("--got", help="your result, or @FILE with it: how it came about")] = "",
    digits: Digits = 4,
    precision: Precision = None,
    convention: Convention = None,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """One op page with your numbers, forward and backward.

    Give inputs and settings under the names of the page, rows with ; between them, and with
    --cotangent how much each entry of the result counts when going back:

    workings op softmax --x "2 1.5; 1 0" --cotangent "0.3 -0.7; 0.2 0.5" --step dx --cell 1,0
    """
    format = check_format(format, output)
    if name is None:
        document = op_list()
        give(document, partial(to_data, document), format, output)
        return
    call = op_call(name, context.args, convention)
    run = run_op(call.op, call.inputs, call.settings, call.cotangent, precision or "float64", Style(digits))
    entry = read_index(cell) if cell is not None else None
    page = op_document(run, entry) if step is None else run.trace[step].document(entry)
    if got:
        from .why import with_reason

        page = with_reason(page, got, run.trace[step or run.result])
    give(page, partial(run.trace.to_data, name, document=page), format, output)


@app.command("trace")
def trace_command(
    name: Annotated[str | None, typer.Argument(help="a scenario, its file, a training, or the JSON of a trace")] = None,
    run: Annotated[str | None, typer.Option("--run", help="which run of the scenario; of a training: step100")] = None,
    step: OneStep = None,
    cell: Cell = None,
    digits: Digits = 4,
    precision: Precision = None,
    convention: Convention = None,
    format: Format = "terminal",
    output: Output = None,
    values: Annotated[Path | None, typer.Option("--values", help="write every array to this .npz file")] = None,
) -> None:
    """A whole computation: every step forward, backward and update, with one entry of each by hand.

    workings trace example-3 --run twin --step dW_V --cell 0,1
    """
    from .trace import offline_trace, trace_called, trace_list, write_values

    format = check_format(format, output, offline=name is not None)
    arithmetic(precision or "float64")  # refuse a precision that cannot be read before anything is computed
    if name is None:
        document = trace_list()
        give(document, partial(to_data, document), format, output)
        return
    if cell is not None and step is None:
        raise InputError("input.cell", cell=cell)
    called = trace_called(name, run, precision, convention)
    trace = called.trace
    trace.style = replace(trace.style, digits=digits)
    entry = None if cell is None else read_index(cell)
    document = called.page() if step is None else trace[step].document(entry)
    if values is not None:
        write_values(trace.values(), values)
    data = partial(trace.to_data, name=run or "default", document=document)
    offline = partial(offline_trace, called, document, (name, run, precision, convention), (step, entry))
    give(document, data, format, output, offline)


@app.command("new-scenario")
def new_scenario_command(
    name: Annotated[str, typer.Argument(help="what it is to be called: my-example, or my-example.yaml")],
) -> None:
    """Write a scenario to start from: a file with comments, which runs as it is.

    workings new-scenario my-example
    """
    from .new_file import in_command
    from .new_scenario import write_scenario

    path = write_scenario(name)
    typer.echo(say("cli.new_scenario", path=path, file=in_command(path)))


@app.command("lessons")
def lessons_command(format: Format = "terminal", output: Output = None) -> None:
    """The path through the lessons: what each is about, and what it needs.

    workings lessons
    """
    from .lesson import lesson_list

    format = check_format(format, output)
    document = lesson_list()
    give(document, partial(to_data, document), format, output)


@app.command("lesson")
def lesson_command(
    name: Annotated[str, typer.Argument(help="a lesson, or the file of one: my-lesson.md")],
    digits: Annotated[
        int | None, typer.Option("--digits", min=1, max=17, help="significant digits; else as the lesson says")
    ] = None,
    precision: Precision = None,
    convention: Convention = None,
    format: Format = "terminal",
    output: Output = None,
    values: Annotated[Path | None, typer.Option("--values", help="write every array to this .npz file")] = None,
    blanks: Annotated[bool, typer.Option("--blanks", help="of a notebook: leave the code to the reader")] = False,
) -> None:
    """One lesson, with every number worked out.

    workings lesson example-1 --precision "calculator 5 significant"
    """
    from .lesson import give_lesson

    format = check_format(format, output, offline=True)
    arithmetic(precision or "float64")  # refuse a precision that cannot be read before anything is computed
    if not give_lesson(name, (digits, precision, convention), format, output, values, blanks):
        raise typer.Exit(1)


@app.command("new-lesson")
def new_lesson_command(
    name: Annotated[str, typer.Argument(help="what it is to be called: my-lesson, or my-lesson.md")],
) -> None:
    """Write a lesson to start from: a text with a scenario of its own, which works as it is.

    workings new-lesson my-lesson
    """
    from .lesson import write_lesson
    from .new_file import in_command

    path = write_lesson(name)
    typer.echo(say("cli.new_lesson", path=path, file=in_command(path)))


@app.command("count")
def count_command(
    name: Annotated[str | None, typer.Argument(help="a model by name, config.json or scenario; none: list")] = None,
    run: Annotated[str | None, typer.Option("--run", help="which run of a scenario")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="of each text; else all positions, or 1024")] = None,
    batch: Annotated[int, typer.Option("--batch", help="how many texts")] = 1,
    dtype: Annotated[str, typer.Option("--dtype", help="float32, float16, bfloat16 or float64")] = "float32",
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Parameters, operations (FLOPs) and memory of a model, each number worked out line by line.

    workings count gpt2 --tokens 128 --dtype bfloat16
    """
    from .count import count_page, model_list

    format = check_format(format, output)
    if name is None:
        document = model_list()
        give(document, partial(to_data, document), format, output)
        return
    document, data = count_page(name, run, tokens, batch, dtype)
    give(document, lambda: data, format, output)


@app.command("figure")
def figure_command(
    source: Annotated[
        str | None, typer.Argument(help="a scenario, a lesson, the file of one, a trace, or a training")
    ] = None,
    name: Annotated[
        str | None, typer.Argument(help="which figure, such as loss or heatmap:weights; none: list")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="which run of the scenario")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="a file .svg, .png or .pdf")] = None,
) -> None:
    """A figure, as a picture in a file, or in letters on the screen.

    workings figure example-1 heatmap:weights

    workings figure example-4 loss --run all-weights -o loss.svg
    """
    from .figure import check_figure, figure_called, figure_list, write_figure

    if source is None or name is None:
        document = figure_list()
    else:
        check_figure(name, output)
        figure = figure_called(source, name, run)
        if output is not None:
            write_figure(figure, output)
            return
        document = Document(figure.title, (replace(figure, title=""),))
    give(document, partial(to_data, document), "terminal", None)


@app.command("book")
def book_command(
    format: Annotated[str | None, typer.Option("--format", help="pdf (if nothing is said), html or md")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="the file; .pdf, .html and .md say how it is written")
    ] = None,
) -> None:
    """All lessons as one book, with contents, answers and an index.

    workings book -o transformers.pdf
    """
    from .book import book_called

    typer.echo(say("cli.book.done", path=book_called(format, output)))


@app.command("train")
def train_command(
    name: Annotated[str | None, typer.Argument(help="a scenario, its file, or the folder of a training")] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="a text file to learn from, character by character")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="which run of the scenario")] = None,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", help="the folder for checkpoints; else as the scenario")
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="how many steps")] = None,
    rate: Annotated[float | None, typer.Option("--rate", help="the learning rate")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="from which weights and batches are drawn")] = None,
    keep: Annotated[str | None, typer.Option("--keep", help="steps to open later at once: 100,500")] = None,
    save: Annotated[int | None, typer.Option("--save", help="a checkpoint after so many steps")] = None,
    engine: Annotated[str, typer.Option("--engine", help="what computes: numpy")] = "numpy",
    context: Annotated[
        int | None, typer.Option("--context", help="characters of a text that are read at a time")
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="of matrix products; else half of the cores")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="begin anew, and remove the checkpoints there")] = False,
) -> None:
    """Train a model, with a checkpoint now and then. Stopped at any moment, the same command goes on.

    workings train characters -o chars
    """
    from .train import Asked, train_called

    document = train_called(
        Asked(name, data, run, folder, steps, rate, seed, keep, save, fresh, engine, threads, context)
    )
    give(document, partial(to_data, document), "terminal", None)


@app.command("generate")
def generate_command(
    checkpoint: Annotated[Path, typer.Argument(help="the folder of a training, or of one checkpoint in it")],
    prompt: Annotated[str, typer.Argument(help="the text to go on with")],
    tokens: Annotated[int, typer.Option("--tokens", help="at most so many")] = 100,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="what scores are divided by; else 1")
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", help="only the k likeliest tokens")] = None,
    top_p: Annotated[float | None, typer.Option("--top-p", help="only the likeliest that make up this share")] = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="always the likeliest token")] = False,
    beams: Annotated[int | None, typer.Option("--beams", help="follow so many texts, and give the likeliest")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="from which numbers are drawn; else 0")] = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="keep the keys and values of earlier tokens")
    ] = True,
    explain: Annotated[bool, typer.Option("--explain", help="show how each token was chosen")] = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Go on with a text, token by token.

    workings generate chars "def " --temperature 0.8 --top-k 20 --seed 7
    """
    from ..models.learning.checkpoint import load_checkpoint
    from .generate import Asked, generate_called

    format = check_format(format, output)
    asked = Asked(tokens, temperature, top_k, top_p, greedy, beams, seed, cache)
    generate_called(load_checkpoint(checkpoint), prompt, asked, explain, format, output)


app.command("why", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(why_command)
app.command("compare")(compare_command)
app.command("quiz")(quiz_command)
app.command("worksheet")(worksheet_command)
app.command("grade")(grade_command)
app.command("serve")(serve_command)


def main(arguments: list[str] | None = None) -> int:
    """Run a command. Errors are sentences on standard error, never a traceback."""
    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the program runs
    try:
        app(arguments, standalone_mode=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except WorkingsError as error:
        _complain(str(error))
        return 2
    except ReaderLeft:
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
    if sys.stderr is not None:
        encoding = sys.stderr.encoding or "ascii"
        sys.stderr.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def run() -> Any:
    sys.exit(main())
