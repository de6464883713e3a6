"""A part of a matrix with its numbers, for figures that draw several matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...document.blocks import Index, Number
from ...document.monospace import shape_text
from ...engine.steps import Step
from ...explain.step_view import StepView
from .drawn import CellMatrix, role_of
from .matrix_window import Labels, shown
from .numbers import joined_notes
from .svg import cut

MAX_LABEL_CHARS = 12


@dataclass(frozen=True)
class MatrixPart:
    """Some rows and columns of a matrix; `more` says whether there are more of them. A vector is one row, without a
    label.
    """

    step: str
    name: str
    role: str
    shape: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    rows: tuple[tuple[Number, ...], ...]
    more: tuple[bool, bool]

    def cells(self, lit: frozenset[tuple[int, int]] | None = None, labeled: bool = True) -> CellMatrix:
        """As it is drawn."""
        labels = (self.row_labels, self.column_labels) if labeled else ((), ())
        return CellMatrix(self.rows, self.role, lit, None, *labels, self.more)

    @property
    def numbers(self) -> tuple[Number, ...]:
        return tuple(one for row in self.rows for one in row)


def matrix_part(
    view: StepView,
    rows: Sequence[int] | int,
    columns: Sequence[int] | int,
    labels: Labels | None = None,
    at: Index = (),
) -> MatrixPart:
    """These rows and columns of a step, or the first so many; of one with more axes, `at` these places.

    >>> import workings as w
    >>> part = matrix_part(w.scenario("example-1").trace()["X"], 1, 2)
    >>> part.shape, part.rows[0][0].text, part.more
    ('token 2 × model 2', '1', (True, False))
    """
    shape = view.shape[-2:]
    sizes = (1, 1, *shape)[-2:]
    axes = ("", "", *view.axes)[-2:]
    lead = (*at, *(0 for _ in view.shape[:-2]))[: len(view.shape) - len(shape)]
    row_places = range(min(rows, sizes[0])) if isinstance(rows, int) else rows
    column_places = range(min(columns, sizes[1])) if isinstance(columns, int) else columns
    numbers = tuple(
        tuple(view.number(*lead, *(row, column)[2 - len(shape) :]) for column in column_places) for row in row_places
    )
    notation = view.trace.style.notation
    form = notation.form(view.form)
    return MatrixPart(
        view.id,
        notation.path(view.step.name),
        role_of(view.step),
        shape_text(form.axes, form.shape),
        _labels(view, axes[0], row_places, sizes[0], labels or {}) if len(shape) == 2 else ("",) * len(row_places),
        _labels(view, axes[1], column_places, sizes[1], labels or {}) if shape else ("",),
        numbers,
        (len(row_places) < sizes[0], len(column_places) < sizes[1]),
    )


def note_about(parts: Sequence[MatrixPart], steps: Sequence[Step]) -> str:
    """What is not drawn of these steps."""
    several = any(math.prod(step.form.shape[:-2]) > 1 for step in steps)
    return joined_notes(
        "Of large matrices, only a corner is drawn." if any(any(part.more) for part in parts) else "",
        "Of a step with several matrices, such as one for each head, the first is drawn." if several else "",
    )


def places_around(place: int, size: int, most: int) -> tuple[int, ...]:
    """So many places in a row, of which this is one.

    >>> places_around(1, 9, 4), places_around(5, 9, 4), places_around(8, 9, 4)
    ((0, 1, 2, 3), (3, 4, 5, 6), (5, 6, 7, 8))
    """
    first = max(0, min(place - most // 2, size - most)) if place >= most else 0
    return tuple(range(first, min(first + most, size)))


def _labels(view: StepView, axis: str, places: Sequence[int], size: int, labels: Labels) -> tuple[str, ...]:
    """The words along an axis, or the numbers of its places."""
    words = labels.get(axis, ())
    if len(words) == size:
        return tuple(cut(shown(words[place]), MAX_LABEL_CHARS) for place in places)
    return tuple(str(view.trace.style.notation.place(place)) for place in places)
