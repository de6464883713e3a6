"""Heads of attention as SVG: a heatmap for each, with the words that it is about, and what each attends to most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...document.blocks import Figure, Number
from ...document.monospace import shape_text
from .attention_boxes import HeadBox, Heads, strongest_in
from .colors import color, hexadecimal, text_on
from .drawn import Box, arrow_along, arrow_to, corners, number_width, words_at
from .flow_chart import FlowNode
from .grid import Grid
from .matrix_cells import color_key, key_ticks, shades_of
from .svg import CELL_EDGE, COLORS, SIZE, TITLE, Attributes, cut, element, number, pointed_at, sheet, text, wide

WIDTH = 576.0
GAP, ROW_GAP = 20.0, 26.0  # between heads, and between rows of heads
FRAME = 14.0  # from the edge of the frame to the heads
MAX_CELL, MIN_CELL = 52.0, 15.0
NAME, BELOW = 24.0, 22.0  # for the name of a head, and for the line below its matrix
BOX, LEVEL = 46.0, 34.0  # the height of a step, and from a step to the heads
MIN_GAP = 48.0  # from what was joined to its projection
MAX_LABEL_CHARS, MAX_NAME_CHARS = 10, 18
KEY_SHADES, KEY_WIDTH, KEY_HEIGHT = 20, 110.0, 10.0


def heads_in_row(count: int, words: int) -> int:
    """How many heads are side by side: fewer, if there are many words."""
    return min(count, 4 if words <= 4 else 3 if words <= 6 else 2)


class HeadsDrawing:
    """What goes in is above a frame with the heads, and what is made of them is below it."""

    def __init__(self, figure: Figure, heads: Heads) -> None:
        self.figure, self.data = figure, heads
        grids = [box.weights for box in heads.heads]
        words = max(len(grid.rows[0]) for grid in grids)
        self.in_row = heads_in_row(len(grids), words)
        self.rows = [cut(word, MAX_LABEL_CHARS) for word in _words(grids[0], 0)]
        self.columns = [cut(word, MAX_LABEL_CHARS) for word in _words(grids[0], 1)]
        self.margin = max(map(wide, self.rows)) + 8
        self.panel = (WIDTH - 2 * FRAME - GAP * (self.in_row - 1)) / self.in_row
        self.cell = max(MIN_CELL, min(MAX_CELL, (self.panel - self.margin) / words))
        numbers = [one.text for grid in grids for row in grid.rows for one in row]
        self.with_numbers = max(map(number_width, numbers)) <= self.cell
        self.is_turned = max(map(wide, self.columns)) + 4 > self.cell
        self.labels = max(map(wide, self.columns)) + 8 if self.is_turned else 20.0
        self.high = NAME + self.labels + self.cell * len(grids[0].rows) + BELOW + (18 if self._has_two_lines() else 4)
        count = -(-len(grids) // self.in_row)
        self.width = 2 * FRAME + self.in_row * self.panel + (self.in_row - 1) * GAP
        self.inputs = list(self._input_boxes())
        self.top = max((box.bottom for box in self.inputs), default=0.0) + LEVEL
        self.bottom = self.top + 2 * FRAME + count * self.high + (count - 1) * ROW_GAP
        self.key_at = self._key_at()

    def svg(self) -> str:
        parts = [*self._inputs(), *self._frame()]
        for place, box in enumerate(self.data.heads):
            row, column = divmod(place, self.in_row)
            x = FRAME + column * (self.panel + GAP)
            parts += self._head(box, x, self.top + FRAME + row * (self.high + ROW_GAP))
        parts += [*self._below(), *self._key()]
        return sheet(self.figure, parts, self.width, max(self.bottom + LEVEL + BOX, self.key_at + KEY_HEIGHT + 18) + 4)

    def _line_of(self, grid: Grid) -> tuple[str, Number]:
        """Who attends most to whom, and how much."""
        row, column = strongest_in(grid.rows)
        return f"{self.rows[row]} → {self.columns[column]}", grid.rows[row][column]

    def _has_two_lines(self) -> bool:
        """Whether the number of a head has no room beside its words."""
        lines = [self._line_of(box.weights) for box in self.data.heads]
        return any(wide(words) + 8 + wide(one.text) > self.panel for words, one in lines)

    def _input_boxes(self) -> Iterator[Box]:
        """Side by side, and below each other where there are many."""
        x = y = 0.0
        for node in self.data.inputs:
            if x and x + _width(node) > self.width:
                x, y = 0.0, y + BOX + 10
            yield Box(x, y, _width(node), BOX)
            x += _width(node) + 16

    def _inputs(self) -> Iterator[str]:
        """What goes in, and that every head reads it."""
        for node, box in zip(self.data.inputs, self.inputs, strict=True):
            yield from _step(node, box)
        yield from arrow_to(FRAME + 30, self.top - LEVEL + 2, FRAME + 30, self.top - 2)
        one = self.data.heads[0]
        count = len(self.data.heads)
        words = f"Each of the {count} heads gives {shape_text(one.axes, one.shape)}."
        yield text(FRAME + 44, self.top - LEVEL / 2 + 4, words, "faint", SIZE)

    def _frame(self) -> Iterator[str]:
        look: Attributes = {"class_": "paper edge", "fill": COLORS["paper"], "stroke": CELL_EDGE}
        yield element("rect", **corners(Box(0, self.top, self.width, self.bottom - self.top)), rx=10, **look)

    def _head(self, box: HeadBox, x: float, y: float) -> Iterator[str]:
        """A head from here on: its name, its attention weights, and the largest of them."""
        left, top = x + self.margin, y + NAME + self.labels
        yield text(left, y + TITLE * 0.85, cut(box.name, MAX_NAME_CHARS), "ink", TITLE, font_weight="bold")
        for place, word in enumerate(self.columns):
            middle = left + self.cell * (place + 0.5)
            if self.is_turned:
                turn = f"rotate(-90 {middle + 4:.1f} {top - 6:.1f})"
                yield text(middle + 4, top - 6, word, "ink", SIZE, transform=turn)
            else:
                yield words_at(middle, top - 10, word, "ink", SIZE)
        for row, entries in enumerate(box.weights.rows):
            center = top + self.cell * (row + 0.5)
            cells = words_at(left - 8, center, self.rows[row], "ink", SIZE, text_anchor="end")
            for column, one in enumerate(entries):
                cells += self._cell(box.weights, one, left + self.cell * column, top + self.cell * row)
            yield element("g", cells, class_="row")
        yield from self._strongest(box.weights, left, top)

    def _cell(self, grid: Grid, one: Number, x: float, y: float) -> str:
        if isinstance(one.value, str):
            look: Attributes = {"class_": "paper edge", "fill": COLORS["paper"], "stroke": CELL_EDGE}
            return pointed_at(one, element("rect", **corners(Box(x, y, self.cell, self.cell)), **look))
        ground = color(grid.scale, float(one.value))
        look = {"class_": "cell", "fill": hexadecimal(ground), "stroke": CELL_EDGE}
        square = element("rect", **corners(Box(x, y, self.cell, self.cell)), **look)
        if not self.with_numbers:
            return pointed_at(one, square)
        words: Attributes = {"fill": hexadecimal(text_on(ground)), "text_anchor": "middle"}
        return square + number(x + self.cell / 2, y + self.cell / 2 + SIZE * 0.35, one, "on-cell", SIZE, **words)

    def _strongest(self, grid: Grid, x: float, y: float) -> Iterator[str]:
        """A frame around the largest attention weight, and below the matrix who attends to whom."""
        row, column = strongest_in(grid.rows)
        frame = Box(x + self.cell * column, y + self.cell * row, self.cell, self.cell)
        yield element("rect", **corners(frame), class_="ink", fill="none", stroke=COLORS["ink"], stroke_width=2.2)
        (words, one), bottom = self._line_of(grid), y + self.cell * len(grid.rows)
        start = x - self.margin
        yield text(start, bottom + BELOW, words, "ink", SIZE)
        if self._has_two_lines():
            yield number(start, bottom + BELOW + 16, one, "ink", SIZE, font_weight="bold")
        else:
            yield number(start + wide(words) + 8, bottom + BELOW, one, "ink", SIZE, font_weight="bold")

    def _below(self) -> Iterator[str]:
        """What was joined, and what the output projection makes of it."""
        joined, result, weight = self.data.joined, self.data.result, self.data.weight
        box, after = self._boxes_below()
        yield from arrow_to(box.middle, self.bottom + 2, box.middle, box.y - 2)
        yield from _step(joined, box)
        if result is None or after is None:
            return
        yield from arrow_along(((box.right + 2, box.center), (after.x - 2, box.center)))
        if weight is not None:
            x = (box.right + after.x) / 2 - 3
            words = words_at(x, box.center - 12, f"· {weight.name}", "parameter", SIZE)
            yield element("g", words, data_step=weight.step)
        yield from _step(result, after)

    def _boxes_below(self) -> tuple[Box, Box | None]:
        """Of what was joined, and of the result of the output projection."""
        result, weight = self.data.result, self.data.weight
        box = Box(0, self.bottom + LEVEL, _width(self.data.joined), BOX)
        if result is None:
            return box, None
        gap = max(MIN_GAP, wide(f"· {weight.name}") + 20 if weight is not None else 0.0)
        return box, Box(box.right + gap, box.y, _width(result), BOX)

    def _key_at(self) -> float:
        """How far down the colors are explained: beside the last boxes, or below them."""
        right = max(box.right for box in self._boxes_below() if box is not None)
        return self.bottom + LEVEL + (8 if right + 20 <= WIDTH - KEY_WIDTH - 14 else BOX + 14)

    def _key(self) -> Iterator[str]:
        """Which color means what, at the lower right."""
        scale = self.data.heads[0].weights.scale
        x, y = self.width - KEY_WIDTH - 14, self.key_at
        yield from color_key(scale, x, y, shades_of(scale, KEY_SHADES), KEY_WIDTH, KEY_HEIGHT)
        yield from key_ticks(scale, x, y + KEY_HEIGHT + 15, KEY_WIDTH, SIZE)


def _words(grid: Grid, axis: int) -> Sequence[str]:
    """The labels of rows, or of columns; else their places."""
    labels = (grid.row_labels, grid.column_labels)[axis]
    return labels or [str(place) for place in range((len(grid.rows), len(grid.rows[0]))[axis])]


def _width(node: FlowNode) -> float:
    return max(wide(cut(node.name, MAX_NAME_CHARS)), wide(shape_text(node.axes, node.shape))) * 0.95 + 20


def _step(node: FlowNode, box: Box) -> Iterator[str]:
    """A box with the name and the sizes of a step."""
    look, fill = ("leaf", "#eef2f9") if node.leaf else ("paper", COLORS["paper"])
    frame = element("rect", **corners(box), rx=7, stroke=COLORS["ink"], class_=look, fill=fill)
    name = words_at(box.middle, box.y + 15, cut(node.name, MAX_NAME_CHARS), "ink", SIZE, font_weight="bold")
    shape = words_at(box.middle, box.y + 32, shape_text(node.axes, node.shape), "ink", SIZE)
    yield element("g", frame + name + shape, data_step=node.step)
