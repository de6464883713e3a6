"""A matrix product in a trace: which of its rows, columns and terms a figure shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...document.blocks import Index, Number
from ...document.monospace import shape_text
from ...engine.errors import CallError
from ...explain.step_view import StepView
from .drawn import number_width, role_of
from .matrix_window import Labels, shown
from .numbers import joined_notes
from .svg import cut

MAX_ROWS = 4
MAX_INNER = 8  # of a longer sum, and where they have no room, only the largest terms are drawn
MIN_TERMS, MAX_TERMS = 4, 6  # of a long sum
MIN_COLUMNS, MAX_COLUMNS = 2, 4
MAX_LABEL_CHARS = 16
MIN_CELL = 34.0  # width


@dataclass(frozen=True)
class ProductMatrix:
    """The part of a matrix that is drawn; `more` says whether there are more rows, and more columns."""

    step: str
    name: str
    role: str
    axes: tuple[str, str]
    shape: Index
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    rows: tuple[tuple[Number, ...], ...]
    more: tuple[bool, bool]

    def transposed(self) -> ProductMatrix:
        return replace(
            self,
            axes=self.axes[::-1],
            shape=self.shape[::-1],
            row_labels=self.column_labels,
            column_labels=self.row_labels,
            rows=tuple(zip(*self.rows, strict=True)),
            more=self.more[::-1],
        )

    @property
    def shape_text(self) -> str:
        return shape_text(self.axes[2 - len(self.shape) :], self.shape)


class ChosenProduct:
    """Which rows, columns and terms of a product are drawn, if its cells have so much room beside each other."""

    def __init__(self, view: StepView, labels: Labels, at: Index, cell: tuple[int, int] | None, width: float) -> None:
        self.view, self.labels = view, labels
        self.left, self.right = view.inputs[:2]
        self.sizes = (1, *view.shape)[-2:]
        self.lead = _lead(view, at)
        self.inner = self.left.shape[-1]
        self.row, self.column = cell if cell is not None else self._largest()
        if self.row >= self.sizes[0] or self.column >= self.sizes[1]:
            raise CallError(
                f"There is no entry in row {self.row} and column {self.column} of {view.form!s}.",
                hint="Give a row and a column, counted from 0.",
                where=view.path,
            )
        self.rows = _around(self.row, self.sizes[0], MAX_ROWS)
        self.terms, columns = self._fit(width)
        self.columns = _around(self.column, self.sizes[1], columns)

    @property
    def entry(self) -> Index:
        return self._entry(self.row, self.column)

    def _entry(self, row: int, column: int) -> Index:
        return (*self.lead, *(row, column)[-len(self.view.shape) :])

    def _largest(self) -> tuple[int, int]:
        """The entry with the largest magnitude in the corner."""
        values = self.view.value[self.lead] if self.lead else self.view.value
        places = [
            (row, column) for row in range(min(self.sizes[0], MAX_ROWS)) for column in range(min(self.sizes[1], 3))
        ]
        return max(places, key=lambda place: abs(float(values[place[2 - len(values.shape) :]])))

    def _terms(self, count: int) -> tuple[int, ...]:
        """All places along the sum; of a long one, those with so many of the largest terms."""
        if count == self.inner:
            return tuple(range(self.inner))
        left, right = (
            [float(part.value[self._index(part, self.row, place, self.column)]) for place in range(self.inner)]
            for part in (self.left, self.right)
        )
        sizes = [abs(one * other) for one, other in zip(left, right, strict=True)]
        return tuple(sorted(sorted(range(self.inner), key=lambda place: -sizes[place])[:count]))

    def _index(self, part: StepView, row: int, place: int, column: int) -> Index:
        """Of the entry of a factor in a term."""
        own = (row, place) if part is self.left else (place, column)
        count = len(part.shape)
        return own[1:] if count == 1 else (*self.lead[len(self.lead) - (count - 2) :], *own)

    def _fit(self, width: float) -> tuple[tuple[int, ...], int]:
        """The terms and the number of columns that have room beside each other."""
        nearest = _around(self.column, self.sizes[1], MIN_COLUMNS)
        first = self.inner if self.inner <= MAX_INNER else MAX_TERMS
        for count in range(first, min(first, MIN_TERMS) - 1, -1):
            terms = self._terms(count)
            left = [self._text(self.left, row, place) for row in self.rows for place in terms]
            right = [self._text(self.right, self.row, place, column) for place in terms for column in nearest]
            result = [self.view.number(*self._entry(row, column)).text for row in self.rows for column in nearest]
            used = len(terms) * max(MIN_CELL, *map(number_width, left))
            cell = max(MIN_CELL, *map(number_width, (*right, *result)))
            columns = int((width - used) / cell)
            if columns >= len(nearest):
                break
        return terms, max(MIN_COLUMNS, min(MAX_COLUMNS, columns))

    def _text(self, part: StepView, row: int, place: int, column: int = 0) -> str:
        return part.number(*self._index(part, row, place, column)).text

    def factors(self) -> tuple[ProductMatrix, ProductMatrix, ProductMatrix]:
        left = self._matrix(self.left, self.rows, self.terms, (self.sizes[0], self.inner))
        right = self._matrix(self.right, self.terms, self.columns, (self.inner, self.sizes[1]))
        return left, right, self._matrix(self.view, self.rows, self.columns, self.sizes)

    def _matrix(
        self, part: StepView, rows: Sequence[int], columns: Sequence[int], sizes: tuple[int, ...]
    ) -> ProductMatrix:
        shape = part.shape[-2:]
        lead = self.lead[len(self.lead) - (len(part.shape) - len(shape)) :]
        numbers = tuple(
            tuple(part.number(*lead, *(row, column)[2 - len(shape) :]) for column in columns) for row in rows
        )
        axes = ("", *part.axes)[-2:]
        labels = self._labels(axes[0], rows, sizes[0]) if len(shape) == 2 else ("",)
        name = part.trace.style.notation.path(part.step.name)
        return ProductMatrix(
            part.id,
            name,
            role_of(part.step),
            (axes[0], axes[1]),
            shape,
            labels,
            self._labels(axes[1], columns, sizes[1]),
            numbers,
            (len(rows) < sizes[0], len(columns) < sizes[1]),
        )

    def _labels(self, axis: str, places: Sequence[int], size: int) -> tuple[str, ...]:
        """The words along an axis, or the numbers of its places."""
        words = self.labels.get(axis, ())
        if len(words) == size:
            return tuple(cut(shown(words[place]), MAX_LABEL_CHARS) for place in places)
        return tuple(str(self.view.trace.style.notation.place(place)) for place in places)

    @property
    def note(self) -> str:
        """What is not drawn."""
        rows, columns = len(self.rows) < self.sizes[0], len(self.columns) < self.sizes[1]
        part = f"Only {len(self.rows)} of {self.sizes[0]} rows" if rows else ""
        part += (" and " if rows else "Only ") + f"{len(self.columns)} of {self.sizes[1]} columns" if columns else ""
        largest = f"Of the {self.inner} terms of the sum, the {len(self.terms)} largest are drawn."
        bias = self.view.inputs[2].name if self.view.op == "linear" else ""
        return joined_notes(
            self._which(),
            f"{part} of {self.view.name} are drawn." if part else "",
            largest if len(self.terms) < self.inner else "",
            f"The bias {bias} is added to each row." if bias else "",
        )

    def _which(self) -> str:
        places = [f"{axis}[{place}]" for axis, place in zip(self.view.axes, self.lead, strict=False)]
        return f"This is the product at {', '.join(places)}." if places else ""


def _lead(view: StepView, at: Index) -> Index:
    """The places of the axes before the last two: those that are given, and the first of the others."""
    sizes = view.shape[:-2]
    if len(at) > len(sizes) or any(place >= size for place, size in zip(at, sizes, strict=False)):
        raise CallError(
            f"There is no matrix at {list(at)} in {view.form!s}.",
            hint="Give an index, counted from 0, for each axis before the last two, or none.",
            where=view.path,
        )
    return (*at, *(0 for _ in sizes[len(at) :]))


def _around(place: int, size: int, most: int) -> tuple[int, ...]:
    """So many places in a row, of which this is one."""
    first = max(0, min(place - most // 2, size - most)) if place >= most else 0
    return tuple(range(first, min(first + most, size)))
