"""`step`, `matrix`, `cell`, `ledger`: steps of a run, their entries and their shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...explain.document import Block, Fold, Index, Link, Text, Words, plain_text
from ...explain.numbers import Style
from ...explain.step import ledger_of
from ...explain.step_view import StepView
from ...explain.story import is_told
from ..located import located
from ..reading.entry import EntryName
from ..reading.myst import Directive
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page


def _step(directive: Directive, page: Page) -> Iterator[Block]:
    """A step that can be folded: its formula, its value, and some entries by hand."""
    name = page.entry(directive.argument, directive.options.get("run", ""))
    view, run = page.view(name), page.run_of(name)
    blocks: list[Block] = []
    formula = view.formula_block()
    if formula is not None:
        blocks.append(formula)
    blocks.append(replace(view.matrix(page.labels(run)), title=""))
    blocks += [view.cell(*entry) for entry in _cells(directive.options.get("cells", ""))]
    blocks += page.blocks(directive.body, directive.body_line)
    title = directive.options.get("title", "") or plain_text(view.title())
    yield Fold(title, located(tuple(blocks), run), is_open=True)


def _cells(text: str) -> list[Index]:
    """`[1][0] [0][1]`: some entries; `[]` is that of a single number."""
    entries = []
    for part in text.split():
        places = part.strip("[]").split("][")
        if not (part.startswith("[") and part.endswith("]") and all(p.lstrip("-").isdigit() or not p for p in places)):
            raise LessonError("lesson.cells", text=part[:40])
        entries.append(tuple(int(place) for place in places if place))
    return entries


def _matrix(directive: Directive, page: Page) -> Iterator[Block]:
    for part in directive.argument.split():
        name = page.entry(part, directive.options.get("run", ""))
        if name.index:
            raise LessonError("lesson.whole", name=str(name), step=name.step)
        run = page.run_of(name)
        yield located(page.view(name).matrix(page.labels(run)), run)


def _cell(directive: Directive, page: Page) -> Iterator[Block]:
    digits = directive.options.get("digits", "")
    for part in directive.argument.split():
        name = page.entry(part, directive.options.get("run", ""))
        yield located(page.view(name).cell(*name.index, digits=read_digits(digits)), page.run_of(name))


def read_digits(text: str) -> int | None:
    if not text:
        return None
    if not text.isdigit() or not 1 <= int(text) <= 17:
        raise LessonError("lesson.digits", digits=text[:20], most=17)
    return int(text)


def _ledger(directive: Directive, page: Page) -> Iterator[Block]:
    """The shapes of the steps that are named, or of the whole forward pass (of one module: `under`)."""
    run = directive.options.get("run", "default")
    trace = page.trace(run)
    style: Style = trace.style
    if directive.argument:
        names = [page.entry(part, run) for part in directive.argument.split()]
        steps = [page.view(EntryName(run, name.step)).step for name in names]
    else:
        under = directive.options.get("under", "")
        told = (step for step in trace.recording.steps.values() if is_told(trace.recording, step))
        steps = [step for step in told if step.stage == "forward" and step.path.startswith(under)]
    if not steps:
        raise LessonError("lesson.ledger", under=directive.options.get("under", ""))
    yield located(ledger_of(trace.recording, steps, style), run)


def _value(directive: Directive, page: Page) -> Iterator[Block]:
    """Some entries, each on a line: its name and its value."""
    for part in directive.argument.split():
        name = page.entry(part, directive.options.get("run", ""))
        digits = read_digits(directive.options.get("digits", ""))
        number = page.number(replace(name, digits=digits))
        link = Link(_entry_name(page.view(name), name.index), number.step)
        yield Text((link, Words(" = "), number))


def _entry_name(view: StepView, index: Index) -> str:
    return view.trace.style.notation.entry(view.name, index)


STEPS = {
    "step": Kind(_step, "needed", "optional", ("run", "cells", "title")),
    "matrix": Kind(_matrix, "needed", "none", ("run",)),
    "cell": Kind(_cell, "needed", "none", ("run", "digits")),
    "value": Kind(_value, "needed", "none", ("run", "digits")),
    "ledger": Kind(_ledger, "optional", "none", ("run", "under")),
}
