"""Vectors as arrows from the origin of a plane; of several steps, where each arrow goes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..document.blocks import Figure
from ..document.monospace import Plain
from ..engine.errors import CallError
from ..explain.step_view import StepView
from .parts.axes import Tick, same_scale_axes
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
from .parts.svg import COLORS, SIZE, SMALL, Attributes, cut, element, sheet, text, title, wide
from .parts.text_labels import fit
from .parts.text_plot import MIN_COLUMNS, ROWS, Cells, cells_between, columns_in, framed, place_of, row_of

MAX_ARROWS = 24  # of a group
# Of the SVG:
LENGTH = 330.0  # of the longer axis
MAX_LABEL_CHARS = 16
MAX_WITH_ENTRIES = 8  # arrows; of more, the labels do not say their entries
HEAD, HALF_HEAD = 10.0, 4.5
ARC_POINTS = 24
SAME_LENGTH = 1e-6  # lengths that differ less are equal: the arrow was rotated
# Of the groups from the last to the first: what is there now, and what was before.
LOOKS = (("accent", 2.6, None), ("ink", 1.6, "6 4"), ("faint", 1.6, "2 3"))
# Of the text:
SHAFT, ASCII_SHAFT = "·", "."
ORIGIN = "+"
CELL_RATIO = 2  # height to width of a cell of a screen

Place: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class VectorsOptions:
    names: tuple[str, ...] = option(WORDS, "What to call the group of each step.", ())
    axes: tuple[int, int] = option(TWO_ENTRIES, "Which two entries of a vector are drawn.", (0, 1))
    labels: tuple[str, ...] = option(WORDS, "Labels for the rows.", ())
    moved: bool | None = option(YES_OR_NO, "Whether the vectors of the first step become those of the last.", None)


class VectorsPage(StepsFigurePage[Plane, VectorsOptions]):
    """Vectors are arrows from the origin. Both axes have the same scale, so that lengths and angles are true. With
    several steps, a trail leads from the tip of each arrow of the first step to its tip in the last, along an arc where
    it was only rotated. A step that is a single vector is one arrow.
    """

    name = "vectors"
    summary = "the rows of a step as arrows from the origin; of several steps, where each arrow goes"
    data = Plane
    options = VectorsOptions
    text_has_numbers = False
    example = FigureExample("example-1", "X,Q")

    def build(self, steps: Sequence[ShownStep], options: VectorsOptions) -> Figure:
        labels = steps[0].labels_with(options.labels)
        figure = vectors_of(groups_of(steps, options.names), labels, options.axes, options.moved)
        assert isinstance(figure.data, Plane)
        return replace(figure, data=located_groups(figure.data, steps))

    def svg(self, figure: Figure, data: Plane) -> str:
        return _VectorsDrawing(figure, data).svg()

    def text(self, data: Plane, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """Dots from the origin to a letter, about as wide as both axes need, and below the plot the list of arrows."""
        spans = [axis.high - axis.low for axis in (data.across, data.up)]
        wanted = max(round(CELL_RATIO * ROWS * spans[0] / spans[1]), MIN_COLUMNS)
        columns = min(wanted, columns_in(data.up, width, plain))
        marks = [_marks(data, group) for group in data.groups]
        start = row_of(data.up, 0.0), place_of(data.across, 0.0, columns)
        tips = [
            (cell_of(data, point, columns), plain(letters[point.label]))
            for group, letters in zip(data.groups, marks, strict=True)
            for point in group.points
        ]
        shaft = SHAFT if fine else ASCII_SHAFT
        cells: Cells = {place: shaft for tip, _ in tips for place in cells_between(start, tip)[1:-1]}
        cells |= {start: ORIGIN} | side_by_side(tips, columns)
        rows = framed(data.across, data.up, cells, columns, fine, plain)
        for group, letters in zip(data.groups, marks, strict=True):
            rows += ["", fit(plain(group.name), width, fine)] if group.name or group is data.groups[0] else []
            rows += (fit(plain(line), width, fine) for line in listed(group, letters))
        return [row for n, row in enumerate(rows) if row or rows[n - 1]]


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
    title = f"{names} as arrows"
    missing = sum(len(window.rows) - len(group.points) for window, group in zip(windows, drawn, strict=True))
    note = joined_notes(*dict.fromkeys(window.note for window in windows), not_drawn(missing))
    return Figure("vectors", title, data, points_in_words(data), note)


def _rows(view: StepView, labels: Labels | None, axes: tuple[int, int]) -> MatrixWindow:
    if not view.shape or view.shape[-1] < 2:
        raise CallError(
            f"{view.form!s} has no vectors of two or more numbers to draw as arrows.",
            hint="Choose a vector, or a matrix whose rows have at least two entries.",
            where=view.path,
        )
    return rows_of(view, labels, axes, MAX_ARROWS)


def _group(name: str, window: MatrixWindow, axes: tuple[int, int]) -> PlaneGroup:
    """The arrows of a step. A single vector has its own name, and its group needs none."""
    if len(window.step.shape) > 1:
        return PlaneGroup(name, tuple(points_of(window, axes)))
    return PlaneGroup("", tuple(points_of(replace(window, row_names=(name or window.title,)), axes)))


def _trails(groups: tuple[PlaneGroup, ...]) -> Iterator[Trail]:
    """From the arrows of the first step to those of the last, in their order."""
    last = len(groups) - 1
    for place in range(min(len(groups[0].points), len(groups[last].points))):
        yield Trail((0, place), (last, place))


def _marks(plane: Plane, group: PlaneGroup) -> dict[str, str]:
    """A letter for each label; where arrows move, a capital one says where to."""
    is_moved = bool(plane.trails) and group is plane.groups[-1]
    return {label: mark.upper() if is_moved else mark for label, mark in marks_of(plane).items()}


class _VectorsDrawing:
    def __init__(self, figure: Figure, plane: Plane) -> None:
        self.figure, self.plane = figure, plane
        across, up = plane.across, plane.up
        self.unit = LENGTH / max(across.high - across.low, up.high - up.low)
        self.width, self.height = (across.high - across.low) * self.unit, (up.high - up.low) * self.unit
        self.origin = self._place(0.0, 0.0)
        self.with_entries = sum(len(group.points) for group in plane.groups) <= MAX_WITH_ENTRIES
        self.taken: list[tuple[float, float, float]] = []  # where labels are: left, right and height

    def svg(self) -> str:
        parts = [*self._ground(), *self._trails(), *self._arrows(), *self._titles()]
        legend = list(self._legend())
        left = min(-max(wide(tick.text, SMALL) for tick in self.plane.up.ticks) - 8, *(one[0] for one in self.taken))
        right = max(self.width, *(one[1] for one in self.taken))
        top = min(-SIZE * 1.6, *(one[2] - SIZE for one in self.taken))
        bottom = max(self.height + 24, *(one[2] + 6 for one in self.taken))
        inside = element("g", "".join([*parts, *legend]), transform=f"translate({-left:.1f},{-top:.1f})")
        return sheet(self.figure, [inside], right - left, bottom - top)

    def _place(self, across: float, up: float) -> Place:
        return (across - self.plane.across.low) * self.unit, (self.plane.up.high - up) * self.unit

    def _tip(self, place: tuple[int, int]) -> Place:
        point = self.plane.groups[place[0]].points[place[1]]
        return self._place(float(point.across.value), float(point.up.value))

    def _ground(self) -> Iterator[str]:
        """The lines of the grid with their numbers, and the two axes."""
        faint: Attributes = {"class_": "faint", "stroke": COLORS["faint"]}
        for tick in self.plane.across.ticks:
            x = self._place(tick.value, 0.0)[0]
            yield element("line", x1=x, y1=0.0, x2=x, y2=self.height, **faint, stroke_opacity=_opacity(tick))
            half = wide(tick.text, SMALL) / 2
            self.taken.append((x - half, x + half, self.height + 15))
            yield text(x, self.height + 15, tick.text, "faint", SMALL, text_anchor="middle")
        for tick in self.plane.up.ticks:
            y = self._place(0.0, tick.value)[1]
            yield element("line", x1=0.0, y1=y, x2=self.width, y2=y, **faint, stroke_opacity=_opacity(tick))
            self.taken.append((-6.0 - wide(tick.text, SMALL), -6.0, y + SMALL * 0.35))
            yield text(-6.0, y + SMALL * 0.35, tick.text, "faint", SMALL, text_anchor="end")

    def _titles(self) -> Iterator[str]:
        """The titles of the axes, out of the way of labels at their ends: further down, or further up."""
        across, up = self.plane.across.title, self.plane.up.title
        x, y = self.width + 6, self.origin[1] + SMALL * 0.35
        y = self._free(x, x + wide(across, SMALL), y, SIZE)
        yield text(x, y, across, "faint", SMALL)
        half = wide(up, SMALL) / 2
        y = self._free(self.origin[0] - half, self.origin[0] + half, -8.0, -SIZE)
        yield text(self.origin[0], y, up, "faint", SMALL, text_anchor="middle")

    def _free(self, left: float, right: float, y: float, by: float) -> float:
        """The first free height from here on; it is taken now."""
        while any(one[0] < right and left < one[1] and abs(one[2] - y) < SIZE for one in self.taken):
            y += by
        self.taken.append((left, right, y))
        return y

    def _look(self, group: int) -> tuple[str, float, str | None]:
        """Groups with names differ even without color; arrows that need no group are all alike."""
        last = len(self.plane.groups) - 1
        is_alike = not self.plane.trails and not any(one.name for one in self.plane.groups)
        return LOOKS[0] if is_alike else LOOKS[min(last - group, len(LOOKS) - 1)]

    def _arrows(self) -> Iterator[str]:
        """All arrows, and above them all labels."""
        labels = []
        for number, group in enumerate(self.plane.groups):
            for place, point in enumerate(group.points):
                tip = self._tip((number, place))
                words = f"{point.label} ({point.across.text}, {point.up.text})"
                arrow = "".join(_arrow(self.origin, tip, *self._look(number)))
                yield element("g", title(words) + arrow, class_="node", data_step=point.across.step)
                labels.append(self._label(tip, words if self.with_entries else point.label, len(point.label)))
        yield from labels

    def _label(self, tip: Place, words: str, name: int) -> str:
        """Beyond the tip, seen from the origin; below a label that is there already."""
        words = words if name <= MAX_LABEL_CHARS else cut(words[:name], MAX_LABEL_CHARS) + words[name:]
        along = tip[0] - self.origin[0]
        is_right = along >= -1e-6
        x = tip[0] + (8 if is_right else -8)
        y = tip[1] + (SIZE * 0.9 if tip[1] > self.origin[1] + 1 else -4)
        left, right = (x, x + wide(words)) if is_right else (x - wide(words), x)
        y = self._free(left, right, y, SIZE)
        look: Attributes = {"class_": "paper", "fill": COLORS["paper"], "fill_opacity": 0.65}
        ground = element("rect", x=left, y=y - SIZE * 0.85, width=right - left, height=SIZE * 1.1, **look)
        return ground + text(x, y, words, text_anchor="start" if is_right else "end")

    def _trails(self) -> Iterator[str]:
        for trail in self.plane.trails:
            way = list(_way(self.origin, self._tip(trail.start), self._tip(trail.end)))
            path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in way)
            look: Attributes = {"class_": "faint", "stroke": COLORS["faint"], "stroke_width": 1.1}
            yield element("path", d=path, fill="none", stroke_linecap="round", **look, stroke_dasharray="1 3")

    def _legend(self) -> Iterator[str]:
        """The name of each group, behind a piece of its line."""
        x, y = 0.0, max(self.height + 38, *(one[2] + SIZE * 2 for one in self.taken))
        for number, group in enumerate(self.plane.groups):
            if group.name:
                look, thick, dash = self._look(number)
                line = {"x1": x, "y1": y - 4, "x2": x + 28, "y2": y - 4}
                stroke = COLORS[look]
                yield element("line", **line, class_=look, stroke=stroke, stroke_width=thick, stroke_dasharray=dash)
                name = cut(group.name, MAX_LABEL_CHARS)
                yield text(x + 34, y, name, "ink", SMALL)
                x += 34 + wide(name, SMALL) + 18
                self.taken.append((x - 18, x - 18, y))


def _opacity(tick: Tick) -> float:
    """The lines of the axes are stronger than those of the grid."""
    return 0.9 if tick.value == 0 else 0.22


def _arrow(start: Place, tip: Place, look: str, thick: float, dash: str | None) -> Iterator[str]:
    """A line and its head; a vector of length 0 is a dot."""
    length = math.dist(start, tip)
    color = COLORS[look]
    if length < 1:
        yield element("circle", cx=tip[0], cy=tip[1], r=3.5, class_=look, fill=color)
        return
    along = (tip[0] - start[0]) / length, (tip[1] - start[1]) / length
    head = min(HEAD, length)
    neck = tip[0] - along[0] * head, tip[1] - along[1] * head
    line = {"x1": start[0], "y1": start[1], "x2": neck[0], "y2": neck[1]}
    yield element("line", **line, class_=look, stroke=color, stroke_width=thick, stroke_dasharray=dash)
    side = -along[1] * HALF_HEAD, along[0] * HALF_HEAD
    corners = (tip, (neck[0] + side[0], neck[1] + side[1]), (neck[0] - side[0], neck[1] - side[1]))
    path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in corners) + "z"
    yield element("path", d=path, class_=look, fill=color)


def _way(origin: Place, start: Place, end: Place) -> Iterator[Place]:
    """From tip to tip: along an arc where only the direction changed, else straight."""
    lengths = math.dist(origin, start), math.dist(origin, end)
    yield start
    if abs(lengths[0] - lengths[1]) <= SAME_LENGTH * max(lengths) and lengths[0] > 1:
        angle = math.atan2(start[1] - origin[1], start[0] - origin[0])
        turn = math.atan2(end[1] - origin[1], end[0] - origin[0]) - angle
        turn = (turn + math.pi) % (2 * math.pi) - math.pi  # the shorter way round
        for n in range(1, ARC_POINTS):
            here = angle + turn * n / ARC_POINTS
            yield origin[0] + lengths[0] * math.cos(here), origin[1] + lengths[0] * math.sin(here)
    yield end


vectors = VectorsPage()
