"""Heatmaps and masks as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from ..explain import document as d
from .colours import colour, hexadecimal, text_on
from .drawing import COLOURS, SIZE, SMALL, cut, element, number, sheet, text, wide
from .svg_whole import whole_svg

HEIGHT = 30.0  # of a cell
LONGEST = 18  # signs of a label
SHADES = 40  # in the scale below a heatmap
KEY_WIDTH, KEY_HEIGHT = 160.0, 10.0


def grid_svg(figure: d.Figure, grid: d.Grid) -> str:
    """The matrix with its labels; below a heatmap, which colour means what."""
    return whole_svg(figure, grid) if grid.column_ticks else _Sheet(figure, grid).svg()


class _Sheet:
    """Where everything stands: `left` and `top` is the corner of the first cell."""

    def __init__(self, figure: d.Figure, grid: d.Grid) -> None:
        self.figure, self.grid = figure, grid
        longest = max(wide(one.text, SMALL) for row in grid.rows for one in row)
        columns = [cut(label, LONGEST) for label in grid.column_labels]
        names = max((wide(label, SMALL) for label in columns), default=0.0)
        self.cell = HEIGHT if grid.seen else max(HEIGHT * 1.4, longest + 12)
        self.turned = names > self.cell - 4  # column labels that do not fit stand aslant
        word = 18.0 if grid.columns_are else 0.0
        self.top = word + (names * 0.72 + 12 if self.turned else 18.0 if columns else 0.0)
        rows = max((wide(cut(label, LONGEST), SMALL) for label in grid.row_labels), default=0.0)
        self.left = (18.0 if grid.rows_are else 0.0) + (rows + 10 if rows else 0.0)
        self.width = self.left + self.cell * len(grid.rows[0])
        self.height = self.top + HEIGHT * len(grid.rows)

    def svg(self) -> str:
        key = [] if self.grid.seen else list(self._key())
        room = 34.0 if key else 0.0
        lean = self.cell if self.turned else 0.0  # of the last label
        parts = [*self._words(), *self._cells(), *key]
        return sheet(self.figure, parts, max(self.width + lean, self.left + KEY_WIDTH + 30), self.height + room)

    def _words(self) -> Iterator[str]:
        grid = self.grid
        middle = self.left + self.cell * len(grid.rows[0]) / 2
        if grid.columns_are:
            yield text(middle, SIZE, grid.columns_are, "faint", SMALL, text_anchor="middle")
        if grid.rows_are:
            place = SIZE, self.top + HEIGHT * len(grid.rows) / 2
            turn = f"rotate(-90 {place[0]:g} {place[1]:g})"
            yield text(*place, grid.rows_are, "faint", SMALL, text_anchor="middle", transform=turn)
        for n, label in enumerate(grid.row_labels):
            y = self.top + HEIGHT * (n + 0.5) + SMALL * 0.35
            yield text(self.left - 6, y, cut(label, LONGEST), size=SMALL, text_anchor="end")
        for n, label in enumerate(grid.column_labels):
            x, y = self.left + self.cell * (n + 0.5), self.top - 6
            turn = f"rotate(-45 {x:g} {y:g})" if self.turned else None
            anchor = "start" if self.turned else "middle"
            yield text(x, y, cut(label, LONGEST), size=SMALL, text_anchor=anchor, transform=turn)

    def _cells(self) -> Iterator[str]:
        for row, numbers in enumerate(self.grid.rows):
            for column, one in enumerate(numbers):
                x, y = self.left + self.cell * column, self.top + HEIGHT * row
                yield self._seen(x, y, one, self.grid.seen[row][column]) if self.grid.seen else self._heat(x, y, one)

    def _heat(self, x: float, y: float, one: d.Number) -> str:
        if isinstance(one.value, str):  # -∞ has no colour
            return self._cell(x, y, class_="paper", fill=COLOURS["paper"]) + self._number(x, y, one, "faint")
        ground = colour(self.grid.scale, one.value)
        look, fill = "on-cell", hexadecimal(text_on(ground))
        cell = self._cell(x, y, class_="cell", fill=hexadecimal(ground))
        return cell + self._number(x, y, one, look, fill=fill)

    def _seen(self, x: float, y: float, one: d.Number, seen: bool) -> str:
        """A cell of a mask; the entry itself is said when somebody points at it."""
        cell = self._cell(x, y, class_="accent", fill=COLOURS["accent"]) if seen else self._hidden(x, y)
        index = ",".join(map(str, one.index))
        return element("g", element("title", escape(one.text)) + cell, data_step=one.step, data_index=index)

    def _hidden(self, x: float, y: float) -> str:
        line = {"class_": "faint", "stroke": "#c4c4c4", "stroke_width": 1}
        slash = element("line", x1=x + 6, y1=y + HEIGHT - 6, x2=x + self.cell - 6, y2=y + 6, **line)
        return self._cell(x, y, class_="paper", fill=COLOURS["paper"]) + slash

    def _cell(self, x: float, y: float, **look: object) -> str:
        return element("rect", x=x, y=y, width=self.cell, height=HEIGHT, stroke="#c9ccd3", stroke_width=1, **look)

    def _number(self, x: float, y: float, one: d.Number, look: str, **more: object) -> str:
        place = x + self.cell / 2, y + HEIGHT / 2 + SMALL * 0.35
        return number(*place, one, look=look, size=SMALL, text_anchor="middle", **more)

    def _key(self) -> Iterator[str]:
        """The colours of the scale from its lowest to its highest number."""
        scale, y, step = self.grid.scale, self.height + 12, KEY_WIDTH / SHADES
        for n in range(SHADES):
            value = scale.low + (scale.high - scale.low) * (n + 0.5) / SHADES
            fill = hexadecimal(colour(scale, value))
            x = self.left + n * step
            yield element("rect", x=x, y=y, width=step + 0.3, height=KEY_HEIGHT, class_="cell", fill=fill)
        for tick in scale.ticks:
            x = self.left + KEY_WIDTH * (tick.value - scale.low) / (scale.high - scale.low)
            yield text(x, y + KEY_HEIGHT + 11, tick.text, "faint", SMALL, text_anchor="middle")
