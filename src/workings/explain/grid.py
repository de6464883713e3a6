"""A matrix as the data of a picture, and the scale on which its entries are drawn."""

from __future__ import annotations

from .axis import LARGEST, round_above
from .document import Axis, Grid, Tick
from .numbers import Style, write
from .window import Window, nothing_to_draw

YES_NO = Axis("", 0.0, 1.0, (Tick(0.0, "0"), Tick(1.0, "1")))  # of a mask


def grid_of(window: Window, scale: Axis, seen: tuple[tuple[bool, ...], ...] = ()) -> Grid:
    rows_are, columns_are = window.axes
    labels = window.row_labels, window.column_labels
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
