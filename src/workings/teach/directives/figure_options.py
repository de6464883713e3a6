"""What the options of a figure say: which steps are meant, and what they and their rows are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ..reading.entry import EntryName
from ..reading.myst import Directive

if TYPE_CHECKING:
    from ..page import Page


def named(steps: list[str], directive: Directive, page: Page) -> list[EntryName]:
    if not steps:
        raise LessonError("lesson.argument.needed", name=directive.name)
    return [page.entry(step, directive.options.get("run", "")) for step in steps]


def labels_for(directive: Directive, page: Page, name: EntryName) -> dict[str, tuple[str, ...]]:
    """What the rows are called: as the directive says, or as the run does."""
    words = tuple(parts(directive, "labels"))
    view = page.view(name)
    labels, form = page.labels(page.run_of(name), view), view.form
    across = -min(2, len(form.axes))  # the rows of a matrix, the entries of a single row
    rows = form.axes[across] if across else ""
    if words and (not across or len(words) != form.shape[across]):
        raise LessonError("lesson.labels", count=len(words), name=str(name), shape=str(form))
    return {**labels, rows: words} if words else labels


def titles(directive: Directive, count: int) -> list[str]:
    found = parts(directive, "names")
    if found and len(found) != count:
        raise LessonError("lesson.names", names=len(found), count=count)
    return found


def parts(directive: Directive, option: str) -> list[str]:
    """What stands between the commas of an option."""
    return [part.strip() for part in directive.options.get(option, "").split(",") if part.strip()]
