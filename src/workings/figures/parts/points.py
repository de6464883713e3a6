"""Rows of a matrix as places in a plane, which the pages `plane` and `vectors` share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from string import ascii_letters
from typing import Literal, TypeAlias

from ...document.blocks import FigureData, Number
from ...engine.errors import CallError
from ...explain.step_view import StepView
from .axes import Axis
from .matrix_window import Labels, MatrixWindow, window_of
from .numbers import can_be_drawn, only_first
from .options import names_for
from .page import ShownStep
from .text_plot import Cell, Cells, place_of, row_of

MAX_POINTS_IN_WORDS = 12
OTHER = "*"  # the mark of points for which there is no letter left

Groups: TypeAlias = Sequence[tuple[str, StepView]]


@dataclass(frozen=True)
class Plane(FigureData):
    """The forms `plane` and `vectors`: rows of a matrix as points, or as arrows to them, by two of their entries; a
    trail leads from where a point was. The axes of `vectors` have the same scale.
    """

    across: Axis
    up: Axis
    groups: tuple[PlaneGroup, ...]
    trails: tuple[Trail, ...] = ()
    labels: tuple[PlaneLabel, ...] = ()  # of the form `plane`


@dataclass(frozen=True)
class PlaneGroup:
    name: str
    points: tuple[PlanePoint, ...]


@dataclass(frozen=True)
class PlanePoint:
    label: str
    across: Number
    up: Number


@dataclass(frozen=True)
class PlaneLabel:
    """The text next to a point, which is the place of a group and of a point in their lists; points that lie on
    each other have one label together. It is at the left or right of the point, above or below.
    """

    text: str
    point: tuple[int, int]
    side: Literal["left", "right"]
    above: bool


@dataclass(frozen=True)
class Trail:
    """From a point of one group to the point of another: the places of groups and points in their lists."""

    start: tuple[int, int]
    end: tuple[int, int]


def rows_of(view: StepView, labels: Labels | None, axes: tuple[int, int], most: int) -> MatrixWindow:
    """Up to so many rows of a step, as far as these two entries; a vector is a single row."""
    count = view.shape[-1]
    if axes[0] == axes[1] or not all(0 <= axis < count for axis in axes):
        raise CallError(
            f"Entries {axes[0]} and {axes[1]} of {view.form!s} cannot be two axes.",
            hint=f"Choose two different entries from 0 to {count - 1}.",
            where=view.path,
        )
    window = window_of(view.trace, view, labels, most=(most, max(axes) + 1), follow_convention=False)
    return replace(window, note=only_first(most, view.shape[-2] if len(view.shape) > 1 else 1))


def points_of(window: MatrixWindow, axes: tuple[int, int]) -> Iterator[PlanePoint]:
    for name, row in zip(window.row_names, window.rows, strict=True):
        across, up = (row[axis] for axis in axes)
        if can_be_drawn(across) and can_be_drawn(up):
            yield PlanePoint(name, across, up)


def points_in_words(data: Plane) -> str:
    places = []
    if data.trails:
        for trail in data.trails:
            start, end = (data.groups[group].points[place] for group, place in (trail.start, trail.end))
            places.append(f"{start.label} from {_place(start)} to {_place(end)}")
    else:
        places = [f"{point.label} at {_place(point)}" for group in data.groups for point in group.points]
    more = [f"{len(places) - MAX_POINTS_IN_WORDS} more"] if len(places) > MAX_POINTS_IN_WORDS else []
    return ", ".join(places[:MAX_POINTS_IN_WORDS] + more) + "."


def _place(point: PlanePoint) -> str:
    return f"({point.across.text}, {point.up.text})"


def groups_of(steps: Sequence[ShownStep], names: Sequence[str]) -> StepView | Groups:
    """One step, or several with the names of their groups."""
    if len(steps) == 1 and not names:
        return steps[0].view
    titles = names_for(names, len(steps)) or [step.name for step in steps]
    return [(title, step.view) for title, step in zip(titles, steps, strict=True)]


def located_groups(data: Plane, steps: Sequence[ShownStep]) -> Plane:
    """The same, in which each group says to which run it belongs."""
    groups = (step.located(group) for step, group in zip(steps, data.groups, strict=True))
    return replace(data, groups=tuple(groups))


# -- in monospaced text --------------------------------------------------------------------------------


def marks_of(plane: Plane) -> dict[str, str]:
    """A letter for each label: its own where all labels are single letters, else one after the other."""
    labels = list(dict.fromkeys(point.label for group in plane.groups for point in group.points))
    if all(len(label) == 1 and label.isascii() for label in labels):
        return {label: label for label in labels}
    return {label: ascii_letters[n] if n < len(ascii_letters) else OTHER for n, label in enumerate(labels)}


def listed(group: PlaneGroup, marks: dict[str, str]) -> Iterator[str]:
    """The points of a group with their marks, one in each line."""
    for point in group.points:
        mark = marks[point.label]
        name = mark if mark == point.label else f"{mark} {point.label}"
        yield f"{name} {_place(point)}"


def side_by_side(marks: Iterable[tuple[Cell, str]], columns: int) -> Cells:
    """Each mark in its cell; of several that fall into one, the others are to its left and right.

    >>> side_by_side([((2, 5), "a"), ((2, 5), "b"), ((2, 5), "a")], 20)
    {(2, 5): 'a', (2, 6): 'b'}
    """
    cells: Cells = {}
    for (row, column), mark in marks:
        near = [(row, column + by) for by in (0, 1, -1, 2, -2) if 0 <= column + by < columns]
        if not any(cells.get(place) == mark for place in near):
            cells[next((place for place in near if place not in cells), (row, column))] = mark
    return cells


def cell_of(plane: Plane, point: PlanePoint, columns: int) -> Cell:
    row = row_of(plane.up, float(point.up.value))
    return row, place_of(plane.across, float(point.across.value), columns)
