"""A matrix as the data of a picture, and the scale on which its entries are drawn."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from .axis import LARGEST, round_above
from .document import Axis, Grid, Index, Tick
from .numbers import Style, write
from .window import Window, nothing_to_draw

LARGEST_NUMBERED, LARGEST_WHOLE = (24, 16), (64, 128)  # rows and columns with their numbers, and without
MOST_TICKS = 8
YES_NO = Axis("", 0.0, 1.0, (Tick(0.0, "0"), Tick(1.0, "1")))  # of a mask


def grid_of(window: Window, scale: Axis, seen: tuple[tuple[bool, ...], ...] = (), named: bool = False) -> Grid:
    """With `named`, each place has a name even where nobody gave it a label."""
    rows_are, columns_are = window.axes
    labels = (window.row_names, window.column_names) if named else (window.row_labels, window.column_labels)
    return Grid(window.step.id, rows_are, columns_are, *labels, window.rows, scale, seen)


def scale_of(window: Window) -> Axis:
    """From 0 to a round number, or as far below 0 as above where there are negative entries: 0 has no colour."""
    values = window.finite()
    if not values:
        raise nothing_to_draw(window.step)
    most = max(map(abs, values))
    high = float(round_above(most)) if most > 1 / LARGEST else 1.0
    low = -high if min(values) < 0 else 0.0
    style = Style(digits=1, point=window.style.point)
    return Axis("", low, high, tuple(Tick(value, write(value, style)) for value in dict.fromkeys((low, 0.0, high))))


def fits_without_numbers(shape: Index) -> bool:
    """Whether a matrix is too large for its numbers, but not for its colours.

    >>> fits_without_numbers((50, 64)), fits_without_numbers((2, 2)), fits_without_numbers((512, 2048))
    (True, False, False)
    """
    sizes = (1, 1, *shape)[-2:]
    numbered, whole = (
        all(size <= most for size, most in zip(sizes, limit, strict=True))
        for limit in (LARGEST_NUMBERED, LARGEST_WHOLE)
    )
    return whole and not numbered


def with_ticks(window: Window, grid: Grid) -> Grid:
    """The same with a few places named along its axes."""
    rows, columns = len(window.rows), len(window.rows[0])
    row_ticks = _ticks(window, grid.row_labels, rows) if rows > 1 else ()
    return replace(grid, row_ticks=row_ticks, column_ticks=_ticks(window, grid.column_labels, columns))


def _ticks(window: Window, labels: tuple[str, ...], size: int) -> tuple[Tick, ...]:
    """Every place, or every second, fifth, tenth ..., with its label or its number."""
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    every = next(step for step in steps if size <= step * MOST_TICKS)
    notation = window.style.notation
    return tuple(
        Tick(float(place), labels[place] if labels else str(notation.place(place))) for place in range(0, size, every)
    )
