"""`workings why`: what explains wrong numbers, for a step of a lesson or for an op with inputs of one's own."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..document.blocks import Document, Heading
from ..engine.errors import InputError
from ..engine.files import read_user_file
from ..engine.op import OPS
from .numbers import read_matrix, read_setting
from .options import Format, Output, Run, Trust, missing_value, named_values
from .output import check_format, give

if TYPE_CHECKING:
    from ..explain.step_view import StepView
    from ..explain.trace import Trace
    from ..practice.answers.matrix import GivenMatrix

SETTINGS = ("heads", "mask", "d", "activation", "step")  # of modules; a mask may also be a table


def why_command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="a lesson, a scenario or its file, a JSON trace; or an op, or attention")],
    step: Annotated[
        str | None, typer.Argument(help="the step, such as scores; for an op, its result is the default")
    ] = None,
    got: Annotated[str, typer.Option("--got", help="your numbers, or @FILE with them")] = "",
    run: Run = None,
    trust: Trust = False,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """Find out where your numbers come from: rounding, another convention, or a known mistake.

    workings why example-3 weights --run twin --got "0.5 0.5; 0.5 0.5"

    workings why softmax --x "2 1" --got "7.389 2.718"

    Give the inputs and settings of an op or of attention by name, as `workings op NAME` lists them:

    workings why attention scaled --q "1 0; 0 1" --k "1 2; 0 1" --v "1 2; 3 4" --got "1 0; 2 1"
    """
    from ..practice.checking.data import why_data
    from ..practice.checking.reference import MODULES, reference_step
    from ..practice.checking.why import why
    from ..practice.checking.why_page import why_document

    format = check_format(format, output)
    if not got:
        raise InputError(
            "There are no numbers to check.",
            hint=f'Write them after --got: workings why {name} ... --got "0.7 0.3".',
        )
    words = context.args
    if step is not None and step.startswith("--"):  # the first option of an op
        words, step = [step, *words], None
    is_op = name in OPS or name in MODULES
    if (is_op and (words or step is None)) or (words and step is None):  # a lesson may have the name of an op
        view = reference_step(name, {**_options(name, words), **({} if step is None else {"step": step})})
    else:
        if words:
            raise _unknown_option(words[0])
        if step is None:
            raise InputError(
                f"{name} has many steps: name one of them.",
                hint=f"Write the step after it: workings why {name} scores --got ...",
            )
        view = trace_of(name, run, trust)[step]
    found = why(numbers_of(got, view.shape), view)
    document = view.trace.run.noted(replace(why_document(found), title=f"Your numbers for {found.step}"))
    give(document, partial(why_data, found), format, output)


def with_reason(page: Document, got: str, view: StepView) -> Document:
    """A page, and below it what explains the numbers that were given for one of its steps."""
    from ..practice.checking.why import why
    from ..practice.checking.why_page import why_blocks

    blocks = why_blocks(why(numbers_of(got, view.shape), view))
    return replace(page, blocks=(*page.blocks, Heading(2, f"Your numbers for {view.path}"), *blocks))


def trace_of(name: str, run: str | None, trust: bool = False) -> Trace:
    """The trace of a lesson, or else of a scenario, a file or a training."""
    from ..lessons.contents import names
    from ..lessons.lesson import lesson
    from .trace import TraceOptions, nothing_to_trust, open_trace

    if name in names() or name.endswith(".md"):
        if trust:
            raise nothing_to_trust(name)
        return lesson(name).trace(run or "default")
    return open_trace(TraceOptions(name, run, trust=trust)).trace


def numbers_of(text: str, shape: tuple[int, ...]) -> GivenMatrix:
    """Numbers as they are typed, or from the file behind an @."""
    from ..practice.answers import matrix

    found = matrix.read_matrix(_content(text), shape)
    if all(entry is None for entry in found.entries):
        raise InputError(
            "Every entry is blank, and a blank is not a zero.", hint="Give one entry at least, or choose another step."
        )
    # All entries in one row: as many as there are, they can only be the rows one after the other.
    in_a_row = max(found.shape, default=1) == len(found.entries) == math.prod(shape)
    return replace(found, shape=shape) if in_a_row else found


def _content(text: str) -> str:
    from ..practice.answers.file import MAX_ANSWER_BYTES
    from ..practice.answers.text_file import decoded

    return decoded(read_user_file(text[1:], MAX_ANSWER_BYTES)) if text.startswith("@") else text


def _options(what: str, words: list[str]) -> dict[str, Any]:
    """The inputs and settings of an op or a module: `--q "1 0; 0 1" --heads 2`."""
    found: dict[str, Any] = {}
    for option, name, value in named_values(words):
        if not name:
            raise _unknown_option(option)
        if not value:
            raise missing_value(option)
        found[name] = read_setting(value) if _is_setting(what, name, value) else read_matrix(value)
    return found


def _unknown_option(option: str) -> InputError:
    return InputError(
        f"'{option}' is not an option here.",
        hint="A step comes after the name of a lesson; the inputs of an op have names: --x ...",
    )


def _is_setting(what: str, name: str, value: str) -> bool:
    if what in OPS and name in OPS[what].page.settings:
        return True
    return name in SETTINGS and (name != "mask" or value.isalpha())
