"""What figures that are composed by hand share: labeled boxes, arrows that end at their edges, small matrices with
their numbers, and a hue for each role.

A hue is a class (`query`, `key`, `value`, `parameter`, `gradient`; `activation` for anything else): a tint inside boxes
and cells, a strong color for their edges, for arrows and for texts. The tints of query, key and value differ in
lightness, so that they differ in gray print too; a label says it again. Without a role everything is ink on paper.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from ...document.blocks import Number, Span, Spans, Words, plain_text
from ...engine.steps import Step
from .axes import Axis
from .colors import color, hexadecimal, text_on
from .svg import (
    CELL_EDGE,
    COLORS,
    SIZE,
    SMALL,
    Attributes,
    clean,
    element,
    entry_of,
    number,
    pointed_at,
    text,
    wide,
)

LINE = 16.0  # from one line of text to the next
CELL_HEIGHT = 24.0
GAP_SIGN = "⋯"  # for rows and columns that are left out
HEAD_LENGTH, HEAD_WIDTH = 8.0, 7.0  # of an arrow
PADDING = 10.0  # between the edge of a box and its words


@dataclass(frozen=True)
class Hue:
    """The `strong` color of edges, arrows and texts; the `tint` of areas below dark letters."""

    strong: str
    tint: str


HUES = {
    "query": Hue("#1b5faa", "#e4eefb"),
    "key": Hue("#8f4a00", "#fad29b"),
    "value": Hue("#14623d", "#93cdae"),
    "parameter": Hue("#5b3a9a", "#e9e0f6"),
    "gradient": Hue("#a5261d", "#f6bdb5"),
    "activation": Hue("#3a4250", "#dfe3ea"),
}

BOX_LOOK: Attributes = {"class_": "paper", "fill": COLORS["paper"], "stroke": COLORS["ink"]}


def role_of(step: Step) -> str:
    """The role of a step: that of its name for queries, keys and values (`Q`, `K_T`, `V_heads`).

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> [role_of(trace[name].step) for name in ("X", "W_Q", "Q", "K_T", "scores")]
    ['activation', 'parameter', 'query', 'key', 'activation']
    """
    if step.stage == "backward" and step.name.startswith("d"):  # not a transposed factor of it
        return "gradient"
    if step.leaf == "parameter":
        return "parameter"
    return {"Q": "query", "K": "key", "V": "value"}.get(step.name.split("_")[0], "activation")


def line_look(role: str = "", width: float = 1.0) -> Attributes:
    """Of a line, in the hue of a role; without one, ink. Any other class, such as `faint`, keeps its color."""
    strong = HUES[role].strong if role in HUES else COLORS.get(role, COLORS["ink"])
    return {"class_": role or "ink", "stroke": strong, "stroke_width": width, "fill": "none"}


def area_look(role: str = "") -> Attributes:
    """Of a box or a cell: the tint of a role, with an edge in its strong color; without one, paper and a light edge."""
    if role not in HUES:
        return {"class_": "paper edge", "fill": COLORS["paper"], "stroke": CELL_EDGE}
    return {"class_": role, "fill": HUES[role].tint, "stroke": HUES[role].strong}


def words_at(x: float, y: float, words: str, role: str = "ink", size: float = SIZE, /, **more: str | None) -> str:
    """A text in the middle of `x`, whose letters have the middle of their height at `y`."""
    fill = HUES[role].strong if role in HUES else COLORS.get(role)
    return text(x, y + size * 0.35, words, role, size, **{"text_anchor": "middle", "fill": fill, **more})


def heading(x: float, y: float, name: str, shape: str = "", role: str = "ink", size: float = 14.0) -> str:
    """A name in bold letters with its shape beside it, for what is drawn below; `y` is the middle of its height."""
    fill = HUES[role].strong if role in HUES else COLORS["ink"]
    bold = element("tspan", escape(clean(name)), class_=role, fill=fill, font_weight="bold")
    faint: Attributes = {"class_": "faint", "fill": COLORS["faint"], "font_size": SIZE, "dx": 8.0}
    more = element("tspan", escape(clean(shape)), **faint) if shape else ""
    return element("text", bold + more, x=x, y=y + size * 0.35, font_size=size)


def heading_width(name: str, shape: str = "", size: float = 14.0) -> float:
    """About how wide a heading is."""
    return wide(name, size) * 1.05 + (wide(shape) * 0.9 + 8 if shape else 0.0)


# -- boxes and arrows ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Box:
    """A rectangle; every drawing function returns or takes one, so that parts can be aligned."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def center(self) -> float:
        """The middle of its height."""
        return self.y + self.height / 2

    def moved(self, x: float = 0.0, y: float = 0.0) -> Box:
        return replace(self, x=self.x + x, y=self.y + y)


