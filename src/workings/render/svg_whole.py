"""Heatmaps without numbers as SVG: every entry of a large matrix as a small square, and a few places named."""

from __future__ import annotations

from collections.abc import Iterator

from ..explain import document as d
from .colours import hexadecimal, rising
from .drawing import SIZE, SMALL, cut, element, sheet, text, wide

ROOM = 640.0  # so wide a matrix may be
SMALLEST, LARGEST = 5.0, 14.0  # of a square
SHADES = 32  # squares of one shade are one path, so that a page stays small
LONGEST = 12  # signs of a label
KEY_WIDTH, KEY_HEIGHT = 160.0, 10.0


def whole_svg(figure: d.Figure, grid: d.Grid) -> str:
    """The squares with ticks above and at the left; below them, which colour means what."""
    return _Sheet(figure, grid).svg()


class _Sheet:
    def __init__(self, figure: d.Figure, grid: d.Grid) -> None:
        self.figure, self.grid = figure, grid
        columns = len(grid.rows[0])
        self.square = min(max(ROOM / columns, SMALLEST), LARGEST)
        labels = max((wide(cut(tick.text, LONGEST), SMALL) for tick in grid.row_ticks), default=0.0)
        self.left = (18.0 if grid.rows_are else 0.0) + labels + 8
        self.top = (18.0 if grid.columns_are else 0.0) + 16
        self.width = self.left + self.square * columns
        self.height = self.top + self.square * len(grid.rows)

    def svg(self) -> str:
        parts = [*self._words(), *self._squares(), *self._key()]
        return sheet(self.figure, parts, max(self.width, self.left + KEY_WIDTH) + 24, self.height + 34)

    def _words(self) -> Iterator[str]:
        grid = self.grid
        if grid.columns_are:
            middle = (self.left + self.width) / 2
            yield text(middle, SIZE, grid.columns_are, "faint", SMALL, text_anchor="middle")
        if grid.rows_are:
            place = SIZE, (self.top + self.height) / 2
            turn = f"rotate(-90 {place[0]:g} {place[1]:g})"
            yield text(*place, grid.rows_are, "faint", SMALL, text_anchor="middle", transform=turn)
        for tick in grid.row_ticks:
            y = self.top + self.square * (tick.value + 0.5) + SMALL * 0.35
            yield text(self.left - 5, y, cut(tick.text, LONGEST), size=SMALL, text_anchor="end")
        room = int(ROOM / max(len(grid.column_ticks), 1) / (SMALL * 0.6))
        for tick in grid.column_ticks:
            x = self.left + self.square * (tick.value + 0.5)
            yield text(x, self.top - 5, cut(tick.text, max(room, 3)), size=SMALL, text_anchor="middle")

    def _squares(self) -> Iterator[str]:
        shades: dict[int, list[str]] = {}
        for row, numbers in enumerate(self.grid.rows):
            for column, one in enumerate(numbers):
                if not isinstance(one.value, str):  # -∞ has no colour
                    x, y = self.left + self.square * column, self.top + self.square * row
                    part = f"M{x:.1f},{y:.1f}h{self.square:.1f}v{self.square:.1f}h-{self.square:.1f}z"
                    shades.setdefault(self._shade(one.value), []).append(part)
        for shade, parts in sorted(shades.items()):
            yield element("path", d="".join(parts), class_="cell", fill=self._fill(shade))
        sides = {"width": self.width - self.left, "height": self.height - self.top}
        yield element("rect", x=self.left, y=self.top, **sides, fill="none", class_="faint", stroke="#9aa6bd")

    def _shade(self, value: float) -> int:
        scale = self.grid.scale
        return round((value - scale.low) / (scale.high - scale.low) * SHADES)

    def _fill(self, shade: int) -> str:
        scale = self.grid.scale
        return hexadecimal(rising(scale, scale.low + (scale.high - scale.low) * shade / SHADES))

    def _key(self) -> Iterator[str]:
        scale, y, step = self.grid.scale, self.height + 12, KEY_WIDTH / (SHADES + 1)
        for shade in range(SHADES + 1):
            x = self.left + shade * step
            yield element("rect", x=x, y=y, width=step + 0.3, height=KEY_HEIGHT, class_="cell", fill=self._fill(shade))
        for tick in scale.ticks:
            x = self.left + KEY_WIDTH * (tick.value - scale.low) / (scale.high - scale.low)
            yield text(x, y + KEY_HEIGHT + 11, tick.text, "faint", SMALL, text_anchor="middle")
