"""`step`, `matrix`, `cell`, `ledger`: steps of a run, their entries and their shapes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...document.blocks import Block, Fold, Index, Link, Matrix, Text, Words
from ...engine.errors import LessonError
from ...explain.step_blocks import ledger_of
from ...explain.story import is_shown
from ..naming import step_label, step_title
from ..reading.entry import DEFAULT, MOST_DIGITS, EntryName, no_digits
from ..reading.myst import Directive
from ..rewriting import located
from .kind import Kind, is_yes

if TYPE_CHECKING:
    from ..page import PageBuilder


_PLACES = re.compile(r"\[\]|(?:\[-?[0-9]{1,9}\])+")


def _step(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A step that can be folded: its formula, its value, and some entries by hand."""
    name = page.entry(directive.argument, directive.options.get("run", ""))
    view, run = page.whole(name), page.run_of(name)
    blocks: list[Block] = []
    formula = view.formula_block()
    if formula is not None:
        blocks.append(formula)
    blocks.append(replace(view.matrix(page.labels(run, view)), title=""))
    blocks += [view.cell(*entry) for entry in _cells(directive.options.get("cells", ""))]
    title = directive.options.get("title", "") or step_title(view)
    text = page.blocks(directive.body, directive.body_line)
    yield Fold(title, (*located(tuple(blocks), run), *text), is_open=True)


def _cells(text: str) -> list[Index]:
    """`[1][0] [0][1]`: some entries; `[]` is that of a single number."""
    entries = []
    for part in text.split():
        if not _PLACES.fullmatch(part):
            raise LessonError(
                f"'{part[:40]}' is not an entry.",
                hint="Write entries in brackets, with spaces between them: [1][0] [0][1].",
            )
        entries.append(tuple(int(place) for place in re.findall(r"-?[0-9]+", part)))
    return entries


def _matrix(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    names = [page.entry(part, directive.options.get("run", "")) for part in directive.argument.split()]
    matrices = [_one_matrix(name, is_yes(directive, "whole"), page) for name in names]
    titles = Counter(matrix.title for matrix in matrices)
    steps = {name.step for name in names}
    for name, matrix in zip(names, matrices, strict=True):
        # Two heads have a W_Q each: beside each other they are told apart as the text tells them apart.
        is_alone = titles[matrix.title] == 1 or len(steps) < len(names)
        yield matrix if is_alone else replace(matrix, title=name.step)


def _one_matrix(name: EntryName, whole: bool, page: PageBuilder) -> Matrix:
    run, view = page.run_of(name), page.whole(name)
    return located(view.matrix(page.labels(run, view), whole), run)


def _cell(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    digits = directive.options.get("digits", "")
    for part in directive.argument.split():
        name = page.entry(part, directive.options.get("run", ""))
        yield located(page.view(name).cell(*name.index, digits=read_digits(digits)), page.run_of(name))


def read_digits(text: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= MOST_DIGITS:
        raise no_digits(text[:20])
    return int(text)


def _ledger(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """The shapes of the steps that are named, or of the whole forward pass (of one module: `under`)."""
    run, under = directive.options.get("run", DEFAULT), directive.options.get("under", "")
    if directive.argument:
        names = [page.entry(part, run) for part in directive.argument.split()]
        runs = {page.run_of(name) for name in names}
        if len(runs) > 1:
            raise LessonError(
                f"These steps are of several runs: {', '.join(sorted(runs))}.", hint="Write one ledger for each run."
            )
        [run] = runs
        steps = [page.whole(name).step for name in names]
    else:
        recording = page.trace(run).recording
        shown = (step for step in recording.steps.values() if is_shown(recording, step))
        inside = f"{under}." if under else ""
        steps = [step for step in shown if step.stage == "forward" and step.path.startswith(inside)]
    if not steps:
        raise LessonError(
            f"No step lies under '{under}'.",
            hint="Write the path of a module, such as block1.attention, or the names of some steps.",
        )
    yield located(ledger_of(page.trace(run).recording, steps, page.trace(run).style), run)


def _value(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """Some entries, each on a line: its name and its value."""
    for part in directive.argument.split():
        name = page.entry(part, directive.options.get("run", ""))
        digits = read_digits(directive.options.get("digits", ""))
        number = page.number(replace(name, digits=digits))
        entry = page.view(name).trace.style.notation.entry(step_label(page.view(name)), name.index)
        link = Link(entry, number.step)
        yield Text((link, Words(" = "), number))


STEPS = {
    "step": Kind(_step, "needed", "optional", ("run", "cells", "title")),
    "matrix": Kind(_matrix, "needed", "none", ("run", "whole")),
    "cell": Kind(_cell, "needed", "none", ("run", "digits")),
    "value": Kind(_value, "needed", "none", ("run", "digits")),
    "ledger": Kind(_ledger, "optional", "none", ("run", "under")),
}