def box_around(
    name: str, details: Sequence[str] = (), x: float = 0.0, y: float = 0.0, least: tuple[float, float] = (0.0, 0.0)
) -> Box:
    """A box with room for a name and for the lines below it. A name may have several lines: see `lines_of`."""
    names = name.split("\n")
    width = max(*(wide(line) for line in names), *(wide(line, SMALL) for line in details), 0.0) + 2 * PADDING
    return Box(x, y, max(width, least[0]), max(LINE * (len(names) + len(details)) + PADDING, least[1]))


def labeled_box(box: Box, name: str, details: Sequence[str] = (), role: str = "") -> Iterator[str]:
    """A box with its name in the middle, and smaller lines, such as its shape, below the name."""
    yield element("rect", **corners(box), rx=6, **(area_look(role) if role in HUES else BOX_LOOK))
    names = name.split("\n")
    lines = [(line, "ink", SIZE, "bold") for line in names] + [(line, "ink", SMALL, None) for line in details]
    first = box.center - LINE * (len(lines) - 1) / 2
    for place, (words, look, size, weight) in enumerate(lines):
        yield words_at(box.middle, first + LINE * place, words, look, size, font_weight=weight)


def corners(box: Box) -> Attributes:
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}


def lines_of(name: str, most: float, size: float = SIZE) -> str:
    r"""A name in as many lines as it takes to be no wider than this; it breaks after `_`, `.` and spaces, and nothing
    is cut.

    >>> lines_of("feed_forward.hidden", 100)
    'feed_forward.\nhidden'
    """
    parts, lines = _parts(name), [""]
    for part in parts:
        if lines[-1] and wide(lines[-1] + part.rstrip(), size) > most:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def _parts(name: str) -> list[str]:
    """The parts between which a name may break."""
    for sign in "_. ":
        name = name.replace(sign, f"{sign}\0")
    return [part for part in name.split("\0") if part]


def arrow(start: Box, end: Box, role: str = "", width: float = 1.2) -> Iterator[str]:
    """An arrow from one box to another. It leaves and enters in the middle of an edge where it can be straight: down
    or up if one box is above the other, else to the side. Where the boxes overlap, it is in the middle of what they
    have in common.
    """
    if end.y >= start.bottom or start.y >= end.bottom:
        x, to_x = _aligned((start.x, start.right), (end.x, end.right))
        down = end.y >= start.bottom
        yield from arrow_to(x, start.bottom if down else start.y, to_x, end.y if down else end.bottom, role, width)
    else:
        y, to_y = _aligned((start.y, start.bottom), (end.y, end.bottom))
        right = end.x >= start.right
        yield from arrow_to(start.right if right else start.x, y, end.x if right else end.right, to_y, role, width)


