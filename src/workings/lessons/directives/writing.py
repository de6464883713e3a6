"""`written` and `choice`: the text that a run wrote, and how one of its tokens was chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...document.blocks import Block
from ...engine.errors import LessonError
from ...generation.generated_text import generated_ids
from ...generation.generation_page import LIKELY_TOKENS, choice_blocks, generated_table
from ...text.tokens import Tokens
from ..reading.entry import DEFAULT
from ..reading.myst import Directive
from ..rewriting import located
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder

_WHOLE = re.compile(r"[1-9][0-9]{0,3}")


def _generated(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """What a run wrote, token by token."""
    run = directive.argument or DEFAULT
    shown = directive.options.get("shown", str(LIKELY_TOKENS))
    if not _WHOLE.fullmatch(shown):
        raise LessonError(
            f"The option shown is the number of candidates in a row, not '{shown[:20]}'.",
            hint="Write a whole number from 1 on.",
        )
    vocabulary = _vocabulary(page, run)
    table = generated_table(page.trace(run), vocabulary, int(shown))
    yield located(replace(table, title=directive.options.get("title", "")), run)


def _choice(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """How one token was chosen: all candidates, what became of their scores, and what was drawn."""
    run = directive.options.get("run", DEFAULT)
    vocabulary = _vocabulary(page, run)
    count = len(generated_ids(page.trace(run)))
    if not _WHOLE.fullmatch(directive.argument) or int(directive.argument) > count:
        raise LessonError(
            f"There is no token {directive.argument[:20]} to show: the run {run} chose {count}, one after the other.",
            hint="Write the number of a token, counted from 1; of beams, show the directive written.",
        )
    yield from located(tuple(choice_blocks(page.trace(run), int(directive.argument), vocabulary)), run)


def _vocabulary(page: PageBuilder, run: str) -> Tokens:
    """The tokens of a run that writes something."""
    scenario, name = page.runs.find(run)
    if scenario.plan(name).generate is None:
        raise LessonError(
            f"The run {run} writes no text.",
            hint="Add `generate: {prompt: ...}` to its scenario, or name a run that has it.",
        )
    return scenario.vocabulary(name)


WRITING = {
    "written": Kind(_generated, "optional", "none", ("title", "shown")),
    "choice": Kind(_choice, "needed", "none", ("run",)),
}
