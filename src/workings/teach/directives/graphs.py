"""Figures of what a run consists of: the ops that lead to a step, and the weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...engine.inside import inside
from ...explain.document import Figure
from ...explain.graph import graph_of
from ...explain.treemap import treemap_of, treemap_of_numbers
from ..located import located
from ..reading.entry import DEFAULT
from ..reading.myst import Directive
from .figure_options import named, titles

if TYPE_CHECKING:
    from ..page import Page


def graph(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """What a step is made from, up to the steps `from` which it is wanted; `open` shows the inside of composites."""
    opened, since = (directive.options.get(key, "").replace(",", " ").split() for key in ("open", "from"))
    for name in named(steps, directive, page):
        view, run = page.whole(name), page.run_of(name)
        yield located(graph_of(view.trace, view, opened, since), run)
        for composite in opened:
            inner = view.trace[composite]
            page.runs.opened[run, inner.id] = inside(inner.recording, inner.step)


def treemap(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """The weights of a run, or single numbers that a lesson names; `names` may call them otherwise."""
    main = page.runs.main
    if not steps or (len(steps) == 1 and main is not None and steps[0] in main.runs):
        run = steps[0] if steps else directive.options.get("run", DEFAULT)
        yield located(treemap_of(page.trace(run).recording), run)
        return
    entries = named(steps, directive, page)
    called = titles(directive, len(entries)) or [str(entry) for entry in entries]
    yield treemap_of_numbers([(name, page.number(entry)) for name, entry in zip(called, entries, strict=True)])