def _aligned(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Where an arrow leaves and enters: at one place, if the edges have one in common."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    middles = sum(one) / 2, sum(other) / 2
    if high - low < HEAD_WIDTH:
        return middles
    place = next((middle for middle in middles if low <= middle <= high), (low + high) / 2)
    return place, place


def arrow_to(x: float, y: float, to_x: float, to_y: float, role: str = "", width: float = 1.2) -> Iterator[str]:
    """A straight arrow, whose tip is at the end."""
    yield from arrow_along(((x, y), (to_x, to_y)), role, width)


def arrow_along(points: Sequence[tuple[float, float]], role: str = "", width: float = 1.2) -> Iterator[str]:
    """An arrow along straight lines, such as around a box; its tip is at the last point."""
    (x, y), (to_x, to_y) = points[-2:]
    length = math.hypot(to_x - x, to_y - y) or 1.0
    across, down = (to_x - x) / length, (to_y - y) / length
    base = to_x - across * HEAD_LENGTH, to_y - down * HEAD_LENGTH
    line = "L".join(f"{x:.1f},{y:.1f}" for x, y in (*points[:-1], base))
    yield element("path", d=f"M{line}", **line_look(role, width))
    side = -down * HEAD_WIDTH / 2, across * HEAD_WIDTH / 2
    ends = (to_x, to_y), (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1])
    tip = "L".join(f"{x:.1f},{y:.1f}" for x, y in ends)
    look = line_look(role)
    yield element("path", d=f"M{tip}z", class_=f"head {look['class_']}", fill=look["stroke"])


# -- lines of arithmetic -----------------------------------------------------------------------------------


def span_line(
    x: float, y: float, spans: Spans, roles: Mapping[str, str] | None = None, size: float = SIZE, **more: str | None
) -> str:
    """Words and numbers one after the other; each number says which entry it is. `roles` says in which hue the numbers
    of a step are written.
    """
    look: Attributes = {"class_": "ink", "fill": COLORS["ink"], "font_size": size}
    return element("text", "".join(_piece(span, roles or {}) for span in spans), x=x, y=y, **{**look, **more})


def _piece(span: Span, roles: Mapping[str, str]) -> str:
    if not isinstance(span, Number):
        return escape(clean(plain_text((span,))))
    role = roles.get(span.step, "") if span.role == "entry" else ""
    hue: Attributes = {"class_": role, "fill": HUES[role].strong} if role in HUES else {}
    return element("tspan", escape(clean(span.text)), **entry_of(span), **hue)


def broken_line(spans: Spans, most: float, size: float = SIZE) -> list[Spans]:
    """The same in as many lines as it takes; it breaks before a plus."""
    lines: list[Spans] = [()]
    for part in _terms(spans):
        if lines[-1] and wide(plain_text((*lines[-1], *part)), size) > most:
            lines.append(())
        lines[-1] = (*lines[-1], *part)
    return lines


def _terms(spans: Spans) -> list[Spans]:
    """The parts of a sum, each but the first with the plus before it."""
    terms: list[Spans] = [()]
    for span in spans:
        words = plain_text((span,))
        if isinstance(span, Words) and words.lstrip(")").startswith(" + "):
            end = words.index(" + ")
            terms[-1] = (*terms[-1], replace(span, text=words[:end]))
            terms.append((replace(span, text=words[end:]),))
        else:
            terms[-1] = (*terms[-1], span)
    return terms


# -- matrices ----------------------------------------------------------------------------------------------


def number_width(number: str, size: float = SIZE) -> float:
    """How wide a cell must be for a number."""
    return sum(0.32 if sign in ".,-" else 0.6 for sign in number) * size + 10


