"""Two axes in monospaced text, and what lies between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.cells import cell_len

from ...document.monospace import Plain
from .axes import Axis
from .text_labels import fit

COLUMNS, ROWS = 60, 14  # of the largest plot
MIN_COLUMNS = 12

Cell: TypeAlias = tuple[int, int]  # row, column
Cells: TypeAlias = dict[Cell, str]  # the sign in each cell


@dataclass(frozen=True)
class PlotSigns:
    """What the frame and the band of a plot are made of."""

    side: str
    tick: str
    corner: str
    bottom: str
    mark: str
    band: str


FINE = PlotSigns("│", "┤", "└", "─", "┬", "░")
COARSE = PlotSigns("|", "+", "+", "-", "+", ".")


def columns_in(up: Axis, width: int, plain: Plain = str) -> int:
    """How many columns there are to the right of the numbers of the vertical axis."""
    return max(min(COLUMNS, width - _margin(up, plain) - 3), MIN_COLUMNS)


def framed(
    across: Axis, up: Axis, cells: Cells, columns: int, fine: bool, plain: Plain = str, below: Sequence[str] = ()
) -> list[str]:
    """The cells between two axes, and lines below them."""
    signs, margin = FINE if fine else COARSE, _margin(up, plain)
    ticks = {row_of(up, tick.value): plain(tick.text) for tick in up.ticks}
    rows = [fit(plain(up.title), margin + 2 + columns, fine)]
    for row in range(ROWS):
        inside = "".join(cells.get((row, column), " ") for column in range(columns))
        rows.append(f"{ticks.get(row, ''):>{margin}} {signs.tick if row in ticks else signs.side}{inside}".rstrip())
    indent = " " * (margin + 1)
    rows += [f"{indent}{row}" for row in _bottom(across, columns, signs, plain)]
    title = fit(plain(across.title), columns, fine)
    return [*rows, f"{indent} {' ' * (columns - cell_len(title))}{title}", *(f"{indent} {line}" for line in below)]


def share_of(axis: Axis, value: float) -> float:
    """How far along the axis a value lies, from 0 to 1."""
    if axis.scale == "log":
        low, high, value = math.log(axis.low), math.log(axis.high), math.log(value)
    else:
        low, high = axis.low, axis.high
    return min(max((value - low) / (high - low), 0.0), 1.0)


def row_of(axis: Axis, value: float) -> int:
    return ROWS - 1 - place_of(axis, value, ROWS)


def place_of(axis: Axis, value: float, count: int) -> int:
    """In which of so many cells a value lies. The first and the last one begin and end with the axis."""
    return min(int(share_of(axis, value) * count), count - 1)


def cells_between(start: Cell, end: Cell) -> list[Cell]:
    """The cells from one to another, with both.

    >>> cells_between((0, 0), (1, 2))
    [(0, 0), (0, 1), (1, 2)]
    """
    down, right = end[0] - start[0], end[1] - start[1]
    length = max(abs(down), abs(right))
    way = [(start[0] + round(down * n / length), start[1] + round(right * n / length)) for n in range(1, length + 1)]
    return [start, *way]


def _margin(up: Axis, plain: Plain) -> int:
    return max(cell_len(plain(tick.text)) for tick in up.ticks)


def _bottom(axis: Axis, columns: int, signs: PlotSigns, plain: Plain) -> Iterator[str]:
    """The lower edge, and as many of the numbers below it as there is room for."""
    edge, below = signs.bottom * columns, ""
    for tick in axis.ticks:
        place, text = place_of(axis, tick.value, columns), plain(tick.text)
        start = min(max(place - (len(text) - 1) // 2, 0), columns - len(text))
        if not below or start > len(below):
            edge = edge[:place] + signs.mark + edge[place + 1 :]
            below = below.ljust(start) + text
    yield signs.corner + edge
    yield f" {below}"
