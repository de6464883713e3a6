"""`note`, `hint`, `warning`, `fold`, `only`, `predict`, `question`, `exercise`, `answer`: framed texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ...document.blocks import Block, Fold, Note, Question, Words
from ...engine.errors import LessonError, WorkingsError
from ..prose import flowing
from ..reading.myst import Directive
from ..runs import Numbers
from .kind import Kind, is_yes

if TYPE_CHECKING:
    from ..page import PageBuilder


ASKING = ("question", "exercise")


def _note(tone: Literal["hint", "warning", "mistake"]) -> Kind:
    def write(directive: Directive, page: PageBuilder) -> Iterator[Block]:
        yield Note(tone, flowing(page.blocks(directive.body, directive.body_line)))

    return Kind(write, "none", "needed")


def _fold(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    text = page.blocks(directive.body, directive.body_line)
    yield Fold(directive.argument, text, is_yes(directive, "open"), directive.options.get("summary", ""))


def _only(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A text about one of the two sets of numbers: that of the document, or the distinguishing one."""
    if directive.argument not in get_args(Numbers):
        raise LessonError(
            f"A lesson has no numbers named '{directive.argument[:40]}'.",
            hint=f"Write only with one of these: {', '.join(get_args(Numbers))}.",
        )
    if directive.argument == page.runs.options.numbers:
        yield from page.blocks(directive.body, directive.body_line)


def _predict(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A question before the result, which answers it."""
    yield Question(flowing(page.blocks(directive.body, directive.body_line)), (), directive.argument or "Predict first")


def _question(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """What is asked, and under `answer` what is right."""
    blocks = page.blocks(directive.body, directive.body_line)
    answers = [block for block in blocks if isinstance(block, _Answer)]
    if len(answers) != 1 or blocks[-1] is not answers[0]:
        raise LessonError(
            f"The directive {directive.name} needs one answer, at its end.",
            hint=f"Write ::::{{{directive.name}}}, the text, then :::{{answer}} with its own closing :::, then ::::.",
        )
    yield Question(flowing(blocks[:-1]), answers[0].blocks, directive.argument.rstrip("."), "Answer")


@dataclass(frozen=True)
class _Answer(Fold):
    """On its way into the question that it belongs to."""


def _answer(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    if len(page.inside) < 2 or page.inside[-2] not in ASKING:
        raise LessonError(
            "An answer must be the last part of a question or an exercise.",
            hint="Put a question around it, with one colon more.",
        )
    yield _Answer("", page.blocks(directive.body, directive.body_line))


def _refused(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A run that cannot be carried out, and what is said about it."""
    try:
        page.trace(directive.argument)
    except LessonError:
        raise
    except WorkingsError as error:
        yield Note("warning", (Words(error.what), Words(" "), Words(error.hint)))
        return
    raise LessonError(
        f"The run {directive.argument} can be carried out: there is nothing to refuse.",
        hint="Show one of its steps instead.",
    )


BOXES = {
    "note": _note("hint"),
    "hint": _note("hint"),
    "warning": _note("warning"),
    "mistake": _note("mistake"),
    "fold": Kind(_fold, "needed", "needed", ("open", "summary")),
    "only": Kind(_only, "needed", "needed"),
    "predict": Kind(_predict, "optional", "needed"),
    "question": Kind(_question, "optional", "needed"),
    "exercise": Kind(_question, "optional", "needed"),
    "refused": Kind(_refused, "needed", "none"),
    "answer": Kind(_answer, "none", "needed"),
}