@dataclass(frozen=True)
class CellMatrix:
    """A small matrix with its numbers in its cells. The cells in `lit` have the tint of its `role` (without `lit`, all
    of them have); with a `scale`, each has the color of its number, as in a heatmap. Labels are outside: those of rows
    at the left, those of columns above. After the rows and columns that are drawn there may be more: then dots say so.
    """

    rows: Sequence[Sequence[Number]]
    role: str = ""
    lit: Collection[tuple[int, int]] | None = None
    scale: Axis | None = None
    row_labels: Sequence[str] = ()
    column_labels: Sequence[str] = ()
    more: tuple[bool, bool] = (False, False)  # rows, columns
    cell: float = 0.0  # width of a cell, else that of the widest number or label
    size: float = SIZE
    with_numbers: bool = True
    cell_height: float = CELL_HEIGHT

    @property
    def cell_width(self) -> float:
        numbers = [number_width(one.text, self.size) for row in self.rows for one in row] if self.with_numbers else []
        return self.cell or max(34.0, *numbers, *(wide(label, self.size) + 8 for label in self.column_labels))

    @property
    def width(self) -> float:
        """Without labels."""
        return self.cell_width * len(self.rows[0]) + (DOTS if self.more[1] else 0.0)

    @property
    def height(self) -> float:
        """Without labels."""
        return self.cell_height * len(self.rows) + (DOTS if self.more[0] else 0.0)

    @property
    def labels_width(self) -> float:
        return max((wide(label, self.size) + 8 for label in self.row_labels), default=0.0)

    @property
    def labels_height(self) -> float:
        return self.size + 8 if any(self.column_labels) else 0.0

    def box(self, x: float, y: float) -> Box:
        """All cells, if the corner of the first one is here."""
        return Box(x, y, self.width, self.height)

    def cell_box(self, x: float, y: float, row: int, column: int) -> Box:
        """One cell, if the corner of the first one is here."""
        return Box(x + self.cell_width * column, y + self.cell_height * row, self.cell_width, self.cell_height)

    def row_box(self, x: float, y: float, row: int) -> Box:
        return Box(x, y + self.cell_height * row, self.cell_width * len(self.rows[0]), self.cell_height)

    def column_box(self, x: float, y: float, column: int) -> Box:
        return Box(x + self.cell_width * column, y, self.cell_width, self.cell_height * len(self.rows))

    def draw(self, x: float, y: float) -> Iterator[str]:
        """Its cells, whose first corner is here, and its labels outside."""
        places = [(row, column) for row, numbers in enumerate(self.rows) for column in range(len(numbers))]
        places.sort(key=lambda place: self.lit is not None and place in self.lit)  # what is lit has its edge on top
        for row, column in places:
            yield self._cell(self.cell_box(x, y, row, column), row, column)
        for row, label in enumerate(self.row_labels):
            at = self.cell_box(x, y, row, 0)
            yield words_at(x - 8, at.center, label, "ink", self.size, text_anchor="end")
        for column, label in enumerate(self.column_labels):
            yield words_at(self.cell_box(x, y, 0, column).middle, y - 6 - self.size * 0.4, label, "ink", self.size)
        inside = self.row_box(x, y, 0).width, self.column_box(x, y, 0).height
        if self.more[1]:
            yield words_at(x + inside[0] + DOTS / 2, y + inside[1] / 2, GAP_SIGN, "faint")
        if self.more[0]:
            yield words_at(x + inside[0] / 2, y + inside[1] + DOTS / 2, "⋮", "faint")

    def _cell(self, box: Box, row: int, column: int) -> str:
        one = self.rows[row][column]
        look, words = self._look(one, (row, column))
        shape = element("rect", **corners(box), **look)
        if not self.with_numbers:
            return pointed_at(one, shape)
        place = box.middle, box.center + self.size * 0.35
        return shape + number(*place, one, str(words["class_"]), self.size, **{"text_anchor": "middle", **words})

    def _look(self, one: Number, place: tuple[int, int]) -> tuple[Attributes, Attributes]:
        """Of a cell, and of its number."""
        if self.scale is not None and not isinstance(one.value, str):
            ground = color(self.scale, float(one.value))
            cell: Attributes = {"class_": "cell", "fill": hexadecimal(ground), "stroke": CELL_EDGE}
            return cell, {"class_": "on-cell", "fill": hexadecimal(text_on(ground))}
        lit = self.lit is None or place in self.lit
        weight = "bold" if lit and self.lit is not None else None
        words: Attributes = {"class_": "ink", "fill": COLORS["ink"], "font_weight": weight}
        return area_look(self.role if lit else ""), words


DOTS = 18.0  # room for the dots after the last row or column
