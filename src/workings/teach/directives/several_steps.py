"""Figures that show several steps together, which may be of several runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...explain.chain import chain_of
from ...explain.document import Chain, Figure, Plane
from ...explain.plane import Groups, plane_of
from ...explain.step_view import StepView
from ...explain.vectors import vectors_of
from ...explain.window import Labels
from ..located import located
from ..reading.myst import Directive
from .figure_options import labels_for, named, parts, titles
from .kind import is_yes

if TYPE_CHECKING:
    from ..page import Page


def points(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """The rows of one step as points, or of several as groups, which `names` may call otherwise; `joined` leads a
    line from each point to the next.
    """
    return _in_plane(partial(plane_of, joined=is_yes(directive, "joined")), steps, directive, page)


def vectors(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """The rows of steps as arrows; `moved` says whether the first ones become the last."""
    moved = is_yes(directive, "moved") if "moved" in directive.options else None
    return _in_plane(partial(vectors_of, moved=moved), steps, directive, page)


def chain(steps: list[str], directive: Directive, page: Page) -> Iterator[Figure]:
    """The entries or rows of one step, or several steps, as states; `names` are theirs, `labels` stand below them."""
    found = named(steps, directive, page)
    views = [page.view(name) for name in found]
    called, words = parts(directive, "names"), parts(directive, "labels")
    labels = page.labels(page.run_of(found[0]), views[0])
    figure = chain_of(views[0] if len(views) == 1 else views, labels, called, words)
    assert isinstance(figure.data, Chain)
    states = figure.data.states
    runs = [page.run_of(name) for name in found]
    placed = tuple(located(state, runs[place if len(runs) > 1 else 0]) for place, state in enumerate(states))
    yield replace(figure, data=replace(figure.data, states=placed))


def _in_plane(
    maker: Callable[[StepView | Groups, Labels, tuple[int, int]], Figure],
    steps: list[str],
    directive: Directive,
    page: Page,
) -> Iterator[Figure]:
    names = named(steps, directive, page)
    called = titles(directive, len(names)) or [str(name) for name in names]
    views = [page.view(name) for name in names]
    labels = labels_for(directive, page, names[0]) if len(views[0].shape) > 1 else {}
    written = re.fullmatch(r"([0-9]{1,6}) +([0-9]{1,6})", directive.options.get("axes", "0 1").strip())
    if written is None:
        raise LessonError("lesson.axes")
    axes = int(written[1]), int(written[2])
    one = len(views) == 1 and "names" not in directive.options
    figure = maker(views[0] if one else list(zip(called, views, strict=True)), labels, axes)
    assert isinstance(figure.data, Plane)
    groups = zip(figure.data.groups, names, strict=True)
    placed = tuple(located(group, page.run_of(name)) for group, name in groups)
    yield replace(figure, data=replace(figure.data, groups=placed))
