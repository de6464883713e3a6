"""A part of a step: its numbers, or of a large part only how strong they are. Never the whole of a large array."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy
from numpy.typing import NDArray

from ...document.numbers import apart, write
from ...document.spans import Index, Number
from ...engine.arrays import brackets, is_float
from ...explain.line import number_at, style_for
from ...explain.step_view import StepView
from ...figures.parts.matrix_window import shown
from ..answers.window import Tile, Window
from ..errors import LabError
from ..traces.earlier import before, differ, largest_of
from ..traces.store import Opened
from .steps import is_turned

MOST_NUMBERS = 64  # rows, and columns, of a window
MOST_BYTES = 512  # rows, and columns, of a tile
STRONGEST = 100
MIDDLE = 128  # the byte of a 0
NO_NUMBER = -MIDDLE  # the level of what is not finite

Rows = tuple[tuple[Any, ...], ...]
Levels = NDArray[numpy.int64]


@dataclass(frozen=True)
class MatrixArea:
    """Rows and columns of one matrix of a step. A page that shows vectors as columns has them `turned`."""

    view: StepView
    lead: Index
    rows: range
    columns: range
    turned: bool

    def index(self, row: int, column: int) -> Index:
        """Where an entry stands in the step: one of a vector has no row, and a single number has no index at all."""
        return (*self.lead, row, column)[2 - len(self.view.shape[-2:]) :]

    def of(self, array: Any) -> NDArray[numpy.float64]:
        """The entries of the area, in rows and columns."""
        matrix = numpy.atleast_2d(numpy.asarray(array)[self.lead])
        part = matrix[self.rows.start : self.rows.stop, self.columns.start : self.columns.stop]
        return part.astype(numpy.float64)

    def shown(self, rows: Rows) -> Rows:
        return tuple(zip(*rows, strict=True)) if self.turned else rows


def window(
    opened: Opened, step: str, lead: Index = (), row: int = 0, column: int = 0, rows: int = 24, columns: int = 24
) -> Window:
    """Some rows and columns of a step as printed numbers, at most 64 of each.

    >>> from workings.lab.traces.store import Lab
    >>> from workings.lab.traces.wanted import Wanted
    >>> opened = Lab().open(Wanted("example-3"))
    >>> part = window(opened, opened.trace["weights"].id, row=1)
    >>> [[number.text for number in row] for row in part.numbers], part.row_labels, part.levels
    ([['0.49823', '0.50177']], ('B',), ((99, 100),))
    """
    view = opened.view(step)
    area = _area(view, lead, (row, column), (min(rows, MOST_NUMBERS), min(columns, MOST_NUMBERS)))
    levels = _levels(area.of(view.value), largest_of(view))
    numbers = _numbers(area)
    earlier = before(opened, view)
    texts = [["" for _ in row] for row in numbers] if earlier is None else _earlier(area, numbers, earlier)
    labels = opened.labels(view)
    names = [_labels(view, -2, area.rows, labels), _labels(view, -1, area.columns, labels)]
    form = view.trace.style.notation.form(view.form)
    return Window(
        step=view.id,
        axes=form.axes,
        shape=form.shape,
        lead=area.lead,
        row=row,
        column=column,
        row_labels=names[area.turned],
        column_labels=names[not area.turned],
        numbers=area.shown(_frozen(numbers)),
        levels=area.shown(_frozen(numpy.where(levels == NO_NUMBER, 0, levels).tolist())),
        before=area.shown(_frozen(texts)),
    )


def tile(
    opened: Opened,
    step: str,
    lead: Index = (),
    row: int = 0,
    column: int = 0,
    rows: int = 256,
    columns: int = 256,
    stride: int = 1,
) -> Tile:
    """How strong the entries are from a row and a column on: at most 512 rows and columns of bytes, each of which
    stands for a square of `stride` entries. At the edge there are fewer.

    >>> from workings.lab.traces.store import Lab
    >>> from workings.lab.traces.wanted import Wanted
    >>> opened = Lab().open(Wanted("example-3"))
    >>> part = tile(opened, opened.trace["weights"].id)
    >>> part.rows, part.columns, list(base64.b64decode(part.levels))
    (2, 2, [228, 227, 227, 228])
    """
    view = opened.view(step)
    sizes = (min(rows, MOST_BYTES) * stride, min(columns, MOST_BYTES) * stride)
    area = _area(view, lead, (row, column), sizes, stride)
    levels = _levels(_strongest(area.of(view.value), stride), largest_of(view))
    levels = levels.T if area.turned else levels
    packed = (levels + MIDDLE).astype(numpy.uint8)
    return Tile(
        step=view.id,
        lead=area.lead,
        row=row,
        column=column,
        rows=packed.shape[0],
        columns=packed.shape[1],
        stride=stride,
        levels=base64.b64encode(packed.tobytes()).decode(),
    )


def _area(view: StepView, lead: Index, start: Index, sizes: Index, stride: int = 1) -> MatrixArea:
    """The rows and columns from `start` on, as the page counts them."""
    outer, last = view.shape[:-2], (1, 1, *view.shape)[-2:]
    lead = lead or (0,) * len(outer)
    if len(lead) != len(outer) or not all(0 <= place < size for place, size in zip(lead, outer, strict=True)):
        raise LabError(
            f"{view.path} has the shape {view.form!s}: there is no matrix at {brackets(lead)}.",
            hint="Give a position for each axis but the last two, counted from 0.",
        )
    turned = is_turned(view.trace, view.step)
    total = last[::-1] if turned else last
    if stride < 1 or not all(0 <= at < size and n > 0 for at, size, n in zip(start, total, sizes, strict=True)):
        row, column = start
        raise LabError(
            f"{view.path} has {total[0]} rows and {total[1]} columns: there is no row {row} or no column {column}.",
            hint="Rows and columns are counted from 0; ask for at least one, and for a stride of at least 1.",
        )
    rows, columns = (range(at, min(at + n, size)) for at, size, n in zip(start, total, sizes, strict=True))
    return MatrixArea(view, lead, columns, rows, True) if turned else MatrixArea(view, lead, rows, columns, False)


def _numbers(area: MatrixArea) -> list[list[Number]]:
    view, array = area.view, area.view.value
    style = style_for(view.recording, view.step, view.trace.style)
    return [
        [number_at(view.step, array, area.index(row, column), style) for column in area.columns] for row in area.rows
    ]


def _earlier(area: MatrixArea, numbers: list[list[Number]], earlier: StepView) -> list[list[str]]:
    """What was printed before the edits, where it was another number. Two that would look alike get more digits."""
    now, then = area.of(area.view.value), area.of(earlier.value)
    texts = [["" for _ in row] for row in numbers]
    style = style_for(earlier.recording, earlier.step, earlier.trace.style)
    for row, column in numpy.argwhere(differ(area.view, now, then)).tolist():
        old, new = then[row, column].item(), numbers[row][column]
        texts[row][column] = write(_like(earlier, old), style)
        if texts[row][column] == new.text:
            wider = apart(now[row, column].item(), old, style)
            texts[row][column] = write(old, wider)
            numbers[row][column] = replace(new, text=write(now[row, column].item(), wider))
    return texts


def _like(view: StepView, number: float) -> float | int:
    """A whole number where the step holds whole numbers."""
    return number if is_float(view.value) else int(number)


def _levels(values: NDArray[numpy.float64], largest: float) -> Levels:
    """From -100 to 100; a number that is not finite has none."""
    finite = numpy.isfinite(values)
    with numpy.errstate(over="ignore"):
        parts = numpy.where(finite, values, 0.0) / (largest or 1.0)
    return numpy.where(finite, numpy.rint(STRONGEST * parts), NO_NUMBER).astype(numpy.int64)


def _strongest(values: NDArray[numpy.float64], stride: int) -> NDArray[numpy.float64]:
    """Of each square the entry that is largest by size; of one without a finite number, NaN."""
    if stride == 1:
        return values
    high, wide = (min(stride, size) for size in values.shape)
    edges = [(0, -values.shape[0] % high), (0, -values.shape[1] % wide)]
    padded = numpy.pad(numpy.where(numpy.isfinite(values), values, numpy.nan), edges, constant_values=numpy.nan)
    squares = padded.reshape(padded.shape[0] // high, high, padded.shape[1] // wide, wide)
    most, least = numpy.fmax.reduce(squares, axis=(1, 3)), numpy.fmin.reduce(squares, axis=(1, 3))
    return numpy.asarray(numpy.where(most >= -least, most, least))


def _labels(view: StepView, axis: int, places: range, labels: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What the places along an axis are called, if there is a word for each of them."""
    if len(view.shape) < -axis:
        return ()
    words = labels.get(view.axes[axis], ())
    return tuple(map(shown, words[places.start : places.stop])) if len(words) == view.shape[axis] else ()


def _frozen(rows: Sequence[Sequence[Any]]) -> Rows:
    return tuple(tuple(row) for row in rows)
