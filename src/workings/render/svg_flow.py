"""Flow charts as SVG: a box for each step, its name, op and shape inside, and arrows between them.

Where the chart is read backwards, each box says its gradient, and the arrows point upwards.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TypeAlias

from ..explain import document as d
from .drawing import COLOURS, SIZE, SMALL, element, sheet, text, wide
from .lines import shape_text
from .text_backward import largest_entry, marked_name

LINE = 14.0  # from one line of a box to the next
NARROWEST, WIDEST = 104.0, 190.0  # of a box
BESIDE = 0.72  # width of a leaf beside its reader, in widths of a box
BETWEEN = 36.0  # from row to row
HEAD = 4.0  # half the width of an arrow head

Said: TypeAlias = tuple[str, str, float]  # a line, its look and its size


def flow_svg(figure: d.Figure, flow: d.Flow) -> str:
    return _Chart(figure, flow).svg()


class FlowSheet(ABC):
    """Where everything stands; a column is as wide as a box. What a node looks like and how high a row is, a kind of
    chart says.
    """

    def __init__(self, figure: d.Figure, flow: d.Flow) -> None:
        self.figure, self.flow = figure, flow
        self.texts = [self.lines(node) for node in flow.nodes]
        needed = [
            (max(wide(line, size) for line, _, size in lines) + 14) / (BESIDE if node.beside else 1.0)
            for node, lines in zip(flow.nodes, self.texts, strict=True)
            if not node.beside or node.gradient is not None
        ]
        self.unit = min(max([NARROWEST, *needed]), WIDEST)
        self.box = LINE * max(len(lines) for lines in self.texts) + 10
        reach = [node.column + self._width(node) / self.unit / 2 for node in flow.nodes]
        self.width = self.unit * max([*reach, *(way for edge in flow.edges for way in edge.through)])
        last = max(node.row for node in flow.nodes)
        self.height = self.top(last) + self.height_of(last)

    def svg(self) -> str:
        edges = sorted(self.flow.edges, key=lambda edge: not edge.skips)  # what goes past lies below
        parts = [part for edge in edges for part in self._edge(edge)]
        parts += [self.node(node, lines) for node, lines in zip(self.flow.nodes, self.texts, strict=True)]
        return sheet(self.figure, parts, self.width, self.height)

    @abstractmethod
    def lines(self, node: d.FlowNode) -> list[Said]:
        """What stands in a node, each line with its look and size."""

    @abstractmethod
    def top(self, row: int) -> float: ...

    @abstractmethod
    def height_of(self, row: int) -> float: ...

    @abstractmethod
    def number(self, node: d.FlowNode, line: int, style: str) -> d.Number | None:
        """The number that stands in a line of a node."""

    @abstractmethod
    def node(self, node: d.FlowNode, lines: list[Said]) -> str: ...

    def _width(self, node: d.FlowNode) -> float:
        return self.unit * (BESIDE if node.beside else 1.0)

    def boxed(self, node: d.FlowNode, lines: list[Said]) -> str:
        """A node as a box."""
        width, x, y = self._width(node), node.column * self.unit, self.top(node.row)
        look: dict[str, object] = {"class_": "leaf" if node.leaf else "paper"}
        look["fill"] = "#eef2f9" if node.leaf else COLOURS["paper"]
        learns = node.gradient is not None and node.gradient.learns
        aside = self.figure.form == "backward" and node.gradient is None  # no gradient reaches it
        look["stroke"] = "#9aa6bd" if aside or (node.leaf and not learns) else COLOURS["ink"]
        look |= {"stroke_width": 2.2 if learns else None, "stroke_dasharray": "3 3" if aside else None}
        frame = element("rect", x=x - width / 2, y=y, width=width, height=self.box, rx=6, **look)
        first = y + (self.box - LINE * len(lines)) / 2 + LINE * 0.75
        words = [
            text(
                x,
                first + LINE * n,
                _end(line, int((width - 6) / (size * 0.57))),
                "faint" if aside else style,
                size,
                text_anchor="middle",
                font_weight="bold" if n == 0 else None,
                **_entry(self.number(node, n, style)),
            )
            for n, (line, style, size) in enumerate(lines)
        ]
        return element("g", frame + "".join(words), class_="node", data_step=node.step)

    def _edge(self, edge: d.FlowEdge) -> Iterator[str]:
        start, end = self.flow.nodes[edge.start], self.flow.nodes[edge.end]
        look = {"class_": "faint" if edge.skips else "ink", "stroke": "#7b879c" if edge.skips else "#3a3f4a"}
        if start.row == end.row:
            path, head = self._level(start, end)
        elif start.row > end.row:
            path, head = self._up(edge, start, end)
        else:
            path, head = self._down(edge, start, end)
        yield element("path", d=path, fill="none", stroke_width=1.2, **look)
        yield element("path", d=head, class_=look["class_"], fill=look["stroke"])

    def _level(self, start: d.FlowNode, end: d.FlowNode) -> tuple[str, str]:
        """From the side of a node to that of another one in the same row; past a third one it goes above."""
        side = 1 if end.column > start.column else -1
        x = start.column * self.unit + side * self._width(start) / 2
        to = end.column * self.unit - side * self._width(end) / 2
        y = self.top(start.row) + self.box / 2
        head = f"M{to:.1f},{y:.1f}l{-side * 7:.1f},{-HEAD}v{2 * HEAD}z"
        if abs(to - x) < self.unit / 2:
            return f"M{x:.1f},{y:.1f}H{to - side * 5:.1f}", head
        return self._arch(start, end)

    def _arch(self, start: d.FlowNode, end: d.FlowNode) -> tuple[str, str]:
        x, to, y = start.column * self.unit, end.column * self.unit, self.top(start.row)
        high = y - BETWEEN * 0.55
        return f"M{x:.1f},{y:.1f}C{x:.1f},{high:.1f} {to:.1f},{high:.1f} {to:.1f},{y - 5:.1f}", _point(to, y)

    def _down(self, edge: d.FlowEdge, start: d.FlowNode, end: d.FlowNode) -> tuple[str, str]:
        """From below one node to above another, through the columns that it passes."""
        x, y = start.column * self.unit, self.top(start.row) + self.height_of(start.row)
        path = [f"M{x:.1f},{y:.1f}"]
        for n, column in enumerate(edge.through, start.row + 1):
            path.append(_curve(x, y, column * self.unit, self.top(n)))
            x, y = column * self.unit, self.top(n) + self.height_of(n)
            path.append(f"V{y:.1f}")
        to = end.column * self.unit, self.top(end.row)
        path.append(_curve(x, y, to[0], to[1] - 5))
        return "".join(path), _point(*to)

    def _up(self, edge: d.FlowEdge, start: d.FlowNode, end: d.FlowNode) -> tuple[str, str]:
        """From above one node to below another: the same way, turned round."""
        x, y = start.column * self.unit, self.top(start.row)
        path = [f"M{x:.1f},{y:.1f}"]
        for n, column in enumerate(edge.through, 1):
            path.append(_curve(x, y, column * self.unit, self.top(start.row - n) + self.height_of(start.row - n)))
            x, y = column * self.unit, self.top(start.row - n)
            path.append(f"V{y:.1f}")
        to = end.column * self.unit, self.top(end.row) + self.height_of(end.row)
        path.append(_curve(x, y, to[0], to[1] + 5))
        return "".join(path), f"M{to[0]:.1f},{to[1]:.1f}l{-HEAD},7h{2 * HEAD}z"


class _Chart(FlowSheet):
    """Every node is a box."""

    def lines(self, node: d.FlowNode) -> list[Said]:
        return _lines(node)

    def top(self, row: int) -> float:
        return row * (self.box + BETWEEN)

    def height_of(self, row: int) -> float:
        return self.box

    def number(self, node: d.FlowNode, line: int, style: str) -> d.Number | None:
        return gradient_in(node, style)

    def node(self, node: d.FlowNode, lines: list[Said]) -> str:
        return self.boxed(node, lines)


def gradient_in(node: d.FlowNode, style: str) -> d.Number | None:
    """The entry of its gradient that a line of this look says."""
    return node.gradient.largest if style == "accent" and node.gradient is not None else None


def _end(words: str, most: int) -> str:
    """The end of a path says more than its beginning."""
    return words if len(words) <= most else f"…{words[1 - most :]}"


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (y + to_y) / 2
    return f"C{x:.1f},{middle:.1f} {to_x:.1f},{middle:.1f} {to_x:.1f},{to_y:.1f}"


def _point(x: float, y: float) -> str:
    """An arrow head that points down to here."""
    return f"M{x:.1f},{y:.1f}l{-HEAD},-7h{2 * HEAD}z"


def _entry(number: d.Number | None) -> dict[str, str]:
    """Which entry a number is."""
    return {"data_step": number.step, "data_index": ",".join(map(str, number.index))} if number is not None else {}


def _lines(node: d.FlowNode) -> list[Said]:
    """What stands in a box: the name, the op, and the shape in one line or two, each with its look and size."""
    shape = [(line, "ink", SMALL) for line in _halves(shape_text(node.axes, node.shape), 15 if node.beside else 24)]
    if node.gradient is not None:
        above = [(marked_name(node.gradient), "ink", SIZE), (node.name, "faint", SMALL)]
        return [*above, *shape, (largest_entry(node.gradient), "accent", SMALL)]
    words = [] if node.leaf and node.beside else [(node.op, "faint", SMALL)]
    return [(node.name, "ink", SIZE), *words, *shape]


def _halves(shape: str, room: int) -> list[str]:
    """A shape in lines that fit, broken after a ×."""
    lines: list[str] = []
    for part in shape.split(" × ") if shape else []:
        if lines and len(lines[-1]) + len(part) + 3 <= room:
            lines[-1] += f" × {part}"
        else:
            lines = [*lines[:-1], f"{lines[-1]} ×"] if lines else lines
            lines.append(part)
    return lines
