"""`table`, `compare`, `measure`: numbers beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from ...document.blocks import Block, Link, Spans, Table
from ...document.numbers import apart
from ...engine.errors import LessonError
from ..naming import step_label
from ..reading.entry import EntryName
from ..reading.myst import Directive
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder


def _table(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A Markdown table under a title."""
    blocks = page.blocks(directive.body, directive.body_line)
    if len(blocks) != 1 or not isinstance(blocks[0], Table):
        raise LessonError(
            "The directive table holds one Markdown table, and nothing else.",
            hint="Begin each row with a bar: | one | two |.",
        )
    yield replace(blocks[0], title=directive.argument)


def _compare(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """The same entries of several runs, with so many digits that different numbers look different."""
    runs = directive.options.get("runs", "").replace(",", " ").split()
    titles = [part.strip() for part in directive.options.get("names", ",".join(runs)).split(",")]
    if len(runs) < 2 or len(titles) != len(runs):
        raise LessonError(
            f"There are {len(runs)} runs and {len(titles)} names.",
            hint="Write two runs or more, :runs: default twin, and as many names, with commas between.",
        )
    rows = [_row([page.entry(part, run) for run in runs], page) for part in directive.argument.split()]
    yield Table(("entry", *titles), tuple(rows), directive.options.get("title", ""))


def _row(names: list[EntryName], page: PageBuilder) -> tuple[Spans, ...]:
    views = [page.view(name) for name in names]
    style = views[0].trace.style
    values = [page.value(name) for name in names]
    for one, other in combinations(values, 2):
        style = apart(one, other, style)
    entry = style.notation.entry(step_label(views[0]), names[0].index)
    numbers = [page.number(name, style) for name in names]
    return (Link(entry, numbers[0].step),), *((number,) for number in numbers)


def _measure(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """Lines that are worked out; nothing is shown of them here, but from now on their names can be used."""
    for number, line in enumerate(directive.body.splitlines(), directive.body_line):
        if line.strip():
            with page.at(number):
                page.measured.line(line, directive.options.get("run", ""))
    yield from ()


TABLES = {
    "table": Kind(_table, "optional", "needed"),
    "compare": Kind(_compare, "needed", "none", ("runs", "names", "title")),
    "measure": Kind(_measure, "none", "needed", ("run",)),
}
