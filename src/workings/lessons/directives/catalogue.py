"""`catalogue`: every mistake of some op pages, with the right number and the wrong one.

Each is shown on an example of its page. One that needs the steps around it is shown in one of the `runs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...document.blocks import Block, Heading, Link, Number, Spans, Table, Words
from ...engine.errors import LessonError
from ...engine.op import OPS, Op, find_op
from ...explain.mistake_titles import mistake_title
from ...explain.op_example import example_run
from ...explain.op_page import mistake_on
from ...explain.trace import Trace
from ..reading.myst import Directive
from ..rewriting import located
from .kind import Kind
from .mistakes import seen_in

if TYPE_CHECKING:
    from ..page import PageBuilder


def _catalogue(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """Those of the named ops, or of all."""
    runs = directive.options.get("runs", "").replace(",", " ").split()
    headings = ("mistake", "what was done", "seen at", "right", "wrong")
    for name in directive.argument.split() or sorted(OPS):
        op = find_op(name)
        found = _on_examples(op, page)
        found |= _around([id for id in _ids(op) if id not in found], runs, page)
        missing = [id for id in _ids(op) if id not in found]
        if missing and page.runs.options.precision is None:  # a calculator may round what a mistake changes away
            raise LessonError(
                f"These mistakes are seen nowhere: {', '.join(missing)}.",
                hint="Name more runs in which they can be made, with the option runs.",
            )
        yield Heading(3, name, f"mistakes-{name.replace('_', '-')}")
        yield Table(headings, tuple(_row(op, id, *found[id]) for id in _ids(op) if id in found))


def _ids(op: Op) -> list[str]:
    return [mistake.id for mistake in op.page.mistakes.values()]


def _on_examples(op: Op, page: PageBuilder) -> dict[str, tuple[Spans, str]]:
    """What each mistake gives on the first example of the page that shows it."""
    found: dict[str, tuple[Spans, str]] = {}
    for number in range(len(op.page.examples)):
        todo = [mistake for mistake in op.page.mistakes.values() if mistake.id not in found]
        run, name = example_run(op, number, page.style), f"page{number + 1}.{op.name}"
        for mistake in todo:
            gives = mistake_on(run, mistake)
            if gives is not None:
                page.runs.add(name, run.trace)
                found[mistake.id] = located(gives, name), ""
    return found


def _around(todo: list[str], runs: list[str], page: PageBuilder) -> dict[str, tuple[Spans, str]]:
    """What mistakes give that can only be made among other steps, and in which run."""
    found: dict[str, tuple[Spans, str]] = {}
    for run in runs if todo else ():
        wanted = [id for id in todo if id not in found]
        name, trace = _unchanged(run, page)
        for fit in trace.mistakes(only=wanted) if wanted else ():
            gives = seen_in(trace, fit) if fit.id not in found else None
            if gives is not None:
                found[fit.id] = located(gives, name), run
    return found


def _unchanged(run: str, page: PageBuilder) -> tuple[str, Trace]:
    """A run and its name; where another convention is chosen, in which a mistake may not be possible, as it is."""
    if page.runs.options.convention is None:
        return run, page.trace(run)
    name = f"written.{run}"
    if name not in page.runs.traces:
        page.runs.add(name, page.unchanged().trace(run))
    return name, page.trace(name)


def _row(op: Op, id: str, gives: Spans, run: str) -> tuple[Spans, ...]:
    """The parts of the sentence that says what a mistake gives, in columns."""
    name = id.partition(".")[2]
    cells: tuple[Spans, ...] = ((Words(mistake_title(name)),), (Words(op.page.mistakes[name].hint),))
    links = [span for span in gives if isinstance(span, Link)]
    if not links:  # another shape
        return (cells[0], (*cells[1], *gives), (), (), ())
    right, wrong = (
        [span for span in gives if isinstance(span, Number) and (span.role == "mistake") == is_wrong]
        for is_wrong in (False, True)
    )
    place: Spans = (links[0], Words(f" ({run})")) if run else (links[0],)
    return (*cells, place, tuple(right), tuple(wrong))


CATALOGUE = {"catalogue": Kind(_catalogue, "optional", "none", ("runs",))}
