"""One step as blocks: what it is called, its formula, its value."""

from __future__ import annotations

from functools import lru_cache

from ..engine.arrays import Array, Index, indices
from ..engine.file import CORNER
from ..engine.op import Op
from ..engine.recording import Recording
from ..engine.steps import Step
from .cell import number_at, rule_of, style_for
from .document import Formula, Ledger, LedgerRow, Link, Math, Matrix, MatrixSlice, Spans, Words
from .formula import parse, to_ascii, to_latex, to_speech, to_unicode
from .numbers import PLAIN, Style
from .sentences import say

WIDEST = 12  # columns of a matrix that are still shown whole


@lru_cache(maxsize=1024)
def math_of(latex: str) -> Math:
    """A formula in every form.

    >>> math_of(r"y = \\frac{a}{b}").text
    'y = a / b'
    """
    tree = parse(latex)
    return Math(to_latex(tree), to_unicode(tree), to_ascii(tree), to_speech(tree))


def formula_of(recording: Recording, step: Step) -> Formula | None:
    """The formula of a step: that of its page, or of the rule whose result it is."""
    group = rule_of(recording, step)
    if group is not None:
        return Formula(math_of(group.op.page.rules[group.op.input_name(group.slot)].latex))
    return Formula(math_of(step.op.page.formula)) if isinstance(step.op, Op) else None


def title_of(recording: Recording, step: Step) -> Spans:
    """What a step is: its name, and in words or as a call where it comes from."""
    return (Link(step.name, step.id), Words(" "), *_origin(recording, step))


def _origin(recording: Recording, step: Step) -> Spans:
    twin = recording.step(step.twin).name if step.twin else ""
    if step.leaf is not None:
        words = say("explain.seed", twin=twin) if step.twin else say(f"explain.leaf.{step.leaf}")
        return (Words(f"({words})"),)
    inputs: list[Link | Words] = []
    group = rule_of(recording, step)
    op = step.op_name if group is None else group.op.name
    ids = step.inputs if group is None else (group.inputs[0], group.rule_of or "")
    for id in ids:
        inputs += [Words(", ")] if inputs else []
        inputs.append(Link(recording.step(id).name, id))
    call: Spans = (Words(f"= {op}("), *inputs, Words(")"))
    if step.stage == "backward" and step.twin:
        key = "explain.gradient.sum" if op == "collect" else "explain.gradient"
        return (Words(f"({say(key, twin=twin)})"),)
    return call


def matrix_of(recording: Recording, step: Step, style: Style = PLAIN, labels: dict[str, tuple[str, ...]] | None = None) -> Matrix:
    """The value of a step as matrices of numbers; of a large one, the corner."""
    array, form = recording.value(step.id), step.form
    style = style_for(recording, step, style)
    limits = [CORNER if size > WIDEST else size for size in form.shape]
    cut = any(limit < size for limit, size in zip(limits, form.shape, strict=True))
    lead, last = limits[:-2], limits[-2:]
    slices = tuple(_slice(step, array, at, last, style, labels or {}) for at in indices(lead))
    note = say("explain.window", shape=str(form)) if cut else ""
    return Matrix(step.name, step.id, form.axes, form.shape, slices, note)


def _slice(step: Step, array: Array, lead: Index, last: list[int], style: Style, labels: dict[str, tuple[str, ...]]) -> MatrixSlice:
    rows = last[0] if len(last) == 2 else 1
    columns = last[-1] if last else 1
    numbers = []
    for row in range(rows):
        places = ((*lead, row, column) for column in range(columns))
        # A vector has no row number, a single number has no index at all.
        numbers.append(tuple(number_at(step, array, at[2 - len(last) :], style) for at in places))
    words = step.form.axes
    row_labels = labels.get(words[-2], ())[:rows] if len(words) > 1 else ()
    column_labels = labels.get(words[-1], ())[:columns] if words else ()
    return MatrixSlice(lead, tuple(numbers), row_labels, column_labels)


def ledger_of(recording: Recording, steps: list[Step]) -> Ledger:
    """The shape ledger of some steps, with what was broadcast."""
    headings = tuple(say(f"explain.ledger.{key}") for key in ("step", "op", "shape"))
    rows = []
    for step in steps:
        notes = [
            say("explain.broadcast", name=recording.step(step.inputs[note.input]).name, axis=note.axis or note.position, times=note.times)
            for note in recording.broadcast(step)
            if recording.step(step.inputs[note.input]).leaf != "constant"
        ]
        rows.append(LedgerRow(step.id, step.name, step.op_name, step.form.axes, step.form.shape, "; ".join(notes)))
    return Ledger(headings, tuple(rows))
