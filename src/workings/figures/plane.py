"""Rows of a matrix as points in a plane, such as the words of an embedding, before and after training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..document.blocks import Figure, to_data
from ..document.monospace import Plain
from ..engine.errors import CallError
from ..explain.step_view import StepView
from .parts.axes import Axis, value_axis
from .parts.chart import INK, TRAIL_COLOR, Chart, ChartPage, along, parameters
from .parts.label_placement import labels_of_points
from .parts.matrix_window import Labels, MatrixWindow, nothing_to_draw
from .parts.numbers import joined_notes, not_drawn
from .parts.options import TWO_ENTRIES, WORDS, YES_OR_NO, option
from .parts.page import FigureExample, ShownStep, StepsFigurePage
from .parts.points import (
    Groups,
    Plane,
    PlaneGroup,
    Trail,
    cell_of,
    groups_of,
    listed,
    located_groups,
    marks_of,
    points_in_words,
    points_of,
    rows_of,
    side_by_side,
)
from .parts.text_labels import fit
from .parts.text_plot import Cells, cells_between, columns_in, framed

MAX_POINTS = 60  # of a group
TRAIL, ASCII_TRAIL = "·", "."


@dataclass(frozen=True)
class PlaneOptions:
    names: tuple[str, ...] = option(WORDS, "What to call the group of each step.", ())
    axes: tuple[int, int] = option(TWO_ENTRIES, "Which two entries of a row are drawn.", (0, 1))
    labels: tuple[str, ...] = option(WORDS, "Labels for the rows.", ())
    joined: bool = option(YES_OR_NO, "Whether a line leads from each point to the next one of its group.", False)


class PlanePage(StepsFigurePage[Plane, PlaneOptions], ChartPage[Plane, PlaneOptions]):
    """A plane shows the rows of a step as points: their first two entries are the coordinates. With several steps, a
    trail leads from each point of the first step to the same point of the last.
    """

    name = "plane"
    summary = "the rows of a step as points; of several steps, how the points moved"
    data = Plane
    options = PlaneOptions
    text_has_numbers = False
    example = FigureExample("example-1", "E")

    def build(self, steps: Sequence[ShownStep], options: PlaneOptions) -> Figure:
        labels = steps[0].labels_with(options.labels)
        figure = plane_of(groups_of(steps, options.names), labels, options.axes, options.joined)
        assert isinstance(figure.data, Plane)
        return replace(figure, data=located_groups(figure.data, steps))

    def chart(self, figure: Figure, data: Plane) -> Chart:
        legend = {"title": None, "orient": "bottom", "columnPadding": 28} if len(data.groups) > 1 else None
        group = {"field": "name", "type": "nominal", "sort": None, "legend": legend}
        trails = {
            "data": {"values": to_data(data.trails)},
            "transform": [*_at_point("start", "x", "y"), *_at_point("end", "to_x", "to_y")],
            "mark": {
                "type": "rule", "color": TRAIL_COLOR, "strokeWidth": 1.2, "strokeDash": [4, 3], "aria": False
            },
            "encoding": {"x2": {"field": "to_x"}, "y2": {"field": "to_y"}},
        }  # fmt: skip
        points = {
            "data": {"values": to_data(data.groups)},
            "transform": [
                {"flatten": ["points"]},
                {"calculate": "datum.points.across.value", "as": "x"},
                {"calculate": "datum.points.up.value", "as": "y"},
            ],
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.9, "aria": False},
            "encoding": {"color": group, "shape": group},
        }
        labels = {
            "data": {"values": to_data(data.labels)},
            "transform": _at_point("point", "x", "y"),
            "mark": {
                "type": "text",
                "align": {"expr": "datum.side == 'right' ? 'left' : 'right'"},
                "dx": {"expr": "datum.side == 'right' ? 8 : -8"},
                "dy": {"expr": "datum.above ? -8 : 8"},
                "fontSize": 12, "color": INK, "aria": False,
            },
            "encoding": {"text": {"field": "text", "type": "nominal"}},
        }  # fmt: skip
        return {
            "width": 360,
            "height": 360,
            "params": parameters(across=data.across, up=data.up, groups=data.groups),
            "encoding": {
                "x": {"field": "x", **along(data.across, "across", labelFlush=False)},
                "y": {"field": "y", **along(data.up, "up")},
            },
            "layer": [trails, points, labels],
        }

    def text(self, data: Plane, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """A letter for each point, and below the plot the list of points. A label of one letter is its own letter."""
        columns = columns_in(data.up, width, plain)
        marks = marks_of(data)
        cells: Cells = {}
        for trail in data.trails:
            ends = [data.groups[group].points[place] for group, place in (trail.start, trail.end)]
            start, end = (cell_of(data, point, columns) for point in ends)
            cells |= dict.fromkeys(cells_between(start, end)[:-1], TRAIL if fine else ASCII_TRAIL)
        points = [point for group in data.groups for point in group.points]
        cells |= side_by_side([(cell_of(data, one, columns), plain(marks[one.label])) for one in points], columns)
        rows = framed(data.across, data.up, cells, columns, fine, plain)
        for group in data.groups:
            rows += ["", fit(plain(group.name), width, fine)] if group.name else [""]
            rows += (fit(plain(line), width, fine) for line in listed(group, marks))
        return rows


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
    windows = [_rows(view, labels, axes) for _, view in named]
    drawn = tuple(
        PlaneGroup(name, tuple(points_of(window, axes))) for (name, _), window in zip(named, windows, strict=True)
    )
    if not any(group.points for group in drawn):
        raise nothing_to_draw(windows[0].step)
    trails = tuple(_joined(drawn) if joined else _trails(drawn) if len(drawn) > 1 else ())
    across, up = (_axis(drawn, windows[0], axes, which) for which in (0, 1))
    data = Plane(across, up, drawn, trails, tuple(labels_of_points(drawn, across, up, trails)))
    titles = list(dict.fromkeys(window.title for window in windows))
    title = f"{titles[0]} as points in a plane"
    if len(titles) > 1:
        title = f"Points in a plane: {', '.join(titles)}"
    missing = sum(len(window.rows) - len(group.points) for window, group in zip(windows, drawn, strict=True))
    note = joined_notes(*dict.fromkeys(window.note for window in windows), not_drawn(missing))
    return Figure("plane", title, data, points_in_words(data), note)


def _rows(view: StepView, labels: Labels | None, axes: tuple[int, int]) -> MatrixWindow:
    if len(view.shape) < 2 or view.shape[-1] < 2:
        raise CallError(
            f"{view.form!s} has no rows of two or more numbers to draw as points.",
            hint="Choose a matrix, such as an embedding.",
            where=view.path,
        )
    return rows_of(view, labels, axes, MAX_POINTS)


def _axis(groups: tuple[PlaneGroup, ...], window: MatrixWindow, axes: tuple[int, int], which: int) -> Axis:
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


def _at_point(field: str, across: str, up: str) -> list[Chart]:
    """Where a point is that a row of a chart refers to."""
    point = f"groups[datum.{field}[0]].points[datum.{field}[1]]"
    return [
        {"calculate": f"{point}.across.value", "as": across},
        {"calculate": f"{point}.up.value", "as": up},
    ]


plane = PlanePage()
