"""Rows of a matrix as points in a plane, such as the words of an embedding, before and after training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..engine.errors import CallError
from .axis import value_axis
from .document import Axis, Figure, Plane, PlaneGroup, PlanePoint, Trail
from .largest import can_be_drawn
from .plane_labels import labels_of_points
from .sentences import say
from .step_view import StepView
from .window import Labels, Window, nothing_to_draw, window_of

MOST_POINTS = 60  # of a group
MOST_SAID = 12  # points that are told one by one
Groups: TypeAlias = Sequence[tuple[str, StepView]]


def plane_of(
    groups: StepView | Groups, labels: Labels | None = None, axes: tuple[int, int] = (0, 1), joined: bool = False
) -> Figure:
    """The rows of a step as points, by two of their entries. Several steps, each with the name of its group, are drawn
    together: a trail leads from the point of the first one to that of the last with the same label. Points that are
    `joined` have a trail to the next one of their group instead.

    >>> import workings as w
    >>> figure = plane_of(w.scenario("example-1").trace()["E"], {"vocab": ("A", "B", "C", "D")})
    >>> print(figure.alternative)
    A at (1, 0), B at (0, 1), C at (1, 1), D at (0, 0).
    """
    named = [("", groups)] if isinstance(groups, StepView) else list(groups)
    windows = [(name, _rows(view, labels, axes)) for name, view in named]
    drawn = tuple(PlaneGroup(name, tuple(points_of(window, axes))) for name, window in windows)
    if not any(group.points for group in drawn):
        raise nothing_to_draw(windows[0][1].step)
    trails = tuple(_joined(drawn) if joined else _trails(drawn) if len(drawn) > 1 else ())
    across, up = (_axis(drawn, windows[0][1], axes, which) for which in (0, 1))
    data = Plane(across, up, drawn, trails, tuple(labels_of_points(drawn, across, up, trails)))
    titles = list(dict.fromkeys(window.title for _, window in windows))
    title = say("explain.figure.plane", title=titles[0])
    if len(titles) > 1:
        title = say("explain.figure.plane.several", titles=", ".join(titles))
    missing = sum(len(window.rows) - len(group.points) for (_, window), group in zip(windows, drawn, strict=True))
    notes = [*dict.fromkeys(window.note for _, window in windows)]
    notes += [say("explain.figure.missing", count=missing)] if missing else []
    return Figure("plane", title, data, points_in_words(data), " ".join(note for note in notes if note))


def _rows(view: StepView, labels: Labels | None, axes: tuple[int, int]) -> Window:
    if len(view.shape) < 2 or view.shape[-1] < 2:
        raise CallError("figure.plane", form=str(view.form), where=view.path)
    count = view.shape[-1]
    if axes[0] == axes[1] or not all(0 <= axis < count for axis in axes):
        raise CallError("figure.plane.axes", axes=axes, count=count, last=count - 1, where=view.path)
    window = window_of(view.trace, view, labels, most=(MOST_POINTS, max(axes) + 1), turn=False)
    cut = view.shape[-2] > MOST_POINTS
    note = say("explain.figure.first", shown=MOST_POINTS, count=view.shape[-2]) if cut else ""
    return replace(window, note=note)


def points_of(window: Window, axes: tuple[int, int]) -> Iterator[PlanePoint]:
    for name, row in zip(window.row_names, window.rows, strict=True):
        across, up = (row[axis] for axis in axes)
        if can_be_drawn(across) and can_be_drawn(up):
            yield PlanePoint(name, across, up)


def _axis(groups: tuple[PlaneGroup, ...], window: Window, axes: tuple[int, int], which: int) -> Axis:
    """0 is always there: where a vector starts."""
    numbers = [(point.across, point.up)[which] for group in groups for point in group.points]
    values = [0.0, *(float(number.value) for number in numbers)]
    return value_axis(window.column_names[axes[which]], values, replace(window.style, whole=False))


def _joined(groups: tuple[PlaneGroup, ...]) -> Iterator[Trail]:
    """From each point to the next one of its group."""
    for place, group in enumerate(groups):
        for point in range(len(group.points) - 1):
            yield Trail((place, point), (place, point + 1))


def _trails(groups: tuple[PlaneGroup, ...]) -> Iterator[Trail]:
    """From the first group to the last. Of several points with one label, the first goes to the first, and so on."""
    last = len(groups) - 1
    ends = {key: place for place, key in enumerate(_counted(groups[last]))}
    for place, key in enumerate(_counted(groups[0])):
        if key in ends:
            yield Trail((0, place), (last, ends[key]))


def _counted(group: PlaneGroup) -> Iterator[tuple[str, int]]:
    """Each label, with how often it has come before."""
    before: dict[str, int] = {}
    for point in group.points:
        count = before.get(point.label, 0)
        before[point.label] = count + 1
        yield point.label, count


def points_in_words(data: Plane) -> str:
    told = []
    if data.trails:
        for trail in data.trails:
            start = data.groups[trail.start[0]].points[trail.start[1]]
            end = data.groups[trail.end[0]].points[trail.end[1]]
            ends = {"to_across": end.across.text, "to_up": end.up.text}
            place = {"across": start.across.text, "up": start.up.text}
            told.append(say("explain.figure.plane.trail", label=start.label, **place, **ends))
    else:
        for group in data.groups:
            for point in group.points:
                place = {"across": point.across.text, "up": point.up.text}
                told.append(say("explain.figure.plane.point", label=point.label, **place))
    more = [say("explain.figure.plane.more", count=len(told) - MOST_SAID)] if len(told) > MOST_SAID else []
    return ", ".join(told[:MOST_SAID] + more) + "."
