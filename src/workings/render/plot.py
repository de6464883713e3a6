"""Lines over two axes, in monospaced text.

One line is drawn in braille dots, 2 across and 4 down in each cell. Where the target has none, or several lines must be
told apart, each line has a sign of its own. A grey band shows between which values the numbers of a point lie.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain
from .text_labels import fit

COLUMNS, ROWS = 60, 14  # of the largest plot
FEWEST = 12  # columns of the smallest
BRAILLE = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # the bit of each dot, row by row
MARKS = "*o+x#@%&"  # of several lines

Cells: TypeAlias = dict[tuple[int, int], str]  # (row, column): what stands there


@dataclass(frozen=True)
class _Signs:
    """What the frame and the band are made of."""

    side: str
    tick: str
    corner: str
    bottom: str
    mark: str
    band: str


FINE = _Signs("│", "┤", "└", "─", "┬", "░")
COARSE = _Signs("|", "+", "+", "-", "+", ".")


def plot_rows(data: d.Lines, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    """The rows of a plot that is at most so wide; `fine` says whether the target has the signs for it.

    >>> points = tuple(d.Point(n, 8 / n, 8 / n, 8 / n, n - 1, n - 1) for n in range(1, 9))
    >>> across = d.Axis("step", 1, 8, (d.Tick(1, "1"), d.Tick(8, "8")))
    >>> up = d.Axis("loss", 1, 8, (d.Tick(1, "1"), d.Tick(8, "8")))
    >>> for row in plot_rows(d.Lines(across, up, (d.Line("loss", "loss", points),)), 24, fine=False):
    ...     print(row)
    loss
    8 +*
      |*
      | *
      | *
      | *
      | *
      |  *
      |  *
      |   *
      |    *
      |     **
      |       ***
      |          ***
    1 +             *******
      ++------------------+
       1                  8
                       step
    """
    columns = columns_in(data.up, width, plain)
    cells = {**_bands(data, columns, (FINE if fine else COARSE).band), **_lines(data, columns, fine)}
    rows = framed(data.across, data.up, cells, columns, fine, plain)
    indent = " " * (_margin(data.up, plain) + 1)
    if len(data.lines) > 1:
        rows += [f"{indent} {mark} {plain(line.name)}" for mark, line in _marked(data)]
    return rows


def columns_in(up: d.Axis, width: int, plain: Plain = str) -> int:
    """How many columns there are beside the numbers of the axis that goes up."""
    return max(min(COLUMNS, width - _margin(up, plain) - 3), FEWEST)


def framed(across: d.Axis, up: d.Axis, cells: Cells, columns: int, fine: bool, plain: Plain = str) -> list[str]:
    """What stands in the cells, between two axes."""
    signs, margin = FINE if fine else COARSE, _margin(up, plain)
    ticks = {row_of(up, tick.value): plain(tick.text) for tick in up.ticks}
    rows = [fit(plain(up.title), margin + 2 + columns, fine)]
    for row in range(ROWS):
        inside = "".join(cells.get((row, column), " ") for column in range(columns))
        rows.append(f"{ticks.get(row, ''):>{margin}} {signs.tick if row in ticks else signs.side}{inside}".rstrip())
    indent = " " * (margin + 1)
    rows += [f"{indent}{row}" for row in _bottom(across, columns, signs, plain)]
    title = fit(plain(across.title), columns, fine)
    rows.append(f"{indent} {' ' * (columns - cell_len(title))}{title}")
    return rows


def _margin(up: d.Axis, plain: Plain) -> int:
    return max(cell_len(plain(tick.text)) for tick in up.ticks)


def share_of(axis: d.Axis, value: float) -> float:
    """How far along the axis a value lies, from 0 to 1."""
    if axis.scale == "log":
        low, high, value = math.log(axis.low), math.log(axis.high), math.log(value)
    else:
        low, high = axis.low, axis.high
    return min(max((value - low) / (high - low), 0.0), 1.0)


def row_of(axis: d.Axis, value: float) -> int:
    return ROWS - 1 - place_of(axis, value, ROWS)


def place_of(axis: d.Axis, value: float, count: int) -> int:
    """In which of so many cells a value lies. The first and the last one begin and end with the axis."""
    return min(int(share_of(axis, value) * count), count - 1)


def _marked(data: d.Lines) -> Iterator[tuple[str, d.Line]]:
    for number, line in enumerate(data.lines):
        yield _mark(number), line


def _mark(number: int) -> str:
    return MARKS[number % len(MARKS)]


def _bands(data: d.Lines, columns: int, sign: str) -> Cells:
    """Whatever lies between the lowest and the highest value of a point, where that is more than a row."""
    return {
        (row, place_of(data.across, point.across, columns)): sign
        for line in data.lines
        for point in line.points
        if share_of(data.up, point.high) - share_of(data.up, point.low) > 1 / ROWS
        for row in range(row_of(data.up, point.high), row_of(data.up, point.low) + 1)
    }


def _lines(data: d.Lines, columns: int, fine: bool) -> Cells:
    """The lines themselves. Where several share a cell they take turns, so that none is hidden; the shortest begins."""
    one = data.lines[0]
    if fine and len(data.lines) == 1 and len(one.points) > 1:
        bits: dict[tuple[int, int], int] = {}
        for row, column in _path(data, one, ROWS * 4, columns * 2):
            cell = row // 4, column // 2
            bits[cell] = bits.get(cell, 0) | DOTS[row % 4][column % 2]
        return {cell: chr(BRAILLE + dots) for cell, dots in bits.items()}
    paths = [list(dict.fromkeys(_path(data, line, ROWS, columns))) for line in data.lines]
    crossing: dict[tuple[int, int], list[int]] = {}
    for number in sorted(range(len(paths)), key=lambda one: len(paths[one])):
        for cell in paths[number]:
            crossing.setdefault(cell, []).append(number)
    last_seen: dict[int, int] = {}  # in which column
    cells: Cells = {}
    for cell in sorted(crossing, key=lambda one: one[::-1]):
        line = min(crossing[cell], key=lambda number: last_seen.get(number, -1))
        last_seen[line] = cell[1]
        cells[cell] = _mark(line)
    return cells


def _path(data: d.Lines, line: d.Line, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """The cells (or dots) from point to point, in a grid of so many rows and columns."""
    places = [
        (rows - 1 - place_of(data.up, point.value, rows), place_of(data.across, point.across, columns))
        for point in line.points
    ]
    yield places[0]
    for (row, column), (to_row, to_column) in pairwise(places):
        length = max(abs(to_row - row), abs(to_column - column))
        for n in range(1, length + 1):
            yield row + round((to_row - row) * n / length), column + round((to_column - column) * n / length)


def _bottom(axis: d.Axis, columns: int, signs: _Signs, plain: Plain) -> Iterator[str]:
    """The lower edge, and the numbers below it that have room beside each other."""
    edge, below = signs.bottom * columns, ""
    for tick in axis.ticks:
        place, text = place_of(axis, tick.value, columns), plain(tick.text)
        start = min(max(place - (len(text) - 1) // 2, 0), columns - len(text))
        if not below or start > len(below):
            edge = edge[:place] + signs.mark + edge[place + 1 :]
            below = below.ljust(start) + text
    yield signs.corner + edge
    yield f" {below}"
