"""Points in a plane in monospaced text: a letter for each point, and below the plot what it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_letters

from ..explain import document as d
from .lines import Plain
from .plot import Cells, columns_in, framed, place_of, row_of
from .text_labels import fit

TRAIL, ASCII_TRAIL = "·", "."
OTHER = "*"  # of points for which there is no letter left


def plane_rows(plane: d.Plane, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    """The plot, and the list of its points. A label of one letter stands for itself."""
    columns = columns_in(plane.up, width, plain)
    marks = marks_of(plane)
    cells: Cells = {}
    for trail in plane.trails:
        for place in way(plane, trail, columns):
            cells[place] = TRAIL if fine else ASCII_TRAIL
    found = [
        (cell_of(plane, point, columns), plain(marks[point.label])) for group in plane.groups for point in group.points
    ]
    cells |= beside(found, columns)
    rows = framed(plane.across, plane.up, cells, columns, fine, plain)
    for group in plane.groups:
        rows += ["", fit(plain(group.name), width, fine)] if group.name else [""]
        rows += (fit(plain(line), width, fine) for line in listed(group, marks))
    return rows


def marks_of(plane: d.Plane) -> dict[str, str]:
    """A letter for each label: its own where all labels are single letters, else one after the other."""
    labels = list(dict.fromkeys(point.label for group in plane.groups for point in group.points))
    if all(len(label) == 1 and label.isascii() for label in labels):
        return {label: label for label in labels}
    return {label: ascii_letters[n] if n < len(ascii_letters) else OTHER for n, label in enumerate(labels)}


def listed(group: d.PlaneGroup, marks: dict[str, str]) -> Iterator[str]:
    for point in group.points:
        mark = marks[point.label]
        name = mark if mark == point.label else f"{mark} {point.label}"
        yield f"{name} ({point.across.text}, {point.up.text})"


def beside(found: Iterable[tuple[tuple[int, int], str]], columns: int) -> Cells:
    """Each sign in its cell; of several that fall into one, the others stand beside it.

    >>> beside([((2, 5), "a"), ((2, 5), "b"), ((2, 5), "a")], 20)
    {(2, 5): 'a', (2, 6): 'b'}
    """
    cells: Cells = {}
    for (row, column), sign in found:
        near = [(row, column + by) for by in (0, 1, -1, 2, -2) if 0 <= column + by < columns]
        if not any(cells.get(place) == sign for place in near):
            cells[next((place for place in near if place not in cells), (row, column))] = sign
    return cells


def cell_of(plane: d.Plane, point: d.PlanePoint, columns: int) -> tuple[int, int]:
    row = row_of(plane.up, float(point.up.value))
    return row, place_of(plane.across, float(point.across.value), columns)


def way(plane: d.Plane, trail: d.Trail, columns: int) -> Iterator[tuple[int, int]]:
    """The cells from one point to another."""
    ends = [plane.groups[group].points[place] for group, place in (trail.start, trail.end)]
    (row, column), (to_row, to_column) = (cell_of(plane, point, columns) for point in ends)
    length = max(abs(to_row - row), abs(to_column - column))
    for n in range(length):
        yield row + round((to_row - row) * n / length), column + round((to_column - column) * n / length)
