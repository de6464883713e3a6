"""Vectors as arrows from the origin of a plane; of several steps, where each arrow goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..engine.errors import CallError
from .axis import same_scale_axes
from .document import Figure, Plane, PlaneGroup, Trail
from .plane import Groups, points_in_words, points_of
from .sentences import say
from .step_view import StepView
from .window import Labels, Window, nothing_to_draw, window_of

MOST_ARROWS = 24  # of a group


def vectors_of(
    groups: StepView | Groups,
    labels: Labels | None = None,
    axes: tuple[int, int] = (0, 1),
    moved: bool | None = None,
) -> Figure:
    """The rows of a step as arrows, by two of their entries; a step that is one vector is one arrow with its name. Of
    several steps, `moved` says that the first ones become the last, so that a trail leads from tip to tip; matrices are
    taken so unless it says no.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     x = w.given([[2.0, 1.0]], "token model", name="x")
    ...     turned = w.ops.matmul(x, w.given([[0.0, 1.0], [-1.0, 0.0]], "model turned", name="R"), name="y")
    >>> print(vectors_of([("before", trace["x"]), ("after", trace["y"])], {"token": ("cat",)}).alternative)
    cat from (2, 1) to (-1, 2).
    """
    named = [("", groups)] if isinstance(groups, StepView) else list(groups)
    windows = [_rows(view, labels, axes) for _, view in named]
    drawn = tuple(_group(name, window, axes) for (name, _), window in zip(named, windows, strict=True))
    if not any(group.points for group in drawn):
        raise nothing_to_draw(windows[0].step)
    are_matrices = all(len(view.shape) > 1 for _, view in named)
    trails = tuple(_trails(drawn)) if (are_matrices if moved is None else moved) and len(drawn) > 1 else ()
    style = replace(windows[0].style, whole=False)
    places = [(float(point.across.value), float(point.up.value)) for group in drawn for point in group.points]
    titles = windows[0].column_names[axes[0]], windows[0].column_names[axes[1]]
    across, up = same_scale_axes(titles, ([place[0] for place in places], [place[1] for place in places]), style)
    data = Plane(across, up, drawn, trails)
    names = ", ".join(dict.fromkeys(window.title for window in windows))
    title = say("explain.figure.vectors", titles=names)
    return Figure("vectors", title, data, points_in_words(data), _note(windows, drawn))


def _rows(view: StepView, labels: Labels | None, axes: tuple[int, int]) -> Window:
    if not view.shape or view.shape[-1] < 2:
        raise CallError("figure.vectors", form=str(view.form), where=view.path)
    count = view.shape[-1]
    if axes[0] == axes[1] or not all(0 <= axis < count for axis in axes):
        raise CallError("figure.plane.axes", axes=axes, count=count, last=count - 1, where=view.path)
    window = window_of(view.trace, view, labels, most=(MOST_ARROWS, max(axes) + 1), turn=False)
    rows = view.shape[-2] if len(view.shape) > 1 else 1
    note = say("explain.figure.first", shown=MOST_ARROWS, count=rows) if rows > MOST_ARROWS else ""
    return replace(window, note=note)


def _group(name: str, window: Window, axes: tuple[int, int]) -> PlaneGroup:
    """The arrows of a step. A single vector is called as it is itself, and its group needs no name."""
    if len(window.step.shape) > 1:
        return PlaneGroup(name, tuple(points_of(window, axes)))
    return PlaneGroup("", tuple(points_of(replace(window, row_names=(name or window.title,)), axes)))


def _trails(groups: tuple[PlaneGroup, ...]) -> Iterator[Trail]:
    """From the arrows of the first step to those of the last, in their order."""
    last = len(groups) - 1
    for place in range(min(len(groups[0].points), len(groups[last].points))):
        yield Trail((0, place), (last, place))


def _note(windows: list[Window], groups: tuple[PlaneGroup, ...]) -> str:
    missing = sum(len(window.rows) - len(group.points) for window, group in zip(windows, groups, strict=True))
    notes = [*dict.fromkeys(window.note for window in windows)]
    notes += [say("explain.figure.missing", count=missing)] if missing else []
    return " ".join(note for note in notes if note)
