"""Arrows in a plane as SVG. Both axes have the same scale, so that lengths and angles are as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.sax.saxutils import escape

from ..explain import document as d
from .drawing import COLOURS, SIZE, SMALL, cut, element, sheet, text, wide

LENGTH = 330.0  # of the longer axis
LONGEST = 16  # signs of a label
FEW = 8  # so many arrows have their entries beside their label
HEAD, HALF_HEAD = 10.0, 4.5
POINTS = 24  # of an arc
SAME = 1e-6  # lengths that differ less are equal: the arrow was turned
# Of the groups from the last to the first: what is there now, and what was before.
LOOKS = (("accent", 2.6, None), ("ink", 1.6, "6 4"), ("faint", 1.6, "2 3"))

Place = tuple[float, float]


def vectors_svg(figure: d.Figure, plane: d.Plane) -> str:
    return _Sheet(figure, plane).svg()


class _Sheet:
    def __init__(self, figure: d.Figure, plane: d.Plane) -> None:
        self.figure, self.plane = figure, plane
        across, up = plane.across, plane.up
        self.unit = LENGTH / max(across.high - across.low, up.high - up.low)
        self.width, self.height = (across.high - across.low) * self.unit, (up.high - up.low) * self.unit
        self.origin = self._place(0.0, 0.0)
        self.few = sum(len(group.points) for group in plane.groups) <= FEW
        self.taken: list[tuple[float, float, float]] = []  # where labels stand: left, right and height

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
        faint = {"class_": "faint", "stroke": "#6a6a6a"}
        for tick in self.plane.across.ticks:
            x = self._place(tick.value, 0.0)[0]
            look = {**faint, "stroke_opacity": 0.9 if tick.value == 0 else 0.22}
            yield element("line", x1=x, y1=0.0, x2=x, y2=self.height, **look)
            half = wide(tick.text, SMALL) / 2
            self.taken.append((x - half, x + half, self.height + 15))
            yield text(x, self.height + 15, tick.text, "faint", SMALL, text_anchor="middle")
        for tick in self.plane.up.ticks:
            y = self._place(0.0, tick.value)[1]
            look = {**faint, "stroke_opacity": 0.9 if tick.value == 0 else 0.22}
            yield element("line", x1=0.0, y1=y, x2=self.width, y2=y, **look)
            self.taken.append((-6.0 - wide(tick.text, SMALL), -6.0, y + SMALL * 0.35))
            yield text(-6.0, y + SMALL * 0.35, tick.text, "faint", SMALL, text_anchor="end")

    def _titles(self) -> Iterator[str]:
        """What the axes are called, out of the way of labels at their ends: further down, or further up."""
        across, up = self.plane.across.title, self.plane.up.title
        x, y = self.width + 6, self.origin[1] + SMALL * 0.35
        y = self._free(x, x + wide(across, SMALL), y, SIZE)
        yield text(x, y, across, "faint", SMALL)
        half = wide(up, SMALL) / 2
        y = self._free(self.origin[0] - half, self.origin[0] + half, -8.0, -SIZE)
        yield text(self.origin[0], y, up, "faint", SMALL, text_anchor="middle")

    def _free(self, left: float, right: float, y: float, by: float) -> float:
        """The first height from here on at which nothing stands yet; it is taken now."""
        while any(one[0] < right and left < one[1] and abs(one[2] - y) < SIZE for one in self.taken):
            y += by
        self.taken.append((left, right, y))
        return y

    def _look(self, group: int) -> tuple[str, float, str | None]:
        """Groups with names are told apart, also without colour; arrows that stand for themselves are all alike."""
        last = len(self.plane.groups) - 1
        is_alike = not self.plane.trails and not any(one.name for one in self.plane.groups)
        return LOOKS[0] if is_alike else LOOKS[min(last - group, len(LOOKS) - 1)]

    def _arrows(self) -> Iterator[str]:
        """All arrows, and above them all labels."""
        labels = []
        for number, group in enumerate(self.plane.groups):
            for place, point in enumerate(group.points):
                tip = self._tip((number, place))
                told = f"{point.label} ({point.across.text}, {point.up.text})"
                arrow = "".join(_arrow(self.origin, tip, *self._look(number)))
                yield element("g", element("title", escape(told)) + arrow, class_="node", data_step=point.across.step)
                labels.append(self._label(tip, told if self.few else point.label, len(point.label)))
        yield from labels

    def _label(self, tip: Place, words: str, name: int) -> str:
        """Beyond the tip, seen from the origin; below a label that stands there already."""
        words = words if name <= LONGEST else cut(words[:name], LONGEST) + words[name:]
        along = tip[0] - self.origin[0]
        is_right = along >= -1e-6
        x = tip[0] + (8 if is_right else -8)
        y = tip[1] + (SIZE * 0.9 if tip[1] > self.origin[1] + 1 else -4)
        left, right = (x, x + wide(words)) if is_right else (x - wide(words), x)
        y = self._free(left, right, y, SIZE)
        look = {"class_": "paper", "fill": COLOURS["paper"], "fill_opacity": 0.65}
        ground = element("rect", x=left, y=y - SIZE * 0.85, width=right - left, height=SIZE * 1.1, **look)
        return ground + text(x, y, words, text_anchor="start" if is_right else "end")

    def _trails(self) -> Iterator[str]:
        for trail in self.plane.trails:
            way = list(_way(self.origin, self._tip(trail.start), self._tip(trail.end)))
            path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in way)
            look = {"class_": "faint", "stroke": "#6a6a6a", "stroke_width": 1.1, "stroke_dasharray": "1 3"}
            yield element("path", d=path, fill="none", stroke_linecap="round", **look)

    def _legend(self) -> Iterator[str]:
        """The name of each group, behind a piece of its line."""
        x, y = 0.0, max(self.height + 38, *(one[2] + SIZE * 2 for one in self.taken))
        for number, group in enumerate(self.plane.groups):
            if group.name:
                look, thick, dash = self._look(number)
                stroke = {"class_": look, "stroke": COLOURS[look], "stroke_width": thick, "stroke_dasharray": dash}
                yield element("line", x1=x, y1=y - 4, x2=x + 28, y2=y - 4, **stroke)
                name = cut(group.name, LONGEST)
                yield text(x + 34, y, name, size=SMALL)
                x += 34 + wide(name, SMALL) + 18
                self.taken.append((x - 18, x - 18, y))


def _arrow(start: Place, tip: Place, look: str, thick: float, dash: str | None) -> Iterator[str]:
    """A line and its head; a vector of length 0 is a dot."""
    length = math.dist(start, tip)
    colour = COLOURS[look]
    if length < 1:
        yield element("circle", cx=tip[0], cy=tip[1], r=3.5, class_=look, fill=colour)
        return
    along = (tip[0] - start[0]) / length, (tip[1] - start[1]) / length
    head = min(HEAD, length)
    neck = tip[0] - along[0] * head, tip[1] - along[1] * head
    line = {"x1": start[0], "y1": start[1], "x2": neck[0], "y2": neck[1]}
    yield element("line", **line, class_=look, stroke=colour, stroke_width=thick, stroke_dasharray=dash)
    side = -along[1] * HALF_HEAD, along[0] * HALF_HEAD
    corners = (tip, (neck[0] + side[0], neck[1] + side[1]), (neck[0] - side[0], neck[1] - side[1]))
    path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in corners) + "z"
    yield element("path", d=path, class_=look, fill=colour)


def _way(origin: Place, start: Place, end: Place) -> Iterator[Place]:
    """From tip to tip: along an arc where only the direction changed, else straight."""
    lengths = math.dist(origin, start), math.dist(origin, end)
    yield start
    if abs(lengths[0] - lengths[1]) <= SAME * max(lengths) and lengths[0] > 1:
        angle = math.atan2(start[1] - origin[1], start[0] - origin[0])
        turn = math.atan2(end[1] - origin[1], end[0] - origin[0]) - angle
        turn = (turn + math.pi) % (2 * math.pi) - math.pi  # the shorter way round
        for n in range(1, POINTS):
            here = angle + turn * n / POINTS
            yield origin[0] + lengths[0] * math.cos(here), origin[1] + lengths[0] * math.sin(here)
    yield end
