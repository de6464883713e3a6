"""Windows of a mask as SVG: a row of boxes for each position, filled where it may look."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from ..explain import document as d
from .drawing import COLOURS, SIZE, SMALL, cut, element, sheet, text, wide

HEIGHT, GAP = 26.0, 8.0  # of a box, and to the next row
NARROWEST = 40.0  # box
LONGEST, LONGEST_BOX = 18, 11  # signs of a label, and of one in a box
TOP = 20.0  # for the words of the axes


def windows_svg(figure: d.Figure, grid: d.Grid) -> str:
    """In a box that is seen stands its word; one that is not is empty, with a broken edge."""
    return _Sheet(figure, grid).svg()


class _Sheet:
    def __init__(self, figure: d.Figure, grid: d.Grid) -> None:
        self.figure, self.grid = figure, grid
        self.rows = [cut(label, LONGEST) for label in grid.row_labels]
        self.columns = [cut(label, LONGEST_BOX) for label in grid.column_labels]
        self.left = max(*(wide(label) for label in self.rows), wide(grid.rows_are, SMALL)) + 14
        self.box = max(NARROWEST, *(wide(label, SMALL) + 12 for label in self.columns))

    def svg(self) -> str:
        width = self.left + self.box * len(self.columns)
        return sheet(self.figure, [*self._axes(), *self._boxes()], width, TOP + (HEIGHT + GAP) * len(self.rows))

    def _axes(self) -> Iterator[str]:
        if self.grid.rows_are:
            yield text(self.left - 14, SMALL, self.grid.rows_are, "faint", SMALL, text_anchor="end")
        if self.grid.columns_are:
            yield text(self.left, SMALL, self.grid.columns_are, "faint", SMALL)

    def _boxes(self) -> Iterator[str]:
        for row, label in enumerate(self.rows):
            y = TOP + (HEIGHT + GAP) * row
            yield text(self.left - 14, y + HEIGHT / 2 + SIZE * 0.35, label, text_anchor="end")
            for column, one in enumerate(self.grid.rows[row]):
                x = self.left + self.box * column
                box = self._box(x, y, self.columns[column], self.grid.seen[row][column])
                index = ",".join(map(str, one.index))
                yield element("g", element("title", escape(one.text)) + box, data_step=one.step, data_index=index)

    def _box(self, x: float, y: float, word: str, is_seen: bool) -> str:
        place = {"x": x, "y": y, "width": self.box - 4, "height": HEIGHT, "rx": 4}
        if not is_seen:
            look = {"class_": "paper", "fill": COLOURS["paper"], "stroke": "#9a9a9a", "stroke_dasharray": "3 3"}
            return element("rect", **place, **look)
        frame = element("rect", **place, class_="accent", fill=COLOURS["accent"])
        middle = x + (self.box - 4) / 2, y + HEIGHT / 2 + SMALL * 0.35
        return frame + text(*middle, word, "paper", SMALL, text_anchor="middle")
