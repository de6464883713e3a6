"""Flow charts: their data, and a box for each step with arrows between them as SVG.

The pages `flow`, `backward` and `graph` share them; where a chart is read backward, the arrows point upward.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from rich.cells import cell_len

from ...document.blocks import Figure, FigureData, Index, Number
from ...document.monospace import shape_text
from .svg import COLORS, SIZE, SMALL, Attributes, element, entry_of, sheet, text, wide
from .text_labels import fit

LINE = 14.0  # from one line of a box to the next
MIN_BOX, MAX_BOX = 104.0, 190.0  # width
SHAPE_CHARS, SIDE_CHARS = 15, 12  # of a line of a shape, and at the side of a reader
SIDE_BOX = 0.72  # width of a leaf at the side of its reader, in widths of a box
BETWEEN = 36.0  # from row to row
HEAD = 4.0  # half the width of an arrow head
LEAF_EDGE = "#9aa6bd"
ARROW, ASCII_ARROW = "↓", "|"
INDENT = 4  # in monospaced text: of a leaf below its reader, and of what has no room to the right of its step
GAP = 2

BoxLine: TypeAlias = tuple[str, str, float]  # a line of a box, its look and its size


@dataclass(frozen=True)
class Flow(FigureData):
    """The form `flow`: which step leads to which. `row` counts downward from what is given, `column` from the left, in
    widths of a node. The edges into a node come in the order of its inputs. The form `backward` is the same with edges
    from results to what they are made from. The form `graph` has a node for each op, between its inputs and its result.
    """

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]


@dataclass(frozen=True)
class FlowNode:
    """`beside` says that it is at the side of the only row that needs it, as a weight is. Where a module is one node,
    `module` is its path, `step` its result, and `op` says how many steps it has.
    """

    step: str
    name: str
    op: str
    axes: tuple[str, ...]
    shape: Index
    row: int
    column: float
    leaf: bool
    beside: bool = False
    gradient: FlowGradient | None = None
    value: Number | None = None  # of a single number, in the form `graph`
    sign: str = ""  # of an op, in the form `graph`: its node comes before that of its result
    module: str = ""


@dataclass(frozen=True)
class FlowGradient:
    """The gradient of a node, in the forms `backward` and `graph`: its `largest` entry by size is at `place`, such
    as `[0][1]`. `learns` says that it changes the node.
    """

    step: str
    name: str
    place: str
    largest: Number
    learns: bool = False

    @property
    def largest_entry(self) -> str:
        """
        >>> FlowGradient("4", "dx", "[0]", Number("0.5", 0.5, "4", (0,))).largest_entry
        '[0] = 0.5'
        """
        return f"{self.place} = {self.largest.text}" if self.place else self.largest.text

    @property
    def marked_name(self) -> str:
        """Its name, with a mark where it changes its node."""
        return f"{self.name} *" if self.learns else self.name


@dataclass(frozen=True)
class FlowEdge:
    """From the node of that place in the list to the other; `skips` says that it goes past rows in between, as a
    residual does. It goes `through` these columns, one for each row that it passes.
    """

    start: int
    end: int
    skips: bool
    through: tuple[float, ...] = ()


# -- as SVG ------------------------------------------------------------------------------------------


class FlowDrawing(ABC):
    """Where everything is; a column is as wide as a box. What a node looks like and how high a row is, a kind of
    chart says.
    """

    dims_without_gradient: ClassVar[bool] = False  # a node that no gradient reaches

    def __init__(self, figure: Figure, flow: Flow) -> None:
        self.figure, self.flow = figure, flow
        self.texts = [self.lines(node) for node in flow.nodes]
        needed = [
            (max(wide(line, size) for line, _, size in lines) + 12) / (SIDE_BOX if node.beside else 1.0)
            for node, lines in zip(flow.nodes, self.texts, strict=True)
            if not node.beside or node.gradient is not None
        ]
        self.unit = min(max([MIN_BOX, *needed]), MAX_BOX)
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
    def lines(self, node: FlowNode) -> list[BoxLine]:
        """What is written in a node, each line with its look and size."""

    @abstractmethod
    def top(self, row: int) -> float: ...

    @abstractmethod
    def height_of(self, row: int) -> float: ...

    @abstractmethod
    def number(self, node: FlowNode, line: int, style: str) -> Number | None:
        """The number in a line of a node."""

    @abstractmethod
    def node(self, node: FlowNode, lines: list[BoxLine]) -> str: ...

    def _width(self, node: FlowNode) -> float:
        return self.unit * (SIDE_BOX if node.beside else 1.0)

    def boxed(self, node: FlowNode, lines: list[BoxLine]) -> str:
        """A node as a box."""
        width, x, y = self._width(node), node.column * self.unit, self.top(node.row)
        learns = node.gradient is not None and node.gradient.learns
        dim = self.dims_without_gradient and node.gradient is None
        look: Attributes = {
            "class_": "leaf" if node.leaf else "paper",
            "fill": "#eef2f9" if node.leaf else COLORS["paper"],
            "stroke": LEAF_EDGE if dim or (node.leaf and not learns) else COLORS["ink"],
            "stroke_width": 2.2 if learns else None,
            "stroke_dasharray": "3 3" if dim else None,
        }
        frame = element("rect", x=x - width / 2, y=y, width=width, height=self.box, rx=6, **look)
        first = y + (self.box - LINE * len(lines)) / 2 + LINE * 0.75
        words = [
            text(
                x,
                first + LINE * n,
                _end(line, int((width - 6) / (size * 0.57))),
                "faint" if dim else style,
                size,
                text_anchor="middle",
                font_weight="bold" if n == 0 else None,
                **_entry(self.number(node, n, style)),
            )
            for n, (line, style, size) in enumerate(lines)
        ]
        return element("g", frame + "".join(words), class_="node", data_step=node.step)

    def _edge(self, edge: FlowEdge) -> Iterator[str]:
        start, end = self.flow.nodes[edge.start], self.flow.nodes[edge.end]
        look, color = ("faint", "#7b879c") if edge.skips else ("ink", "#3a3f4a")
        if start.row == end.row:
            path, head = self._level(start, end)
        elif start.row > end.row:
            path, head = self._up(edge, start, end)
        else:
            path, head = self._down(edge, start, end)
        yield element("path", d=path, fill="none", stroke_width=1.2, class_=look, stroke=color)
        yield element("path", d=head, class_=look, fill=color)

    def _level(self, start: FlowNode, end: FlowNode) -> tuple[str, str]:
        """From the side of a node to that of another one in the same row; past a third one it goes above."""
        side = 1 if end.column > start.column else -1
        x = start.column * self.unit + side * self._width(start) / 2
        to = end.column * self.unit - side * self._width(end) / 2
        y = self.top(start.row) + self.box / 2
        head = f"M{to:.1f},{y:.1f}l{-side * 7:.1f},{-HEAD}v{2 * HEAD}z"
        if abs(to - x) < self.unit / 2:
            return f"M{x:.1f},{y:.1f}H{to - side * 5:.1f}", head
        return self._arch(start, end)

    def _arch(self, start: FlowNode, end: FlowNode) -> tuple[str, str]:
        x, to, y = start.column * self.unit, end.column * self.unit, self.top(start.row)
        high = y - BETWEEN * 0.55
        return f"M{x:.1f},{y:.1f}C{x:.1f},{high:.1f} {to:.1f},{high:.1f} {to:.1f},{y - 5:.1f}", _point(to, y)

    def _down(self, edge: FlowEdge, start: FlowNode, end: FlowNode) -> tuple[str, str]:
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

    def _up(self, edge: FlowEdge, start: FlowNode, end: FlowNode) -> tuple[str, str]:
        """From above one node to below another: the same way, reversed."""
        x, y = start.column * self.unit, self.top(start.row)
        path = [f"M{x:.1f},{y:.1f}"]
        for n, column in enumerate(edge.through, 1):
            path.append(_curve(x, y, column * self.unit, self.top(start.row - n) + self.height_of(start.row - n)))
            x, y = column * self.unit, self.top(start.row - n)
            path.append(f"V{y:.1f}")
        to = end.column * self.unit, self.top(end.row) + self.height_of(end.row)
        path.append(_curve(x, y, to[0], to[1] + 5))
        return "".join(path), f"M{to[0]:.1f},{to[1]:.1f}l{-HEAD},7h{2 * HEAD}z"


class StepBoxes(FlowDrawing):
    """Every node is a box with the name of its step."""

    def lines(self, node: FlowNode) -> list[BoxLine]:
        return _lines(node)

    def top(self, row: int) -> float:
        return row * (self.box + BETWEEN)

    def height_of(self, row: int) -> float:
        return self.box

    def number(self, node: FlowNode, line: int, style: str) -> Number | None:
        return gradient_in(node, style)

    def node(self, node: FlowNode, lines: list[BoxLine]) -> str:
        return self.boxed(node, lines)


def gradient_in(node: FlowNode, style: str) -> Number | None:
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


def _entry(number: Number | None) -> Attributes:
    return entry_of(number) if number is not None else {}


def _lines(node: FlowNode) -> list[BoxLine]:
    """What is written in a box: the name, the op, and the shape in one line or two, each with its look and size."""
    shape = [
        (line, "ink", SMALL)
        for line in _halves(shape_text(node.axes, node.shape), SIDE_CHARS if node.beside else SHAPE_CHARS)
    ]
    if node.gradient is not None:
        above = [(node.gradient.marked_name, "ink", SIZE), (node.name, "faint", SMALL)]
        place, sign, largest = node.gradient.largest_entry.rpartition("= ")
        entry = [(f"{place}=", "accent", SMALL)] if place.strip() else []
        return [*above, *shape, *entry, (largest if entry else f"{place}{sign}{largest}", "accent", SMALL)]
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


# -- in monospaced text --------------------------------------------------------------------------------


def in_columns(cells: list[list[str]], width: int, fine: bool) -> list[list[str]]:
    """Three texts in a row; where that is too wide, the last two below the first."""
    widths = [max(cell_len(row[n]) for row in cells) + GAP for n in range(3)]
    if sum(widths) - GAP <= width:
        return [
            ["".join(_filled(text, wide) for text, wide in zip(texts, widths, strict=True)).rstrip()] for texts in cells
        ]
    return [
        [fit(texts[0], width, fine), *(" " * INDENT + fit(text, width - INDENT, fine) for text in texts[1:] if text)]
        for texts in cells
    ]


def _filled(text: str, wide: int) -> str:
    return text + " " * (wide - cell_len(text))
