"""The entries of a matrix as data, and the scale on which they are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

from ...document.blocks import FigureData, Number
from ...document.numbers import Style, write
from .axes import LARGEST, Axis, Tick, round_above
from .matrix_window import MatrixWindow, nothing_to_draw

MAX_TICKS = 8


@dataclass(frozen=True)
class Grid(FigureData):
    """The forms `heatmap`, `mask`, `links` and `windows`: the entries of a matrix as a picture, on a scale from its
    lowest to its highest. In a mask, `seen` says for each entry whether the query of its row attends to the key of its
    column; the entry itself may be a score, or -∞. `rows_are` and `columns_are` are axis words; a heatmap and a mask
    have labels only where they were given. Where there are too many entries for their numbers, a few ticks say which
    place is where.
    """

    step: str
    rows_are: str
    columns_are: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    rows: tuple[tuple[Number, ...], ...]
    scale: Axis
    seen: tuple[tuple[bool, ...], ...] = ()
    row_ticks: tuple[Tick, ...] = ()
    column_ticks: tuple[Tick, ...] = ()


def grid_of(window: MatrixWindow, scale: Axis, seen: tuple[tuple[bool, ...], ...] = (), named: bool = False) -> Grid:
    """With `named`, each place has a name even where no label was given."""
    rows_are, columns_are = window.axes
    labels = (window.row_names, window.column_names) if named else (window.row_labels, window.column_labels)
    return Grid(window.step.id, rows_are, columns_are, *labels, window.rows, scale, seen)


def scale_of(window: MatrixWindow) -> Axis:
    """From 0 to a round number, or as far below 0 as above where there are negative entries: 0 has no color."""
    values = window.finite()
    if not values:
        raise nothing_to_draw(window.step)
    most = max(map(abs, values))
    high = float(round_above(most)) if most > 1 / LARGEST else 1.0
    low = -high if min(values) < 0 else 0.0
    style = Style(digits=1, point=window.style.point)
    return Axis("", low, high, tuple(Tick(value, write(value, style)) for value in dict.fromkeys((low, 0.0, high))))


def with_ticks(window: MatrixWindow, grid: Grid) -> Grid:
    """The same with a few places named along its axes."""
    rows, columns = len(window.rows), len(window.rows[0])
    row_ticks = _ticks(window, grid.row_labels, rows) if rows > 1 else ()
    return replace(grid, row_ticks=row_ticks, column_ticks=_ticks(window, grid.column_labels, columns))


def _ticks(window: MatrixWindow, labels: tuple[str, ...], size: int) -> tuple[Tick, ...]:
    """Every place, or every second, fifth, tenth ..., with its label or its number."""
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    every = next(step for step in steps if size <= step * MAX_TICKS)
    notation = window.style.notation
    return tuple(
        Tick(float(place), labels[place] if labels else str(notation.place(place))) for place in range(0, size, every)
    )
