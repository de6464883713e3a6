"""A box divided into parts as large as some numbers, and as near to squares as it goes (Bruls, Huizing, van Wijk)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Box: TypeAlias = tuple[float, float, float, float]  # left, top, width, height


def squarified(sizes: Sequence[float], box: Box) -> list[Box]:
    """One box for each size, which come from the largest to the smallest. Rows are laid along the shorter side.

    >>> squarified([6, 3, 3], (0.0, 0.0, 4.0, 3.0))
    [(0.0, 0.0, 2.0, 3.0), (2.0, 0.0, 2.0, 1.5), (2.0, 1.5, 2.0, 1.5)]
    """
    found: list[Box] = []
    left, top, width, height = box
    unit = width * height / sum(sizes) if sizes else 0.0
    row: list[float] = []
    for area in (size * unit for size in sizes):
        side = min(width, height)
        if row and _worst([*row, area], side) > _worst(row, side):
            left, top, width, height = _laid(row, (left, top, width, height), found)
            row = []
        row.append(area)
    if row:
        _laid(row, (left, top, width, height), found)
    return found


def _worst(row: Sequence[float], side: float) -> float:
    """How far the box of a row that is least like a square is from one."""
    total = sum(row)
    return max(max(side**2 * area / total**2, total**2 / (side**2 * area)) for area in row)


def _laid(row: Sequence[float], box: Box, found: list[Box]) -> Box:
    """The boxes of one row, and the box that is left."""
    left, top, width, height = box
    deep = sum(row) / min(width, height)
    along = 0.0
    for area in row:
        part = area / deep
        if width >= height:
            found.append((left, top + along, deep, part))
        else:
            found.append((left + along, top, part, deep))
        along += part
    return (left + deep, top, width - deep, height) if width >= height else (left, top + deep, width, height - deep)
