"""Arrows in a plane in monospaced text: dots from the origin to a letter, and below the plot what it stands for."""

from __future__ import annotations

from collections.abc import Iterator

from ..explain import document as d
from .lines import Plain
from .plot import FEWEST, ROWS, Cells, columns_in, framed, place_of, row_of
from .text_labels import fit
from .text_plane import beside, cell_of, listed, marks_of

SHAFT, ASCII_SHAFT = "·", "."
ORIGIN = "+"
TALL = 2  # so much higher than wide is a cell of a screen


def vectors_rows(plane: d.Plane, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    """The plot, about as wide as both axes ask for, and the list of its arrows."""
    spans = [axis.high - axis.low for axis in (plane.across, plane.up)]
    columns = min(max(round(TALL * ROWS * spans[0] / spans[1]), FEWEST), columns_in(plane.up, width, plain))
    marks = [_marks(plane, group) for group in plane.groups]
    start = row_of(plane.up, 0.0), place_of(plane.across, 0.0, columns)
    tips = [
        (cell_of(plane, point, columns), plain(letters[point.label]))
        for group, letters in zip(plane.groups, marks, strict=True)
        for point in group.points
    ]
    shaft = SHAFT if fine else ASCII_SHAFT
    cells: Cells = {place: shaft for tip, _ in tips for place in _shaft(start, tip)}
    cells |= {start: ORIGIN} | beside(tips, columns)
    rows = framed(plane.across, plane.up, cells, columns, fine, plain)
    for group, letters in zip(plane.groups, marks, strict=True):
        rows += ["", fit(plain(group.name), width, fine)] if group.name or group is plane.groups[0] else []
        rows += (fit(plain(line), width, fine) for line in listed(group, letters))
    return [row for n, row in enumerate(rows) if row or rows[n - 1]]


def _marks(plane: d.Plane, group: d.PlaneGroup) -> dict[str, str]:
    """A letter for each label; where arrows move, a capital one says where to."""
    is_moved = bool(plane.trails) and group is plane.groups[-1]
    return {label: mark.upper() if is_moved else mark for label, mark in marks_of(plane).items()}


def _shaft(start: tuple[int, int], tip: tuple[int, int]) -> Iterator[tuple[int, int]]:
    length = max(abs(tip[0] - start[0]), abs(tip[1] - start[1]))
    for n in range(1, length):
        yield start[0] + round((tip[0] - start[0]) * n / length), start[1] + round((tip[1] - start[1]) * n / length)
