"""The part of a step that a figure shows: one matrix of it, and of a large one the corner."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...document.blocks import Index, Number
from ...document.notation import distinct_name
from ...document.numbers import Style
from ...engine.arrays import brackets
from ...engine.errors import CallError
from ...explain.line import number_at, style_for
from ...explain.step_view import StepView
from ...explain.trace import Trace
from .numbers import can_be_drawn, joined_notes

Labels: TypeAlias = Mapping[str, tuple[str, ...]]  # axis word -> the label of each place along that axis


@dataclass(frozen=True)
class MatrixWindow:
    """One matrix of a step, as a figure shows it. There are always `row_names` and `column_names`; `labeled` says
    whether they are labels that were given.
    """

    step: StepView
    title: str
    axes: tuple[str, str]  # of rows and columns
    rows: tuple[tuple[Number, ...], ...]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    labeled: tuple[bool, bool]
    note: str
    style: Style

    @property
    def row_labels(self) -> tuple[str, ...]:
        return self.row_names if self.labeled[0] else ()

    @property
    def column_labels(self) -> tuple[str, ...]:
        return self.column_names if self.labeled[1] else ()

    @property
    def numbers(self) -> tuple[Number, ...]:
        return tuple(number for row in self.rows for number in row)

    def finite(self) -> list[float]:
        """The values that can be drawn."""
        return [float(number.value) for number in self.numbers if can_be_drawn(number)]


def window_of(
    trace: Trace,
    step: str | StepView,
    labels: Labels | None = None,
    at: Index = (),
    most: tuple[int, int] = (24, 32),
    follow_convention: bool = True,
) -> MatrixWindow:
    """The matrix of a step that lies `at` these places of its leading axes (else at the first ones), up to so many rows
    and columns. Where the convention has vectors as columns it is transposed, if it is to `follow_convention`.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     scores = w.given([[[2.0, 1.5], [0.3, 0.1]]], "head query key", name="scores")
    ...     weights = w.ops.softmax(scores, name="weights")
    >>> window = window_of(trace, "weights", {"query": ("The", "cat")})
    >>> window.title, window.row_names, window.column_names, window.rows[0][0].text
    ('weights, head[0]', ('The', 'cat'), ('key[0]', 'key[1]'), '0.6225')
    """
    view = trace[step] if isinstance(step, str) else step
    lead = _lead(view, at)
    sizes = view.shape[len(lead) :]
    style = style_for(view.recording, view.step, view.trace.style)
    array = view.recording.value(view.step.id)
    row_count = min(sizes[0], most[0]) if len(sizes) == 2 else 1
    column_count = min(sizes[-1], most[1]) if sizes else 1
    places = [[(*lead, row, column) for column in range(column_count)] for row in range(row_count)]
    # A vector has no row number, a single number has no index at all.
    rows = tuple(
        tuple(number_at(view.step, array, view._entry(at[2 - len(sizes) :]), style) for at in row) for row in places
    )
    axes = (*((None, None)[len(sizes) :]), *view.axes[len(lead) :])  # None: there is no such axis
    row_names, given_rows = _names(view, axes[0], row_count, labels or {})
    column_names, given_columns = _names(view, axes[1], column_count, labels or {})
    cut = row_count * column_count < math.prod(sizes)
    form = style.notation.form(view.form)
    corner = f"These are the first {row_count} rows and {column_count} columns of {form!s}; the rest is in the data."
    window = MatrixWindow(
        view,
        _title(view, lead, style),
        (axes[0] or "", axes[1] or ""),
        rows,
        row_names,
        column_names,
        (given_rows, given_columns),
        joined_notes(_which(view, at, lead), corner if cut else ""),
        style,
    )
    return _transposed(window) if follow_convention and style.notation.columns else window


def shown(label: str) -> str:
    r"""A label that can be seen and that breaks no line.

    >>> shown("cat"), shown(" "), shown("\n")
    ('cat', "' '", "'\\n'")
    """
    return label if label.isprintable() and label.strip() else repr(label)


def nothing_to_draw(view: StepView) -> CallError:
    return CallError("No entry of this step can be drawn.", hint="Choose a step with finite numbers.", where=view.path)


def _lead(view: StepView, at: Index) -> Index:
    """The places of the leading axes: those that are given, and the first of the others."""
    sizes = view.shape[:-2]
    if len(at) > len(sizes) or any(not 0 <= place < size for place, size in zip(at, sizes, strict=False)):
        raise CallError(
            f"There is no matrix at {brackets(at)} in {view.form!s}.",
            hint="Give an index, counted from 0, for each axis before the last two, or none.",
            where=view.path,
        )
    if any(size == 0 for size in view.shape):
        raise nothing_to_draw(view)
    return (*at, *(0 for _ in sizes[len(at) :]))


def _which(view: StepView, at: Index, lead: Index) -> str:
    """Of several matrices of which none was chosen: that this is the first, of how many, and how to name the next."""
    open_axes = [axis for axis in range(len(at), len(lead)) if view.shape[axis] > 1]
    if not open_axes:
        return ""
    count = math.prod(view.shape[axis] for axis in open_axes)
    following = (*lead[: open_axes[-1]], 1, *lead[open_axes[-1] + 1 :])
    name = view.name if len(view.trace.all(view.name)) == 1 else view.path
    return f"This is the first of {count} matrices; {name}{brackets(following)} is the next one."


def _title(view: StepView, lead: Index, style: Style) -> str:
    """The name of a step, with the head and the place in the batch."""
    recording, step = view.recording, view.step
    alike = [other for other in recording.steps.values() if other.name == step.name and other.stage == step.stage]
    name = distinct_name(recording, step, alike, style.notation)
    before = view.name.removesuffix(view.step.name)  # head2. of one head
    places = [f"{axis}[{style.notation.place(place)}]" for axis, place in zip(view.axes, lead, strict=False)]
    return ", ".join([f"{before}{name}", *places])


def _names(view: StepView, axis: str | None, count: int, labels: Labels) -> tuple[tuple[str, ...], bool]:
    """The names of the places along an axis, and whether they are labels that were given. Those of a text fit only an
    axis that is as long as the text.
    """
    if axis is None:
        return ("",) * count, False
    given = labels.get(axis, ())
    length = dict(zip(view.axes, view.shape, strict=True)).get(axis) if axis else count  # several may have no word
    if given and len(given) == length:
        return tuple(shown(label) for label in given[:count]), True
    return tuple(f"{axis}[{view.trace.style.notation.place(n)}]" for n in range(count)), False


def _transposed(window: MatrixWindow) -> MatrixWindow:
    return replace(
        window,
        axes=window.axes[::-1],
        rows=tuple(zip(*window.rows, strict=True)),
        row_names=window.column_names,
        column_names=window.row_names,
        labeled=window.labeled[::-1],
    )
