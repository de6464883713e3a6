"""The commands with their arguments, options and help. What a command needs is loaded when it runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..document.blocks import Document, to_data
from ..document.numbers import Style
from ..engine.arithmetic import arithmetic
from ..engine.errors import InputError
from ..explain.op_page import op_document, run_op
from .compare import compare_command
from .grade import grade_command
from .numbers import read_index
from .op import op_call, op_list
from .options import Cell, Convention, Digits, Format, Numbers, OneStep, Output, Precision, Trust, Values
from .output import check_format, give
from .quiz import quiz_command
from .serve import ServeOptions, serve, serve_command
from .streams import print_line
from .why import why_command
from .worksheet import worksheet_command

app = typer.Typer(
    name="workings",
    help="The transformer that shows its workings.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        print_line(f"workings {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="show the version", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        serve(ServeOptions())


@app.command("op", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def op_command(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="the op; without one, all are listed")] = None,
    step: OneStep = None,
    cell: Cell = None,
    got: Annotated[str, typer.Option("--got", help="your result, or @FILE with it, to be explained")] = "",
    digits: Digits = 4,
    precision: Precision = None,
    convention: Convention = None,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """One op page with your numbers, forward and backward.

    Give inputs and settings by the names on the page, with ; between rows, and with --cotangent the upstream
    gradient:

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
    name: Annotated[str | None, typer.Argument(help="a scenario, its file, a training folder or a JSON trace")] = None,
    run: Annotated[str | None, typer.Option("--run", help="the run of the scenario; of a training: step100")] = None,
    step: OneStep = None,
    cell: Cell = None,
    digits: Digits = 4,
    precision: Precision = None,
    convention: Convention = None,
    format: Format = "terminal",
    output: Output = None,
    values: Values = None,
    trust: Trust = False,
) -> None:
    """A whole computation: every step forward, backward and of the update, with one entry of each by hand.

    A stored trace is recomputed, and refused with the first step that does not follow from its inputs.

    workings trace example-3 --run twin --step dW_V --cell 0,1
    """
    from .trace import TraceOptions, offline_trace, open_trace, trace_list, write_values

    format = check_format(format, output, offline=name is not None)
    arithmetic(precision or "float64")  # refuse a precision that cannot be read before anything is computed
    if name is None:
        document = trace_list()
        give(document, partial(to_data, document), format, output)
        return
    if cell is not None and step is None:
        raise InputError(f"--cell {cell} needs a step.", hint=f"Name the step as well: --step scores --cell {cell}.")
    options = TraceOptions(name, run, precision, convention, trust)
    opened = open_trace(options)
    trace = opened.trace.with_run(style=replace(opened.trace.style, digits=digits))
    entry = None if cell is None else read_index(cell)
    document = opened.page(trace) if step is None else trace[step].document(entry)
    if values is not None:
        write_values(trace.values(), values)
    data = partial(trace.to_data, name=run or "default", document=document)
    offline = partial(offline_trace, opened, document, options, (step, entry))
    give(document, data, format, output, offline)


@app.command("new-scenario")
def new_scenario_command(
    name: Annotated[str, typer.Argument(help="the name of the file: my-example, or my-example.yaml")],
) -> None:
    """Write a scenario to start from: a commented file that runs as it is.

    workings new-scenario my-example
    """
    from .new_file import in_command, new_scenario

    path = new_scenario(name)
    print_line(f"{path} is written. Try: workings trace {in_command(path)}")


@app.command("lessons")
def lessons_command(format: Format = "terminal", output: Output = None) -> None:
    """List the lessons in order: what each is about, and what it needs.

    workings lessons
    """
    from .lesson import lesson_list

    format = check_format(format, output)
    document = lesson_list()
    give(document, partial(to_data, document), format, output)


@app.command("lesson")
def lesson_command(
    name: Annotated[str, typer.Argument(help="a lesson, or the file of one: my-lesson.md")],
    digits: Annotated[int | None, typer.Option("--digits", min=1, max=17, help="significant digits to show")] = None,
    precision: Precision = None,
    convention: Convention = None,
    numbers: Numbers = "document",
    format: Format = "terminal",
    output: Output = None,
    values: Values = None,
    blanks: Annotated[bool, typer.Option("--blanks", help="in a notebook: leave the code to the reader")] = False,
) -> None:
    """One lesson, with every number computed.

    workings lesson example-1 --precision "calculator 5 significant"
    """
    from .lesson import NumberOptions, check_numbers, give_lesson

    format = check_format(format, output, offline=True)
    arithmetic(precision or "float64")  # refuse a precision that cannot be read before anything is computed
    options = NumberOptions(digits, precision, convention, check_numbers(numbers))
    if not give_lesson(name, options, format, output, values, blanks):
        raise typer.Exit(1)


@app.command("new-lesson")
def new_lesson_command(
    name: Annotated[str, typer.Argument(help="the name of the file: my-lesson, or my-lesson.md")],
) -> None:
    """Write a lesson to start from: a text with its own scenario, which works as it is.

    workings new-lesson my-lesson
    """
    from .new_file import in_command, new_lesson

    path = new_lesson(name)
    print_line(f"{path} is written. Try: workings lesson {in_command(path)}")


