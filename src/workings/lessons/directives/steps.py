"""`step`, `matrix`, `cell`, `ledger`: steps of a run, their entries and their shapes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...document.blocks import Block, Fold, Index, Link, Matrix, Text, Words
from ...engine.arrays import indices
from ...engine.errors import LessonError
from ...explain.step_blocks import ledger_of
from ...explain.story import is_shown
from ...scenarios.scenario import names as scenario_names
from ..measured import Measured
from ..naming import step_label, step_title
from ..reading.entry import DEFAULT, MOST_DIGITS, EntryName, no_digits
from ..reading.myst import Directive
from ..rewriting import located
from ..runs import DISTINGUISHING, TWIN
from .kind import Kind, is_yes

if TYPE_CHECKING:
    from ..page import PageBuilder


MOST_OTHERS, MOST_NAMED = 24, 4  # entries in a fold; of them, those that a page on paper names
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
    worked = _cells(directive.options.get("cells", ""))
    blocks += [view.cell(*entry) for entry in worked]
    blocks += _others(directive.options.get("more", ""), worked, name, page)
    title = directive.options.get("title", "") or step_title(view)
    text = page.blocks(directive.body, directive.body_line)
    yield Fold(title, (*located(tuple(blocks), run), *text), is_open=True)


def _others(text: str, worked: list[Index], name: EntryName, page: PageBuilder) -> list[Block]:
    """The entries that are calculated like those above, folded: some, or `all` of a small matrix."""
    if not text:
        return []
    view = page.view(name)
    others = [one for one in indices(view.shape) if one not in worked] if text == "all" else _cells(text)
    if not 0 < len(others) <= MOST_OTHERS:
        raise LessonError(
            f"{view.name} has {len(others)} other entries, and from 1 to {MOST_OTHERS} can be folded.",
            hint="Name some of them: :more: [0][0] [0][1].",
        )
    other = "the other" if text == "all" else "another"
    title = f"Show {other} entry" if len(others) == 1 else f"Show {other} {len(others)} entries"
    notation = view.trace.style.notation
    named = [notation.entry(step_label(view), one) for one in others[:MOST_NAMED]]
    named += [f"{len(others) - MOST_NAMED} more"] if len(others) > MOST_NAMED else []
    summary = f"Same method: {', '.join(named)}{_where_to_open(replace(name, index=others[0]), page)}."
    return [Fold(title, tuple(view.cell(*one) for one in others), summary=summary)]


def _where_to_open(name: EntryName, page: PageBuilder) -> str:
    """The command that shows an entry, where there is one."""
    run = page.run_of(name)
    scenario, run = page.runs.find(run) if run != Measured.NAME else (None, run)
    if scenario is None or scenario.name not in scenario_names():
        return ""
    of_run = "" if run == DEFAULT else f" --run {run}"
    cell = ",".join(map(str, name.index))
    return f" (`workings trace {scenario.name}{of_run} --step {name.step} --cell {cell}`)"


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
    steps = Counter(name.step for name in names)
    for name, matrix in zip(names, matrices, strict=True):
        # Two heads have a W_Q each, and two runs: beside each other they are told apart as the text tells them apart.
        if titles[matrix.title] > 1 and steps[name.step] == 1:
            yield replace(matrix, title=name.step)
        elif titles[matrix.title] > 1 and name.run != DEFAULT:
            yield replace(matrix, title=f"{matrix.title} ({DISTINGUISHING if name.run == TWIN else name.run})")
        else:
            yield matrix


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
    "step": Kind(_step, "needed", "optional", ("run", "cells", "more", "title")),
    "matrix": Kind(_matrix, "needed", "none", ("run", "whole")),
    "cell": Kind(_cell, "needed", "none", ("run", "digits")),
    "value": Kind(_value, "needed", "none", ("run", "digits")),
    "ledger": Kind(_ledger, "optional", "none", ("run", "under")),
}
