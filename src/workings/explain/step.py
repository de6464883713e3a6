"""One step as blocks: what it is called, its value, its shape."""

from __future__ import annotations

import math
from collections import Counter

from ..engine.arrays import Array, Index, indices
from ..engine.recording import Recording
from ..engine.steps import Step
from .cell import leaf_words
from .document import Ledger, LedgerRow, Link, Matrix, MatrixSlice, Spans, Words
from .line import number_at, style_for
from .notation import Notation, name_of, path_of
from .numbers import PLAIN, Style
from .sentences import say
from .step_formula import called
from .work import is_unsummed, rule_of

WIDEST = 12  # columns of a matrix that are still shown whole
WHOLE = 64  # the same where the whole is asked for
SHOWN = 6  # of a larger one: so many rows and columns fit side by side on a screen
MOST_SLICES, FEW = 8, 2  # matrices of a batch that are still shown all; else so many of each leading axis
PRODUCTS = ("matmul", "outer")  # written in reverse order where vectors are columns


def title_of(recording: Recording, step: Step, style: Style = PLAIN) -> Spans:
    """What a step is: its name, and in words or as a call where it comes from."""
    name = name_of(recording, step, style.notation)
    return (Link(name, step.id), Words(" "), *_origin(recording, step, style.notation))


def _origin(recording: Recording, step: Step, notation: Notation) -> Spans:
    if step.leaf is not None:
        return (Words(f"({leaf_words(recording, step, notation)})"),)
    twin = called(recording, step.twin, notation) if step.twin else ""
    inputs: list[Link | Words] = []
    group = rule_of(recording, step)
    op = step.op_name if group is None else group.op.name
    ids = step.inputs if group is None else (group.inputs[0], group.rule_of or "")
    beside = [step, *(recording.step(id) for id in ids)]
    for id in reversed(ids) if notation.columns and op in PRODUCTS and group is None else ids:
        inputs += [Words(", ")] if inputs else []
        inputs.append(Link(called(recording, id, notation, beside), id))
    call: Spans = (Words(f"= {op}("), *inputs, Words(")"))
    if step.stage == "backward" and step.twin:
        if op == "collect":
            words = say("explain.gradient.sum", twin=twin)
        elif is_unsummed(recording, step):
            words = say("explain.gradient.unsummed", twin=twin)
        elif ".via_" in step.name and group is not None:
            words = say("explain.gradient.via", twin=twin, via=called(recording, group.rule_of or "", notation))
        else:
            words = say("explain.gradient", twin=twin)
        return (Words(f"({words})"),)
    return call


def matrix_of(
    recording: Recording,
    step: Step,
    style: Style = PLAIN,
    labels: dict[str, tuple[str, ...]] | None = None,
    widest: int = WIDEST,
) -> Matrix:
    """The value of a step as matrices of numbers; of one with more rows or columns than `widest`, the corner."""
    array, form = recording.value(step.id), step.form
    style = style_for(recording, step, style)
    limits = [SHOWN if size > widest else size for size in form.shape]
    if math.prod(limits[:-2]) > MOST_SLICES:  # of the texts and heads of a batch, the first ones
        limits[:-2] = [min(limit, FEW) for limit in limits[:-2]]
    cut = any(limit < size for limit, size in zip(limits, form.shape, strict=True))
    lead, last = limits[:-2], limits[-2:]
    slices = tuple(_slice(step, array, at, last, style, labels or {}) for at in indices(lead))
    form = style.notation.form(form)
    note = say("explain.window", shape=str(form)) if cut else ""
    return Matrix(name_of(recording, step, style.notation), step.id, form.axes, form.shape, slices, note)


def _slice(
    step: Step, array: Array, lead: Index, last: list[int], style: Style, labels: dict[str, tuple[str, ...]]
) -> MatrixSlice:
    rows = last[0] if len(last) == 2 else 1
    columns = last[-1] if last else 1
    numbers = []
    for row in range(rows):
        places = ((*lead, row, column) for column in range(columns))
        # A vector has no row number, a single number has no index at all.
        numbers.append(tuple(number_at(step, array, at[2 - len(last) :], style) for at in places))
    words = step.form.axes
    row_labels = _labels(step, -2, labels)[:rows] if len(words) > 1 else ()
    column_labels = _labels(step, -1, labels)[:columns] if words else ()
    lead = tuple(map(style.notation.place, lead))
    if style.notation.columns:
        return MatrixSlice(lead, tuple(zip(*numbers, strict=True)), column_labels, row_labels)
    return MatrixSlice(lead, tuple(numbers), row_labels, column_labels)


def _labels(step: Step, axis: int, labels: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What the places along an axis are called, if there is a word for each of them."""
    words = labels.get(step.form.axes[axis], ())
    return words if len(words) == step.form.shape[axis] else ()


def ledger_of(recording: Recording, steps: list[Step], style: Style = PLAIN) -> Ledger:
    """The shape ledger of some steps, with what was broadcast."""
    headings = tuple(say(f"explain.ledger.{key}") for key in ("step", "op", "shape"))
    notation = style.notation
    count = Counter(name_of(recording, step, notation) for step in steps)
    rows = []
    for step in steps:
        name, form = name_of(recording, step, notation), notation.form(step.form)
        name = name if count[name] == 1 else path_of(recording, step, notation)
        notes = []
        for note in recording.broadcast(step):
            input = recording.step(step.inputs[note.input])
            if input.leaf != "constant":
                axis = note.axis or note.position
                notes.append(
                    say("explain.broadcast", name=name_of(recording, input, notation), axis=axis, times=note.times)
                )
        rows.append(LedgerRow(step.id, name, step.op_name, form.axes, form.shape, "; ".join(notes)))
    return Ledger(headings, tuple(rows))
