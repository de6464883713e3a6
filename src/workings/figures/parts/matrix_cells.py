"""A matrix of cells with its labels, as SVG and in monospaced text; and which color means what."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from rich.cells import cell_len

from ...document.blocks import Figure, Number
from ...document.monospace import Plain, wrapped
from .axes import Axis
from .colors import color, hexadecimal, strength
from .grid import Grid
from .svg import CELL_EDGE, SIZE, SMALL, Attribute, cut, element, sheet, text, wide
from .text_labels import fit, margin_of, padded

HEIGHT = 30.0  # of a cell
MAX_LABEL_CHARS = 18
KEY_WIDTH, KEY_HEIGHT = 160.0, 10.0
SHADES, ASCII_SHADES = " ░▒▓█", " .:+#"
MAX_COLUMN_CHARS = 12  # of a column label in monospaced text

CellText: TypeAlias = Callable[[int, int], str]  # what to write in a row and a column


class MatrixDrawing(ABC):
    """Where everything is: `left` and `top` is the corner of the first cell. What a cell looks like, a page says."""

    def __init__(self, figure: Figure, grid: Grid, cell: float) -> None:
        self.figure, self.grid, self.cell = figure, grid, cell
        columns = [cut(label, MAX_LABEL_CHARS) for label in grid.column_labels]
        names = max((wide(label, SMALL) for label in columns), default=0.0)
        self.slanted = names > self.cell - 4  # column labels that do not fit
        word = 18.0 if grid.columns_are else 0.0
        self.top = word + (names * 0.72 + 12 if self.slanted else 18.0 if columns else 0.0)
        rows = max((wide(cut(label, MAX_LABEL_CHARS), SMALL) for label in grid.row_labels), default=0.0)
        self.left = (18.0 if grid.rows_are else 0.0) + (rows + 10 if rows else 0.0)
        self.width = self.left + self.cell * len(grid.rows[0])
        self.height = self.top + HEIGHT * len(grid.rows)

    @abstractmethod
    def entry(self, x: float, y: float, row: int, column: int) -> str:
        """The cell of an entry, of which this is the upper left corner."""

    def svg(self, below: Sequence[str] = (), room: float = 0.0) -> str:
        """The matrix, and what is drawn below it in so much room."""
        lean = self.cell if self.slanted else 0.0  # of the last label
        parts = [*self._words(), *self._cells(), *below]
        return sheet(self.figure, parts, max(self.width + lean, self.left + KEY_WIDTH + 30), self.height + room)

    def rectangle(self, x: float, y: float, **look: Attribute) -> str:
        return element("rect", x=x, y=y, width=self.cell, height=HEIGHT, stroke=CELL_EDGE, stroke_width=1, **look)

    def _words(self) -> Iterator[str]:
        grid = self.grid
        yield from axis_words(
            grid, self.left + self.cell * len(grid.rows[0]) / 2, self.top + HEIGHT * len(grid.rows) / 2
        )
        for n, label in enumerate(grid.column_labels):
            x, y = self.left + self.cell * (n + 0.5), self.top - 6
            turn = f"rotate(-45 {x:g} {y:g})" if self.slanted else None
            anchor = "start" if self.slanted else "middle"
            yield text(x, y, cut(label, MAX_LABEL_CHARS), "ink", SMALL, text_anchor=anchor, transform=turn)

    def _cells(self) -> Iterator[str]:
        """Row by row, each with its label: a page may highlight it."""
        for row, numbers in enumerate(self.grid.rows):
            y = self.top + HEIGHT * row
            cells = "".join(
                self.entry(self.left + self.cell * column, y, row, column) for column in range(len(numbers))
            )
            yield element("g", self._row_label(row) + cells, class_="row")

    def _row_label(self, row: int) -> str:
        if not self.grid.row_labels:
            return ""
        y = self.top + HEIGHT * (row + 0.5) + SMALL * 0.35
        words = cut(self.grid.row_labels[row], MAX_LABEL_CHARS)
        return text(self.left - 6, y, words, "ink", SMALL, text_anchor="end")


def axis_words(grid: Grid, x: float, y: float) -> Iterator[str]:
    """What the columns are, above the middle of the matrix; and what the rows are, along its left side."""
    if grid.columns_are:
        yield text(x, SIZE, grid.columns_are, "faint", SMALL, text_anchor="middle")
    if grid.rows_are:
        turn = f"rotate(-90 {SIZE:g} {y:g})"
        yield text(SIZE, y, grid.rows_are, "faint", SMALL, text_anchor="middle", transform=turn)


def color_key(
    scale: Axis, x: float, y: float, fills: Sequence[str], width: float = KEY_WIDTH, height: float = KEY_HEIGHT
) -> Iterator[str]:
    """The colors of a scale from its lowest to its highest number, without those numbers."""
    step = width / len(fills)
    for n, fill in enumerate(fills):
        yield element("rect", x=x + n * step, y=y, width=step + 0.3, height=height, class_="cell", fill=fill)


def key_ticks(scale: Axis, x: float, y: float, width: float = KEY_WIDTH, size: float = SMALL) -> Iterator[str]:
    """The numbers below a color key."""
    for tick in scale.ticks:
        fraction = (tick.value - scale.low) / (scale.high - scale.low)
        yield text(x + width * fraction, y, tick.text, "faint", size, text_anchor="middle")


def shades_of(scale: Axis, count: int) -> list[str]:
    """So many colors of a scale, from its lowest number to its highest."""
    values = (scale.low + (scale.high - scale.low) * (n + 0.5) / count for n in range(count))
    return [hexadecimal(color(scale, value)) for value in values]


# -- in monospaced text --------------------------------------------------------------------------------


class MatrixRows:
    """Rows of cells with their labels; the columns of a wide grid come in several parts, one below the other."""

    def __init__(self, grid: Grid, width: int, fine: bool, plain: Plain, widths: list[int], gap: int = 2) -> None:
        self.grid, self.width, self.fine, self.plain = grid, width, fine, plain
        self.widths, self.gap = widths, gap
        self.corner = corner_of(grid, width, fine, plain)
        self.margin = margin_of((*grid.row_labels, self.corner), width, plain)
        self.room = width - self.margin - 2

    def count_parts(self) -> int:
        """How many parts there are, with two columns of space between cells."""
        return len(list(_chunks(self.widths, self.room)))

    def rows(self, cell: CellText) -> Iterator[str]:
        names = [fit(self.plain(label), MAX_COLUMN_CHARS, self.fine) for label in self.grid.column_labels]
        named = all(cell_len(name) <= wide for name, wide in zip(names, self.widths, strict=False))
        parts = list(_chunks(self.widths, self.room, self.gap))
        for first, end in parts:
            columns = range(first, end)
            if len(parts) > 1:
                yield f"{self.plain(self.grid.columns_are)}[{first}..{end - 1}]"
            head = [names[n] if names and named else "" for n in columns]
            if self.corner or any(head):
                yield self._row(self.corner, head, first)
            for row in range(len(self.grid.rows)):
                label = self.grid.row_labels[row] if self.grid.row_labels else ""
                yield self._row(self.plain(label), [cell(row, n) for n in columns], first)
        if names and not named:
            listed = ", ".join(f"{n} {name}" for n, name in enumerate(names))
            yield ""
            yield from wrapped(listed, self.width)

    def _row(self, label: str, cells: Sequence[str], first: int = 0) -> str:
        filled = (" " * (self.widths[first + n] - cell_len(cell)) + cell for n, cell in enumerate(cells))
        return (padded(label, self.margin, self.fine) + "  " + (" " * self.gap).join(filled)).rstrip()


def corner_of(grid: Grid, width: int, fine: bool, plain: Plain) -> str:
    r"""What the rows and columns are: query \ key."""
    axes = [plain(axis) for axis in (grid.rows_are, grid.columns_are) if axis]
    return fit(" \\ ".join(axes), max(width // 3, 8), fine)


def shade(scale: Axis, number: Number, signs: str) -> str:
    """The darker, the further from 0; -∞ has none."""
    if isinstance(number.value, str):
        return signs[0]
    return signs[math.ceil(abs(strength(scale, number.value)) * (len(signs) - 1))]


def _chunks(widths: list[int], room: int, gap: int = 2) -> Iterator[tuple[int, int]]:
    """Which columns have room in one row."""
    first, used = 0, 0
    for n, width in enumerate(widths):
        if n > first and used + width > room:
            yield first, n
            first, used = n, 0
        used += width + gap
    yield first, len(widths)
