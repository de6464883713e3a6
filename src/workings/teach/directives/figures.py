"""`figure` and `bars`: pictures of a run.

`heatmap STEP`, `flow`, `graph STEP`, `loss`: the form, and what is drawn. FORMS lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...engine.inside import inside
from ...engine.sentences import say
from ...explain.backward_flow import backward_of
from ...explain.bars import bars_of
from ...explain.curve import LOSS, curve
from ...explain.document import Block, Figure, Plane
from ...explain.flow import flow_of
from ...explain.graph import graph_of
from ...explain.heatmap import heatmap_of, mask_of
from ...explain.links import links_of
from ...explain.plane import plane_of
from ...explain.windows import windows_of
from ...models.reading.likely import likely
from ..located import located
from ..reading.entry import DEFAULT, EntryName
from ..reading.myst import Directive
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page

OF_MATRIX = {"heatmap": heatmap_of, "mask": mask_of, "links": links_of, "windows": windows_of, "bars": bars_of}

OF_MODULE = {"flow": flow_of, "backward": backward_of}


def _figure(directive: Directive, page: Page) -> Iterator[Block]:
    form, _, rest = directive.argument.partition(" ")
    if form not in FORMS:
        near = likely(form, FORMS)
        key = "lesson.figure" if near else "lesson.figure.none"
        raise LessonError(key, form=form, nearest=near, forms=", ".join(FORMS))
    for option in directive.options:
        if option not in OPTIONS[form]:
            options = ", ".join(OPTIONS[form])
            raise LessonError("lesson.option.none", option=option, name=f"figure {form}", nearest="", options=options)
    for figure in FORMS[form](rest.split(), directive, page):
        yield replace(figure, title=directive.options.get("title", figure.title))


def _bars(directive: Directive, page: Page) -> Iterator[Block]:
    return _figure(replace(directive, argument=f"bars {directive.argument}"), page)


def _of_matrix(form: str) -> Callable[[list[str], Directive, Page], Iterator[Figure]]:
    """A figure of the entries of each step that is named; an index chooses one matrix of several."""

    def figures(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
        for name in _named(steps, directive, page):
            view, run = page.view(name), page.run_of(name)
            yield located(OF_MATRIX[form](view.trace, view, _labels(directive, page, name), name.index), run)

    return figures


def _labels(directive: Directive, page: Page, name: EntryName) -> dict[str, tuple[str, ...]]:
    """What the rows are called: as the directive says, or as the run does."""
    words = tuple(part.strip() for part in directive.options.get("labels", "").split(",") if part.strip())
    view = page.view(name)
    labels, form = page.labels(page.run_of(name), view), view.form
    across = -min(2, len(form.axes))  # the rows of a matrix, the entries of a single row
    rows = form.axes[across] if across else ""
    if words and (not across or len(words) != form.shape[across]):
        raise LessonError("lesson.labels", count=len(words), name=str(name), shape=str(form))
    return {**labels, rows: words} if words else labels


def _named(steps: list[str], directive: Directive, page: Page) -> list[EntryName]:
    if not steps:
        raise LessonError("lesson.argument.needed", name=directive.name)
    return [page.entry(step, directive.options.get("run", "")) for step in steps]


def _flow(form: str) -> Callable[[list[str], Directive, Page], Iterator[Figure]]:
    """All steps of the forward pass, those of one module (`under`), or just some."""

    def figures(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
        run = directive.options.get("run", DEFAULT)
        yield located(OF_MODULE[form](page.trace(run), directive.options.get("under", ""), steps or None), run)

    return figures


def _graph(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """What a step is made from, up to the steps `from` which it is wanted; `open` shows the inside of composites."""
    opened, since = (directive.options.get(key, "").replace(",", " ").split() for key in ("open", "from"))
    for name in _named(steps, directive, page):
        view, run = page.whole(name), page.run_of(name)
        yield located(graph_of(view.trace, view, opened, since), run)
        for composite in opened:
            inner = view.trace[composite]
            page.runs.opened[run, inner.id] = inside(inner.recording, inner.step)


def _plane(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """The rows of one step, or of several as groups, which `names` may call otherwise."""
    names = _named(steps, directive, page)
    titles = _titles(directive, len(names)) or [str(name) for name in names]
    views = [page.view(name) for name in names]
    labels = _labels(directive, page, names[0])
    written = re.fullmatch(r"([0-9]{1,6}) +([0-9]{1,6})", directive.options.get("axes", "0 1").strip())
    if written is None:
        raise LessonError("lesson.axes")
    axes = int(written[1]), int(written[2])
    one = len(views) == 1 and "names" not in directive.options
    figure = plane_of(views[0] if one else list(zip(titles, views, strict=True)), labels, axes)
    assert isinstance(figure.data, Plane)
    groups = zip(figure.data.groups, names, strict=True)
    placed = tuple(located(group, page.run_of(name)) for group, name in groups)
    yield replace(figure, data=replace(figure.data, groups=placed))


def _loss(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """How the loss went from step to step, in one run or in several."""
    if steps:
        raise LessonError("lesson.argument.none", name="figure loss")
    runs = directive.options.get("runs", directive.options.get("run", DEFAULT)).replace(",", " ").split()
    if len(set(runs)) != len(runs):
        raise LessonError("lesson.runs", runs=" ".join(runs))
    titles = _titles(directive, len(runs)) or (runs if len(runs) > 1 else [LOSS])
    lines = {}
    for run in runs:
        losses = page.trace(run).history.get(LOSS)
        if not losses:
            raise LessonError("lesson.untrained", run=run)
        lines[f"{run}:{LOSS}"] = list(enumerate(losses, start=1))
    names = dict(zip(lines, titles, strict=True))
    words = {key: say(f"explain.figure.{key}") for key in ("curve", "step", "loss")}
    yield curve(words["curve"], lines, across=words["step"], up=words["loss"], names=names, style=page.style)


def _titles(directive: Directive, count: int) -> list[str]:
    titles = [part.strip() for part in directive.options.get("names", "").split(",") if part.strip()]
    if titles and len(titles) != count:
        raise LessonError("lesson.names", names=len(titles), count=count)
    return titles


FORMS: dict[str, Callable[[list[str], Directive, Page], Iterator[Figure]]] = {
    **{form: _of_matrix(form) for form in OF_MATRIX},
    **{form: _flow(form) for form in OF_MODULE},
    "graph": _graph,
    "plane": _plane,
    "loss": _loss,
}
OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(OF_MATRIX, ("run", "title", "labels")),
    **dict.fromkeys(OF_MODULE, ("run", "title", "under")),
    "graph": ("run", "title", "open", "from"),
    "plane": ("run", "title", "names", "axes", "labels"),
    "loss": ("run", "runs", "names", "title"),
}
_ALL = tuple(dict.fromkeys(option for options in OPTIONS.values() for option in options))
FIGURES = {"figure": Kind(_figure, "needed", "none", _ALL), "bars": Kind(_bars, "needed", "none", OPTIONS["bars"])}
