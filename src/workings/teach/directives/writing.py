"""`written` and `choice`: the text that a run wrote, and how one of its tokens was chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...explain.document import Block
from ...models.generating.choice_page import choice_blocks
from ...models.generating.written import chosen_of
from ...models.generating.written_page import LIKELIEST, written_table
from ...models.labels import vocabulary_of
from ...text.tokens import Tokens
from ..located import located
from ..reading.entry import DEFAULT
from ..reading.myst import Directive
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page

_WHOLE = re.compile(r"[1-9][0-9]{0,3}")


def _written(directive: Directive, page: Page) -> Iterator[Block]:
    """What a run wrote, token by token."""
    run = directive.argument or DEFAULT
    shown = directive.options.get("shown", str(LIKELIEST))
    if not _WHOLE.fullmatch(shown):
        raise LessonError("lesson.shown", shown=shown[:20])
    vocabulary = _vocabulary(page, run)
    table = written_table(page.trace(run), vocabulary, int(shown))
    yield located(replace(table, title=directive.options.get("title", "")), run)


def _choice(directive: Directive, page: Page) -> Iterator[Block]:
    """How one token was chosen: all candidates, what became of their scores, and what was drawn."""
    run = directive.options.get("run", DEFAULT)
    vocabulary = _vocabulary(page, run)
    count = len(chosen_of(page.trace(run)))
    if not _WHOLE.fullmatch(directive.argument) or int(directive.argument) > count:
        raise LessonError("lesson.choice", number=directive.argument[:20], run=run, count=count)
    yield from located(tuple(choice_blocks(page.trace(run), int(directive.argument), vocabulary)), run)


def _vocabulary(page: Page, run: str) -> Tokens:
    """The tokens of a run that writes something."""
    scenario, name = page.runs.find(run)
    if scenario.plan(name).generate is None:
        raise LessonError("lesson.unwritten", run=run)
    return vocabulary_of(scenario, name)


WRITING = {
    "written": Kind(_written, "optional", "none", ("title", "shown")),
    "choice": Kind(_choice, "needed", "none", ("run",)),
}
