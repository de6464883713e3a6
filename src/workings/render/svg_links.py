"""Lines between words as SVG: the thicker and the stronger, the larger the entry."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from ..explain import document as d
from ..explain.largest import largest_of
from .colours import strength
from .drawing import COLOURS, SIZE, SMALL, cut, element, number, sheet, text, wide

ROW = 34.0  # from word to word
BETWEEN = 240.0  # the two sides
LONGEST = 20  # signs of a label
THINNEST, THICKEST = 0.7, 9.0
FAINTEST = 0.3  # how much of its colour the weakest line has
DOT = 3.0


def links_svg(figure: d.Figure, grid: d.Grid) -> str:
    """Rows at the left, columns at the right. Beside a row stand the end and the number of its strongest line."""
    return _Sheet(figure, grid).svg()


class _Sheet:
    """`start` and `end` are where the lines begin and end; the shorter side stands in the middle of the longer one."""

    def __init__(self, figure: d.Figure, grid: d.Grid) -> None:
        self.figure, self.grid = figure, grid
        self.left = [cut(label, LONGEST) for label in grid.row_labels]
        self.right = [cut(label, LONGEST) for label in grid.column_labels]
        self.strongest = [_strongest(row) for row in grid.rows]
        found = [place for place in self.strongest if place is not None]
        self.numbers = max((wide(one.text, SMALL) for _, one in found), default=0.0)
        ends = max((wide(self.right[place], SMALL) for place, _ in found), default=0.0)
        self.words = max(*map(wide, self.left), wide(grid.rows_are, SMALL))
        self.start = self.words + 14 + ends + 4 + self.numbers + 10
        self.end = self.start + BETWEEN
        self.height = ROW * max(len(self.left), len(self.right)) + 22

    def svg(self) -> str:
        width = self.end + 10 + max(*map(wide, self.right), wide(self.grid.columns_are, SMALL))
        return sheet(self.figure, [*self._lines(), *self._words()], width, self.height)

    def _y(self, place: int, count: int) -> float:
        return 22 + (self.height - 22 - ROW * count) / 2 + ROW * (place + 0.5)

    def _words(self) -> Iterator[str]:
        if self.grid.rows_are:
            yield text(self.words, SMALL, self.grid.rows_are, "faint", SMALL, text_anchor="end")
        if self.grid.columns_are:
            yield text(self.end + 10, SMALL, self.grid.columns_are, "faint", SMALL)
        for place, (label, strongest) in enumerate(zip(self.left, self.strongest, strict=True)):
            y = self._y(place, len(self.left))
            yield text(self.words, y + SIZE * 0.35, label, text_anchor="end")
            if strongest is not None:
                yield from self._strongest(*strongest, y + SMALL * 0.35)
            yield self._dot(self.start, y)
        for place, label in enumerate(self.right):
            y = self._y(place, len(self.right))
            yield self._dot(self.end, y)
            yield text(self.end + 10, y + SIZE * 0.35, label)

    def _strongest(self, place: int, one: d.Number, y: float) -> Iterator[str]:
        x = self.start - 10
        yield number(x, y, one, look="ink", size=SMALL, text_anchor="end")
        yield text(x - self.numbers - 4, y, self.right[place], "faint", SMALL, text_anchor="end")

    def _dot(self, x: float, y: float) -> str:
        return element("circle", cx=x, cy=y, r=DOT, class_="ink", fill=COLOURS["ink"])

    def _lines(self) -> Iterator[str]:
        """The strongest last, so that no weak one lies over it."""
        found = [
            (strength(self.grid.scale, one.value), one, row, column)
            for row, numbers in enumerate(self.grid.rows)
            for column, one in enumerate(numbers)
            if not isinstance(one.value, str)
        ]
        for share, one, row, column in sorted(found, key=lambda line: abs(line[0])):
            if share:
                yield self._line(share, one, self._y(row, len(self.left)), self._y(column, len(self.right)))

    def _line(self, share: float, one: d.Number, y: float, to_y: float) -> str:
        size = abs(share)
        middle = (self.start + self.end) / 2
        path = element(
            "path",
            d=f"M{self.start:.1f},{y:.1f}C{middle:.1f},{y:.1f} {middle:.1f},{to_y:.1f} {self.end:.1f},{to_y:.1f}",
            fill="none",
            class_="accent",
            stroke=COLOURS["accent"],
            stroke_width=THINNEST + (THICKEST - THINNEST) * size,
            stroke_opacity=FAINTEST + (1 - FAINTEST) * size,
            stroke_dasharray="7 4" if share < 0 else None,
        )
        index = ",".join(map(str, one.index))
        return element("g", element("title", escape(one.text)) + path, data_step=one.step, data_index=index)


def _strongest(row: tuple[d.Number, ...]) -> tuple[int, d.Number] | None:
    """The largest number of a row, and its place there."""
    place = largest_of(row)
    return None if place is None else (place, row[place])