@app.command("count")
def count_command(
    name: Annotated[
        str | None, typer.Argument(help="a model, config.json or scenario; without one, all are listed")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="the run of a scenario")] = None,
    tokens: Annotated[
        int | None, typer.Option("--tokens", help="tokens of a text; the default is all positions, or 1024")
    ] = None,
    batch_size: Annotated[int, typer.Option("--batch-size", help="texts of a batch")] = 1,
    dtype: Annotated[str, typer.Option("--dtype", help="float32, float16, bfloat16 or float64")] = "float32",
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Parameters, operations (FLOPs) and memory of a model, each number calculated line by line.

    workings count gpt2 --tokens 128 --dtype bfloat16
    """
    from .count import count_page, model_list

    format = check_format(format, output)
    if name is None:
        document = model_list()
        give(document, partial(to_data, document), format, output)
        return
    document, data = count_page(name, run, tokens, batch_size, dtype)
    give(document, lambda: data, format, output)


@app.command("figure")
def figure_command(
    source: Annotated[
        str | None,
        typer.Argument(help="a scenario, a lesson, its file, a training folder or a JSON trace"),
    ] = None,
    name: Annotated[
        str | None, typer.Argument(help="a figure, such as loss or heatmap:weights; without one, all are listed")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="the run of the scenario")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="a .svg, .png or .pdf file")] = None,
    trust: Trust = False,
) -> None:
    """A figure, as a picture in a file or as text on the screen.

    workings figure example-1 heatmap:weights

    workings figure example-4 loss --run all-weights -o loss.svg
    """
    from .figure import check_figure, figure_list, requested_figure, write_figure

    if source is None or name is None:
        document = figure_list()
    else:
        check_figure(name, output)
        figure = requested_figure(source, name, run, trust)
        if output is not None:
            write_figure(figure, output)
            return
        document = Document(figure.title, (replace(figure, title=""),))
    give(document, partial(to_data, document), "terminal", None)


@app.command("book")
def book_command(
    book: Annotated[
        str, typer.Argument(help="book (all lessons), workbook, or a file of your own: book.yaml")
    ] = "book",
    format: Annotated[str | None, typer.Option("--format", help="pdf (the default), html, md or tex")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="the file; its ending .pdf, .html, .md or .tex sets the format"),
    ] = None,
) -> None:
    """Lessons as one book, with contents, answers, a bibliography and an index.

    workings book -o transformers.pdf

    workings book workbook -o workbook.pdf

    workings book my-book.yaml -o my-book.tex
    """
    from .book import write_book

    print_line(f"{write_book(book, format, output)} is written.")


@app.command("train")
def train_command(
    name: Annotated[str | None, typer.Argument(help="a scenario or its file, or the folder of a training")] = None,
    data: Annotated[Path | None, typer.Option("--data", help="a text file to train on, character by character")] = None,
    run: Annotated[str | None, typer.Option("--run", help="the run of the scenario")] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="the folder for checkpoints; by default, the name of the scenario"),
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="training steps")] = None,
    learning_rate: Annotated[float | None, typer.Option("--learning-rate", help="the learning rate")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="the seed of weights and batches")] = None,
    keep: Annotated[str | None, typer.Option("--keep", help="steps whose checkpoints to keep: 100,500")] = None,
    save_steps: Annotated[int | None, typer.Option("--save-steps", help="steps between two checkpoints")] = None,
    engine: Annotated[str, typer.Option("--engine", help="the array library: numpy")] = "numpy",
    context: Annotated[int | None, typer.Option("--context", help="the context length, in characters")] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", help="threads of matrix products; by default, half of the cores")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="start over, and remove all checkpoints there")] = False,
) -> None:
    """Train a model and save checkpoints. After an interruption, the same command continues.

    workings train characters -o chars
    """
    from .train import TrainOptions, train

    document = train(
        TrainOptions(
            name, data, run, folder, steps, learning_rate, seed, keep, save_steps, fresh, engine, threads, context
        )
    )
    give(document, partial(to_data, document), "terminal", None)


@app.command("generate")
def generate_command(
    checkpoint: Annotated[Path, typer.Argument(help="the folder of a training, or of one checkpoint in it")],
    prompt: Annotated[str, typer.Argument(help="the text to continue")],
    max_new_tokens: Annotated[
        int, typer.Option("--max-new-tokens", help="the largest number of tokens to generate")
    ] = 100,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="what the logits are divided by; the default is 1")
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", help="sample from the k likeliest tokens")] = None,
    top_p: Annotated[
        float | None, typer.Option("--top-p", help="sample from the likeliest tokens with this total probability")
    ] = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="always choose the likeliest token")] = False,
    beams: Annotated[int | None, typer.Option("--beams", help="beam search with this many beams")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="the seed of sampling; the default is 0")] = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="cache the keys and values of earlier tokens")
    ] = True,
    explain: Annotated[bool, typer.Option("--explain", help="show how each token was chosen")] = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Continue a text, token by token.

    workings generate chars "def " --temperature 0.8 --top-k 20 --seed 7
    """
    from ..scenarios.running.checkpoints import load_checkpoint
    from .generate import GenerateOptions, generate_text

    format = check_format(format, output)
    options = GenerateOptions(max_new_tokens, temperature, top_k, top_p, greedy, beams, seed, cache)
    generate_text(load_checkpoint(checkpoint), prompt, options, explain, format, output)


app.command("why", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(why_command)
app.command("compare")(compare_command)
app.command("quiz")(quiz_command)
app.command("worksheet")(worksheet_command)
app.command("grade")(grade_command)
app.command("serve")(serve_command)
