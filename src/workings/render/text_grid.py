"""Heatmaps and masks in monospaced text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from rich.cells import cell_len

from ..explain import document as d
from ..explain.numbers import aligned
from .colours import strength
from .lines import Plain, wrapped
from .text_labels import fit, margin_of, padded
from .text_whole import whole_rows

SHADES, ASCII_SHADES = " ░▒▓█", " .:+#"
SEEN, ASCII_SEEN = "■·", "#."
WIDEST = 12  # signs of a column label
FEW = 2  # so many parts of a wide heatmap are still drawn one below the other with their numbers

Cell: TypeAlias = Callable[[int, int], str]  # what stands in a row and a column


def heatmap_rows(grid: d.Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    """The numbers, each behind a shade; where that is too wide, the shades alone."""
    if grid.column_ticks:
        return whole_rows(grid, width, fine, plain)
    signs = SHADES if fine else ASCII_SHADES
    columns = [aligned([plain(number.text) for number in column]) for column in zip(*grid.rows, strict=True)]
    shades = [[shade(grid.scale, number, signs) for number in row] for row in grid.rows]
    widths = [3 + max(map(len, column)) for column in columns]
    labels = [fit(plain(label), WIDEST, fine) for label in grid.column_labels]
    widths = [max(wide, cell_len(label)) for wide, label in zip(widths, labels or [""] * len(widths), strict=True)]
    body = _Body(grid, width, fine, plain, widths)
    if len(list(_chunks(widths, body.room))) <= FEW:
        rows = body.rows(lambda row, column: f"{shades[row][column] * 2} {columns[column][row]}")
    else:
        wide = 2 if 2 * len(widths) <= body.room else 1
        body = _Body(grid, width, fine, plain, [wide] * len(widths), gap=0)
        rows = body.rows(lambda row, column: shades[row][column] * wide)
    return [*rows, "", *_key(grid.scale, signs, plain)]


def mask_rows(grid: d.Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""A square where a row may look at a column, and a dot where it may not.

    >>> one = d.Number("1", 1, "1", ())
    >>> axis = d.Axis("", 0, 1, (d.Tick(0, "0"), d.Tick(1, "1")))
    >>> seen = ((True, False), (True, True))
    >>> grid = d.Grid("1", "query", "key", ("The", "cat"), ("The", "cat"), ((one, one),) * 2, axis, seen)
    >>> print("\n".join(mask_rows(grid, 40)))
    query \ key  The  cat
    The            ■    ·
    cat            ■    ■
    """
    signs = SEEN if fine else ASCII_SEEN
    labels = [cell_len(fit(plain(label), WIDEST, fine)) for label in grid.column_labels] or [1] * len(grid.seen[0])
    body = _Body(grid, width, fine, plain, labels)
    if not grid.column_labels or len(list(_chunks(labels, body.room))) > 1:
        body = _Body(grid, width, fine, plain, [1] * len(labels), gap=1)
    return list(body.rows(lambda row, column: signs[0] if grid.seen[row][column] else signs[1]))


class _Body:
    """Rows of cells with their labels; of a wide grid, some columns after the other."""

    def __init__(self, grid: d.Grid, width: int, fine: bool, plain: Plain, widths: list[int], gap: int = 2) -> None:
        self.grid, self.width, self.fine, self.plain = grid, width, fine, plain
        self.widths, self.gap = widths, gap
        axes = [plain(axis) for axis in (grid.rows_are, grid.columns_are) if axis]
        self.corner = fit(" \\ ".join(axes), max(width // 3, 8), fine)
        self.margin = margin_of((*grid.row_labels, self.corner), width, plain)
        self.room = width - self.margin - 2

    def rows(self, cell: Cell) -> Iterator[str]:
        names = [fit(self.plain(label), WIDEST, self.fine) for label in self.grid.column_labels]
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


def _chunks(widths: list[int], room: int, gap: int = 2) -> Iterator[tuple[int, int]]:
    """Which columns fit beside each other."""
    first, used = 0, 0
    for n, width in enumerate(widths):
        if n > first and used + width > room:
            yield first, n
            first, used = n, 0
        used += width + gap
    yield first, len(widths)


def shade(scale: d.Axis, number: d.Number, signs: str) -> str:
    """The darker, the further from 0; -∞ has none."""
    if isinstance(number.value, str):
        return signs[0]
    return signs[math.ceil(abs(strength(scale, number.value)) * (len(signs) - 1))]


def _key(scale: d.Axis, signs: str, plain: Plain) -> Iterator[str]:
    """Which shade means what."""
    ticks = [plain(tick.text) for tick in scale.ticks]
    dark = signs[1:]
    ramps = [dark] if len(ticks) == 2 else [dark[::-1], dark]
    yield " ".join(chain.from_iterable(zip(ticks, [*ramps, ""], strict=False))).rstrip()
