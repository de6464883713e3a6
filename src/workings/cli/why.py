"""`workings why`: how somebody's numbers came about, for a step of a lesson or for an op with their own inputs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..engine.errors import InputError
from ..engine.registry import OPS
from ..engine.sentences import say
from ..explain.document import Document, Heading
from .numbers import read_matrix, read_setting
from .options import Format, Output
from .output import check_format, give

if TYPE_CHECKING:
    from ..explain.step_view import StepView
    from ..explain.view import Trace
    from ..teach.answers.matrix import GivenMatrix

SETTINGS = ("heads", "mask", "d", "activation", "step")  # of modules; a mask may also be a table


def why_command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="a lesson, a scenario or its file; or an op, or attention")],
    step: Annotated[
        str | None, typer.Argument(help="the step, such as scores; of an op, its result if none is named")
    ] = None,
    got: Annotated[str, typer.Option("--got", help="the numbers, or @FILE with them")] = "",
    run: Annotated[str | None, typer.Option("--run", help="which run of the lesson or scenario")] = None,
    format: Format = "terminal",
    output: Output = None,
) -> None:
    """How these numbers came about: rounding, another convention, or a known mistake.

    workings why example-3 weights --run twin --got "0.5 0.5; 0.5 0.5"

    workings why softmax --x "2 1" --got "7.389 2.718"

    The inputs and settings of an op or of attention go under their own names, as `workings op NAME` lists them:

    workings why attention scaled --q "1 0; 0 1" --k "1 2; 0 1" --v "1 2; 3 4" --got "1 0; 2 1"
    """
    from ..teach.checking.called import MODULES, called
    from ..teach.checking.data import why_data
    from ..teach.checking.why import why
    from ..teach.checking.why_page import why_document

    format = check_format(format, output)
    if not got:
        raise InputError("why.got", name=name)
    words = context.args
    if step is not None and step.startswith("--"):  # the first option of an op
        words, step = [step, *words], None
    is_op = name in OPS or name in MODULES
    if (is_op and (words or step is None)) or (words and step is None):  # a lesson may have the name of an op
        view = called(name, {**_options(name, words), **({} if step is None else {"step": step})})
    else:
        if words:
            raise InputError("why.option", option=words[0])
        if step is None:
            raise InputError("why.no_step", name=name)
        view = trace_of(name, run)[step]
    found = why(numbers_of(got, view.shape), view)
    document = replace(why_document(found), title=say("checking.title", step=found.step))
    give(document, partial(why_data, found), format, output)


def with_reason(page: Document, got: str, view: StepView) -> Document:
    """A page, and below it how somebody's numbers for one of its steps came about."""
    from ..teach.checking.why import why
    from ..teach.checking.why_page import why_blocks

    blocks = why_blocks(why(numbers_of(got, view.shape), view))
    return replace(page, blocks=(*page.blocks, Heading(2, say("checking.title", step=view.path)), *blocks))


def trace_of(name: str, run: str | None) -> Trace:
    """The trace of a lesson, or else of a scenario, a file or a training."""
    from ..teach.lesson import lesson
    from ..teach.shelf import names
    from .trace import trace_called

    if name in names() or name.endswith(".md"):
        return lesson(name).trace(run or "default")
    return trace_called(name, run, None, None).trace


def numbers_of(text: str, shape: tuple[int, ...]) -> GivenMatrix:
    """Numbers as they are typed, or from the file behind an @."""
    from ..teach.answers import matrix

    found = matrix.read_matrix(_content(text), shape)
    if all(entry is None for entry in found.entries):
        raise InputError("why.blank")
    # One row after the other, without signs between them: as many as there are, they can only be meant so.
    in_a_row = max(found.shape, default=1) == len(found.entries) == math.prod(shape)
    return replace(found, shape=shape) if in_a_row else found


def _content(text: str) -> str:
    from ..teach.answers.file import content_of
    from ..teach.answers.text_file import decoded

    return decoded(content_of(Path(text[1:]))) if text.startswith("@") else text


def _options(what: str, words: list[str]) -> dict[str, Any]:
    """The inputs and settings of an op or a module: `--q "1 0; 0 1" --heads 2`."""
    found: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            raise InputError("why.option", option=word)
        value = value if equals else next(rest, "")
        if not value:
            raise InputError("input.value", option=word)
        found[name] = read_setting(value) if _is_setting(what, name, value) else read_matrix(value)
    return found


def _is_setting(what: str, name: str, value: str) -> bool:
    if what in OPS and name in OPS[what].page.settings:
        return True
    return name in SETTINGS and (name != "mask" or value.isalpha())
