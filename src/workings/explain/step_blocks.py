"""One step as blocks of a document: its title, formula, value, shape, and one entry by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ..document.blocks import Block, Ledger, LedgerRow, Link, Matrix, MatrixSlice, Spans, Text, Words
from ..document.notation import Notation, name_of, path_of
from ..document.numbers import PLAIN, Style
from ..engine.arrays import Array, Index, indices
from ..engine.recording import Recording
from ..engine.rounding import Unit
from ..engine.steps import Step
from .cell import cell, example_entry, leaf_origin
from .hand_calculation import is_unsummed, rule_of
from .line import number_at, style_for
from .step_formula import display_name, formula_of

MAX_SIZE = 12  # rows or columns of a matrix that is shown whole
MAX_WHOLE_SIZE = 64  # the same for `matrix(whole=True)`
CORNER_SIZE = 6  # rows and columns of a larger one that fit on a screen
MAX_SLICES = 8  # matrices of a batch that are all shown
FEW_SLICES = 2  # of more, so many along each leading axis
PRODUCTS = ("matmul", "outer")  # in reverse order where vectors are columns
UNITS: dict[Unit, str] = {"significant": "significant digits", "decimals": "decimals"}


def step_blocks(recording: Recording, step: Step, style: Style = PLAIN) -> Iterator[Block]:
    """One step: its title, formula, value, and one entry by hand."""
    yield Text(title_of(recording, step, style))
    formula = formula_of(recording, step, notation=style.notation)
    if formula is not None:
        yield formula
    yield replace(matrix_of(recording, step, style), title="")  # the text above has it
    if step.op is not None:
        yield cell(recording, step, example_entry(recording, step), style)


def precision_text(recording: Recording, style: Style) -> Text:
    """The precision of the numbers on a page, how many digits it shows, and its notation where that is unusual."""
    precision = recording.arithmetic.precision
    if precision.startswith("calculator"):
        numbers = f"Numbers: {precision}. Each line starts from the digits shown."
    else:
        numbers = f"Numbers: {precision}, shown to {style.digits} {UNITS[style.unit]}."
    return Text((Words(f"{numbers} {style.notation.words(recording)}".strip()),))


def title_of(recording: Recording, step: Step, style: Style = PLAIN) -> Spans:
    """The name of a step, and where it comes from, in words or as a call."""
    name = name_of(recording, step, style.notation)
    return (Link(name, step.id), Words(" "), *_origin(recording, step, style.notation))


def _origin(recording: Recording, step: Step, notation: Notation) -> Spans:
    if step.leaf is not None:
        return (Words(f"({leaf_origin(recording, step, notation)})"),)
    twin = display_name(recording, step.twin, notation) if step.twin else ""
    inputs: list[Link | Words] = []
    group = rule_of(recording, step)
    op = step.op_name if group is None else group.op.name
    ids = step.inputs if group is None else (group.inputs[0], group.rule_of or "")
    others = [step, *(recording.step(id) for id in ids)]
    for id in reversed(ids) if notation.columns and op in PRODUCTS and group is None else ids:
        inputs += [Words(", ")] if inputs else []
        inputs.append(Link(display_name(recording, id, notation, others), id))
    call: Spans = (Words(f"= {op}("), *inputs, Words(")"))
    if step.stage == "backward" and step.twin:
        if op == "collect":
            words = f"sum of all gradients that flow back into {twin}"
        elif is_unsummed(recording, step):
            words = f"gradient of {twin} before the sum over its copies"
        elif ".via_" in step.name and group is not None:
            through = display_name(recording, group.rule_of or "", notation)
            words = f"gradient that flows back into {twin} through {through}"
        else:
            words = f"gradient of the loss with respect to {twin}"
        return (Words(f"({words})"),)
    return call


def matrix_of(
    recording: Recording,
    step: Step,
    style: Style = PLAIN,
    labels: dict[str, tuple[str, ...]] | None = None,
    max_size: int = MAX_SIZE,
) -> Matrix:
    """The value of a step as matrices of numbers; a larger one than `max_size` is cut to its corner."""
    array, form = recording.value(step.id), step.form
    style = style_for(recording, step, style)
    limits = [CORNER_SIZE if size > max_size else size for size in form.shape]
    if math.prod(limits[:-2]) > MAX_SLICES:  # show the first texts and heads of a batch
        limits[:-2] = [min(limit, FEW_SLICES) for limit in limits[:-2]]
    cut = any(limit < size for limit, size in zip(limits, form.shape, strict=True))
    lead, last = limits[:-2], limits[-2:]
    slices = tuple(_slice(step, array, at, last, style, labels or {}) for at in indices(lead))
    form = style.notation.form(form)
    note = f"The corner of {form!s}: the rest is in the data." if cut else ""
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
    """The words along an axis, if there is one for each place."""
    words = labels.get(step.form.axes[axis], ())
    return words if len(words) == step.form.shape[axis] else ()


def ledger_of(recording: Recording, steps: list[Step], style: Style = PLAIN) -> Ledger:
    """The shape ledger of some steps, with their broadcast inputs."""
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
                notes.append(f"{name_of(recording, input, notation)} is broadcast along {axis}, {note.times} times")
        rows.append(LedgerRow(step.id, name, step.op_name, form.axes, form.shape, "; ".join(notes)))
    return Ledger(("step", "op", "shape"), tuple(rows))
