"""Heatmaps without numbers in monospaced text: one sign for each entry, and a few places named."""

from __future__ import annotations

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain
from .text_labels import fit, margin_of, padded

SHADES, ASCII_SHADES = " ░▒▓█", " .:+#"


def whole_rows(grid: d.Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""The higher, the darker; where there are negative entries, the middle of the signs is 0. Of a wide matrix, some
    columns stand after the other.

    >>> numbers = tuple(d.Number(str(value), value, "1", (n,)) for n, value in enumerate((-1.0, 0.0, 1.0)))
    >>> scale = d.Axis("", -1, 1, (d.Tick(-1, "-1"), d.Tick(0, "0"), d.Tick(1, "1")))
    >>> ticks = (d.Tick(0, "0"),)
    >>> print("\n".join(whole_rows(d.Grid("1", "", "key", (), (), (numbers,), scale, (), (), ticks), 40)))
    key  0
          ▒█
    <BLANKLINE>
    -1 [ ░▒▓█] 1
    """
    signs = SHADES if fine else ASCII_SHADES
    axes = " \\ ".join(plain(axis) for axis in (grid.rows_are, grid.columns_are) if axis)
    corner = fit(axes, max(width // 3, 8), fine)
    margin = margin_of((*(tick.text for tick in grid.row_ticks), corner), width, plain)
    room = max(width - margin - 2, 1)
    named = {int(tick.value): plain(tick.text) for tick in grid.row_ticks}
    rows: list[str] = []
    for first in range(0, len(grid.rows[0]), room):
        rows.append(f"{padded(corner, margin, fine)}  {_head(grid, first, room, plain)}".rstrip())
        for place, numbers in enumerate(grid.rows):
            shades = "".join(_shade(grid.scale, number, signs) for number in numbers[first : first + room])
            rows.append(f"{padded(named.get(place, ''), margin, fine)}  {shades}".rstrip())
    low, high = (plain(grid.scale.ticks[end].text) for end in (0, -1))
    return [*rows, "", f"{low} [{signs}] {high}"]


def _head(grid: d.Grid, first: int, room: int, plain: Plain) -> str:
    """The ticks above their columns, as far as there is room between them."""
    head = ""
    for tick in grid.column_ticks:
        at, label = int(tick.value) - first, plain(tick.text)
        free = not head or cell_len(head) < at
        if free and at >= 0 and at + cell_len(label) <= room:
            head += " " * (at - cell_len(head)) + label
    return head


def _shade(scale: d.Axis, number: d.Number, signs: str) -> str:
    if isinstance(number.value, str):
        return "?"
    share = (number.value - scale.low) / (scale.high - scale.low)
    return signs[min(max(round(share * (len(signs) - 1)), 0), len(signs) - 1)]
