"""Treemaps in monospaced text: each part with its number and a bar, those of a module below its name."""

from __future__ import annotations

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain
from .text_labels import fit

FULL, ASCII_FULL = "█", "#"
INDENT = 2


def treemap_rows(treemap: d.Treemap, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""The bars are as long as the areas are large.

    >>> large = d.Area("W", "", 0.0, 0.0, 0.75, 1.0, 1, 0, d.Number("12", 12, "1", ()))
    >>> small = d.Area("b", "", 0.75, 0.0, 0.25, 1.0, 1, 0, d.Number("4", 4, "2", ()))
    >>> print("\n".join(treemap_rows(d.Treemap((large, small)), 24)))
    W  12  █████████████
    b   4  ████
    """
    areas = [area for area in treemap.areas if area.label]
    names = [" " * INDENT * (area.level - 1) + plain(area.label.rpartition(".")[2]) for area in areas]
    numbers = [plain(area.number.text) for area in areas]
    column = min(max(map(cell_len, names)), max(width // 3, 8))
    digits = max(map(len, numbers))
    room = max(width - column - digits - 4, 0)
    sign = FULL if fine else ASCII_FULL
    rows = []
    for area, name, number in zip(areas, names, numbers, strict=True):
        indent = len(name) - len(name.lstrip())
        shown = " " * indent + fit(name, column - indent, fine)
        bar = "" if area.is_group else sign * round(area.width * area.height * room)
        rows.append(f"{shown}{' ' * (column - cell_len(shown))}  {number:>{digits}}  {bar}".rstrip())
    return rows
