"""`figure` and `bars`: pictures of a run.

`heatmap STEP`, `flow`, `graph STEP`, `loss`: the form, and what is drawn. FORMS lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...engine.sentences import say
from ...explain.backward_flow import backward_of
from ...explain.bars import bars_of
from ...explain.curve import LOSS, curve
from ...explain.document import Block, Figure
from ...explain.flow import flow_of
from ...explain.head_diagram import heads_of
from ...explain.heatmap import heatmap_of, mask_of
from ...explain.links import links_of
from ...explain.windows import windows_of
from ...models.reading.likely import likely
from ..located import located
from ..reading.entry import DEFAULT
from ..reading.myst import Directive
from .figure_options import labels_for, named, titles
from .graphs import graph, treemap
from .kind import Kind
from .several_steps import chain, points, vectors

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
        for name in named(steps, directive, page):
            view, run = page.view(name), page.run_of(name)
            yield located(OF_MATRIX[form](view.trace, view, labels_for(directive, page, name), name.index), run)

    return figures


def _flow(form: str) -> Callable[[list[str], Directive, Page], Iterator[Figure]]:
    """All steps of the forward pass, those of one module (`under`), or just some."""

    def figures(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
        run = directive.options.get("run", DEFAULT)
        yield located(OF_MODULE[form](page.trace(run), directive.options.get("under", ""), steps or None), run)

    return figures


def _heads(modules: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """The heads of a module, or of the first one that has several."""
    if len(modules) > 1:
        raise LessonError("lesson.heads", names=" ".join(modules))
    run = directive.options.get("run", DEFAULT)
    yield located(heads_of(page.trace(run), modules[0] if modules else "", page.labels(run)), run)


def _loss(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """How the loss went from step to step, in one run or in several."""
    if steps:
        raise LessonError("lesson.argument.none", name="figure loss")
    runs = directive.options.get("runs", directive.options.get("run", DEFAULT)).replace(",", " ").split()
    if len(set(runs)) != len(runs):
        raise LessonError("lesson.runs", runs=" ".join(runs))
    called = titles(directive, len(runs)) or (runs if len(runs) > 1 else [LOSS])
    lines = {}
    for run in runs:
        losses = page.trace(run).history.get(LOSS)
        if not losses:
            raise LessonError("lesson.untrained", run=run)
        lines[f"{run}:{LOSS}"] = list(enumerate(losses, start=1))
    names = dict(zip(lines, called, strict=True))
    words = {key: say(f"explain.figure.{key}") for key in ("curve", "step", "loss")}
    yield curve(words["curve"], lines, across=words["step"], up=words["loss"], names=names, style=page.style)


FORMS: dict[str, Callable[[list[str], Directive, Page], Iterator[Figure]]] = {
    **{form: _of_matrix(form) for form in OF_MATRIX},
    **{form: _flow(form) for form in OF_MODULE},
    "graph": graph,
    "treemap": treemap,
    "plane": points,
    "vectors": vectors,
    "chain": chain,
    "heads": _heads,
    "loss": _loss,
}
OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(OF_MATRIX, ("run", "title", "labels")),
    **dict.fromkeys(OF_MODULE, ("run", "title", "under")),
    "graph": ("run", "title", "open", "from"),
    "treemap": ("run", "title", "names"),
    "plane": ("run", "title", "names", "axes", "labels", "joined"),
    "vectors": ("run", "title", "names", "axes", "labels", "moved"),
    "chain": ("run", "title", "names", "labels"),
    "heads": ("run", "title"),
    "loss": ("run", "runs", "names", "title"),
}
_ALL = tuple(dict.fromkeys(option for options in OPTIONS.values() for option in options))
FIGURES = {"figure": Kind(_figure, "needed", "none", _ALL), "bars": Kind(_bars, "needed", "none", OPTIONS["bars"])}
