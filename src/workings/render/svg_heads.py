"""Several heads as SVG: what goes in at the top, the heads beside each other, and below what is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from ..explain import document as d
from .colours import colour, hexadecimal
from .drawing import COLOURS, SIZE, SMALL, cut, element, sheet, text, wide
from .lines import shape_text

TINY = 8.5  # size of what stands in a head
NARROWEST, GAP = 62.0, 10.0  # head, and to the next one
PICTURE = 48.0  # of the weights
LEVEL = 44.0  # from box to box
BOX = 40.0  # height of a step
APART, BESIDE = 24.0, 34.0  # between inputs, and from the result to its weight
LONGEST = 14  # signs of a name
SHADES, KEY_WIDTH, KEY_HEIGHT = 20, 90.0, 8.0


def heads_svg(figure: d.Figure, heads: d.Heads) -> str:
    return _Sheet(figure, heads).svg()


class _Sheet:
    """`top` and `bottom` are where the heads begin and end; everything else stands in the middle of them."""

    def __init__(self, figure: d.Figure, heads: d.Heads) -> None:
        self.figure, self.data = figure, heads
        lines = [line for box in heads.heads for line in (*_sizes(box), cut(box.name, LONGEST))]
        self.box = max(NARROWEST, *(wide(line, TINY) + 10 for line in lines))
        count = len(heads.heads)
        self.width = max(count * (self.box + GAP) - GAP, self._widest())
        self.middle = self.width / 2
        self.top = BOX + LEVEL
        self.bottom = self.top + 18 + PICTURE + 12 * max(len(_sizes(box)) for box in heads.heads) + 8

    def _widest(self) -> float:
        """How wide it must be without the heads: a weight stands at the right of the result, which is in the middle."""
        result, weight = self.data.result, self.data.weight
        inputs = len(self.data.inputs) * (max(map(_width, self.data.inputs), default=0.0) + APART)
        right = _width(result) / 2 if result is not None else 0.0
        right += BESIDE + _width(weight) if weight is not None else 0.0
        return max(inputs, _width(self.data.joined), 2 * right)

    def svg(self) -> str:
        parts = [*self._inputs(), *self._heads(), *self._below(), *self._key()]
        levels = 2 if self.data.result is not None else 1
        return sheet(self.figure, parts, self.width, self.bottom + levels * (LEVEL + BOX) + 26)

    def _centre(self, place: int) -> float:
        count = len(self.data.heads)
        first = (self.width - (count * (self.box + GAP) - GAP)) / 2
        return first + place * (self.box + GAP) + self.box / 2

    def _inputs(self) -> Iterator[str]:
        """What goes in, side by side; each leads to every head."""
        nodes = self.data.inputs
        room = max((_width(node) for node in nodes), default=0.0) + APART
        for place, node in enumerate(nodes):
            x = self.middle + (place - (len(nodes) - 1) / 2) * room
            for head in range(len(self.data.heads)):
                yield from _way(x, BOX, self._centre(head), self.top)
            yield from _step(node, x, 0.0)

    def _heads(self) -> Iterator[str]:
        for place, box in enumerate(self.data.heads):
            x = self._centre(place)
            frame = {"class_": "paper", "fill": COLOURS["paper"], "stroke": COLOURS["ink"], "rx": 6}
            corner = {"x": x - self.box / 2, "y": self.top, "width": self.box, "height": self.bottom - self.top}
            yield element("rect", **corner, **frame)
            name = cut(box.name, LONGEST)
            yield text(x, self.top + 13, name, size=SMALL, text_anchor="middle", font_weight="bold")
            yield from self._weights(box.weights, x, self.top + 18)
            for line, words in enumerate(_sizes(box)):
                y = self.top + 18 + PICTURE + 12 * (line + 1)
                yield text(x, y, words, "faint", TINY, text_anchor="middle")
            yield from _way(x, self.bottom, self._joined_at(place + 0.5), self.bottom + LEVEL)

    def _weights(self, grid: d.Grid, x: float, y: float) -> Iterator[str]:
        """Each weight as a small square; the number itself is said when somebody points at it."""
        rows, columns = len(grid.rows), len(grid.rows[0])
        side = min(PICTURE / rows, PICTURE / columns, 20.0)
        for row, numbers in enumerate(grid.rows):
            for column, one in enumerate(numbers):
                is_number = not isinstance(one.value, str)
                fill = hexadecimal(colour(grid.scale, float(one.value))) if is_number else COLOURS["paper"]
                place = {"x": x + (column - columns / 2) * side, "y": y + PICTURE / 2 + (row - rows / 2) * side}
                look = {"class_": "cell" if is_number else "paper", "fill": fill, "stroke": "#c9ccd3"}
                square = element("rect", **place, width=side, height=side, stroke_width=0.6, **look)
                index = ",".join(map(str, one.index))
                yield element("g", element("title", escape(one.text)) + square, data_step=one.step, data_index=index)

    def _joined_at(self, place: float) -> float:
        """Where the part of a head lies in what was joined."""
        room = _width(self.data.joined)
        return self.middle - room / 2 + room * place / len(self.data.heads)

    def _below(self) -> Iterator[str]:
        """What was joined, with a mark for each head, and what its weight makes of it."""
        y = self.bottom + LEVEL
        yield from _step(self.data.joined, self.middle, y)
        for place in range(1, len(self.data.heads)):
            x = self._joined_at(place)
            line = {"class_": "ink", "stroke": COLOURS["ink"]}
            yield element("line", x1=x, y1=y, x2=x, y2=y + 4, **line)
        result, weight = self.data.result, self.data.weight
        if result is None:
            return
        below = y + BOX + LEVEL
        yield from _way(self.middle, y + BOX, self.middle, below)
        yield from _step(result, self.middle, below)
        if weight is not None:
            x = self.middle + _width(result) / 2 + BESIDE + _width(weight) / 2
            yield from _step(weight, x, below)
            start, end = x - _width(weight) / 2, self.middle + _width(result) / 2
            yield element("line", x1=start, y1=below + BOX / 2, x2=end + 6, y2=below + BOX / 2, **_line())
            yield element("path", d=f"M{end:.1f},{below + BOX / 2:.1f}l7,-4v8z", **_fill())

    def _key(self) -> Iterator[str]:
        """Which colour means what."""
        scale, levels = self.data.heads[0].weights.scale, 2 if self.data.result is not None else 1
        x, y = self.middle - KEY_WIDTH / 2, self.bottom + levels * (LEVEL + BOX) + 6
        for n in range(SHADES):
            value = scale.low + (scale.high - scale.low) * (n + 0.5) / SHADES
            place = {"x": x + n * KEY_WIDTH / SHADES, "y": y, "width": KEY_WIDTH / SHADES + 0.3, "height": KEY_HEIGHT}
            yield element("rect", **place, class_="cell", fill=hexadecimal(colour(scale, value)))
        for tick in scale.ticks:
            share = (tick.value - scale.low) / (scale.high - scale.low)
            yield text(x + KEY_WIDTH * share, y + KEY_HEIGHT + 10, tick.text, "faint", TINY, text_anchor="middle")


def _sizes(box: d.HeadBox) -> list[str]:
    """The sizes of a head, one in each line."""
    return [f"{axis} {size}".strip() for axis, size in zip(box.axes, box.shape, strict=True)]


def _width(node: d.FlowNode) -> float:
    return max(wide(cut(node.name, LONGEST)), wide(shape_text(node.axes, node.shape), SMALL)) + 16


def _step(node: d.FlowNode, x: float, y: float) -> Iterator[str]:
    """A box with the name and the sizes of a step."""
    look = {"class_": "leaf" if node.leaf else "paper", "fill": "#eef2f9" if node.leaf else COLOURS["paper"]}
    frame = {"x": x - _width(node) / 2, "y": y, "width": _width(node), "height": BOX, "rx": 6}
    yield element("rect", **frame, stroke=COLOURS["ink"], **look)
    yield text(x, y + 16, cut(node.name, LONGEST), size=SIZE, text_anchor="middle", font_weight="bold")
    yield text(x, y + 32, shape_text(node.axes, node.shape), size=SMALL, text_anchor="middle")


def _way(x: float, y: float, to_x: float, to_y: float) -> Iterator[str]:
    """An arrow down to the next level."""
    middle = (y + to_y) / 2
    path = f"M{x:.1f},{y:.1f}C{x:.1f},{middle:.1f} {to_x:.1f},{middle:.1f} {to_x:.1f},{to_y - 6:.1f}"
    yield element("path", d=path, fill="none", **_line())
    yield element("path", d=f"M{to_x:.1f},{to_y:.1f}l-4,-7h8z", **_fill())


def _line() -> dict[str, object]:
    return {"class_": "faint", "stroke": COLOURS["faint"], "stroke_width": 1.1}


def _fill() -> dict[str, object]:
    return {"class_": "faint", "fill": COLOURS["faint"]}
