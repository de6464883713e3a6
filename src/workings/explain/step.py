"""One step as blocks: what it is called, its formula, its value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..engine.arrays import Array, Index, indices
from ..engine.file import CORNER
from ..engine.op import Op
from ..engine.recording import Recording
from ..engine.steps import Step
from .cell import leaf_words
from .document import Formula, Ledger, LedgerRow, Link, Math, Matrix, MatrixSlice, Spans, Words
from .formula import parse, to_ascii, to_latex, to_speech, to_unicode
from .formula_tree import for_ranks, in_greek, renamed, upright
from .line import number_at, style_for
from .numbers import PLAIN, Style
from .sentences import say
from .work import has_own_name, is_unsummed, rule_of

WIDEST = 12  # columns of a matrix that are still shown whole

# Ops of several parts, all of which the formula of a step names.
WRITTEN_OUT = {"collect": ("", " + ", ""), "concat": ("[", ", ", "]")}


@lru_cache(maxsize=1024)
def math_of(latex: str, names: tuple[tuple[str, str], ...] = (), ranks: tuple[tuple[str, int], ...] = ()) -> Math:
    r"""A formula in every form, with some of its letters replaced by names, and indices only for axes that are there.

    >>> math_of(r"y = \frac{a}{b}").text
    'y = a / b'
    >>> math_of(r"y = \frac{a}{b}", (("a", "W_Q"),)).text
    'y = W_Q / b'
    >>> math_of(r"y_{ij} = x_{ij} + b_{ij}", ranks=(("b", 1),)).text
    'yᵢⱼ = xᵢⱼ + bⱼ'
    """
    tree = renamed(for_ranks(parse(latex), dict(ranks)), dict(names))
    return Math(to_latex(upright(in_greek(tree))), to_unicode(in_greek(tree)), to_ascii(tree), to_speech(tree))


def formula_of(recording: Recording, step: Step) -> Formula | None:
    """The formula of a step, in the names of this trace: that of its page, or of the rule whose result it is."""
    group = rule_of(recording, step)
    if group is not None:
        forward = recording.step(group.rule_of or "")
        input = group.op.input_name(group.slot)
        names = _names(recording, forward, group.op, group.settings)
        names |= {f"d{letter(group.op)}": called(recording, group.inputs[0]), f"d{input}": step.name}
        ranks = _ranks(recording, forward, group.op)
        ranks |= {f"d{letter(group.op)}": len(forward.form.shape), f"d{input}": len(step.form.shape)}
        return Formula(math_of(group.op.page.rules[input].latex, tuple(names.items()), tuple(ranks.items())))
    if not isinstance(step.op, Op):
        return None
    if step.op.name in WRITTEN_OUT:
        before, sign, after = WRITTEN_OUT[step.op.name]
        parts = [chr(ord("a") + n // 26) + chr(ord("a") + n % 26) for n in range(len(step.inputs))]
        names = dict(zip(parts, (called(recording, id) for id in step.inputs), strict=True))
        latex = f"Y = {before}{sign.join(parts)}{after}"
        return Formula(math_of(latex, tuple({**names, "Y": step.name}.items())))
    names = _names(recording, step, step.op, step.settings)
    ranks = _ranks(recording, step, step.op)
    return Formula(math_of(step.op.page.formula_for(step.settings), tuple(names.items()), tuple(ranks.items())))


def _ranks(recording: Recording, step: Step, op: Op) -> dict[str, int]:
    """How many axes the letters of a page have at one step."""
    inputs = zip(op.slot_names(len(step.inputs)), step.inputs, strict=True)
    return {name: len(recording.step(id).form.shape) for name, id in inputs} | {letter(op): len(step.form.shape)}


def _names(recording: Recording, step: Step, op: Op, given: Mapping[str, Any]) -> dict[str, str]:
    """What the letters of a page stand for at one step: its inputs, its numbers, its result."""
    settings = op.positional(tuple(tensor.form for tensor in recording.input_tensors(step)), given)
    names = {key: f"{value:g}" for key, value in settings.items() if type(value) in (int, float) and value >= 0}
    inputs = zip(op.slot_names(len(step.inputs)), step.inputs, strict=True)
    names |= {name: called(recording, id) for name, id in inputs}
    return names | {letter(op): step.name}


def called(recording: Recording, id: str) -> str:
    """What a person calls a step: a transpose that nobody named is Kᵀ, a copy is what it copies."""
    step = recording.step(id)
    if has_own_name(recording, step) or step.op_name not in ("transpose", "pass"):
        return step.name
    name = called(recording, step.inputs[0])
    if step.op_name == "pass":
        return name
    return name.removesuffix("ᵀ") if name.endswith("ᵀ") else f"{name}ᵀ"


def letter(op: Op) -> str:
    """What the page's own formula calls the result.

    >>> from workings.ops import softmax
    >>> letter(softmax)
    'P'
    """
    match = re.match(r"[A-Za-z]+", op.page.formula)
    return match[0] if match else "y"


def title_of(recording: Recording, step: Step) -> Spans:
    """What a step is: its name, and in words or as a call where it comes from."""
    return (Link(step.name, step.id), Words(" "), *_origin(recording, step))


def _origin(recording: Recording, step: Step) -> Spans:
    if step.leaf is not None:
        return (Words(f"({leaf_words(recording, step)})"),)
    twin = called(recording, step.twin) if step.twin else ""
    inputs: list[Link | Words] = []
    group = rule_of(recording, step)
    op = step.op_name if group is None else group.op.name
    ids = step.inputs if group is None else (group.inputs[0], group.rule_of or "")
    for id in ids:
        inputs += [Words(", ")] if inputs else []
        inputs.append(Link(called(recording, id), id))
    call: Spans = (Words(f"= {op}("), *inputs, Words(")"))
    if step.stage == "backward" and step.twin:
        if op == "collect":
            words = say("explain.gradient.sum", twin=twin)
        elif is_unsummed(recording, step):
            words = say("explain.gradient.unsummed", twin=twin)
        elif ".via_" in step.name and group is not None:
            words = say("explain.gradient.via", twin=twin, via=recording.step(group.rule_of or "").name)
        else:
            words = say("explain.gradient", twin=twin)
        return (Words(f"({words})"),)
    return call


def matrix_of(
    recording: Recording, step: Step, style: Style = PLAIN, labels: dict[str, tuple[str, ...]] | None = None
) -> Matrix:
    """The value of a step as matrices of numbers; of a large one, the corner."""
    array, form = recording.value(step.id), step.form
    style = style_for(recording, step, style)
    limits = [CORNER if size > WIDEST else size for size in form.shape]
    cut = any(limit < size for limit, size in zip(limits, form.shape, strict=True))
    lead, last = limits[:-2], limits[-2:]
    slices = tuple(_slice(step, array, at, last, style, labels or {}) for at in indices(lead))
    note = say("explain.window", shape=str(form)) if cut else ""
    return Matrix(step.name, step.id, form.axes, form.shape, slices, note)


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
    row_labels = labels.get(words[-2], ())[:rows] if len(words) > 1 else ()
    column_labels = labels.get(words[-1], ())[:columns] if words else ()
    return MatrixSlice(lead, tuple(numbers), row_labels, column_labels)


def ledger_of(recording: Recording, steps: list[Step]) -> Ledger:
    """The shape ledger of some steps, with what was broadcast."""
    headings = tuple(say(f"explain.ledger.{key}") for key in ("step", "op", "shape"))
    count = Counter(step.name for step in steps)
    rows = []
    for step in steps:
        name = step.name if count[step.name] == 1 else step.path
        notes = []
        for note in recording.broadcast(step):
            input = recording.step(step.inputs[note.input])
            if input.leaf != "constant":
                axis = note.axis or note.position
                notes.append(say("explain.broadcast", name=input.name, axis=axis, times=note.times))
        rows.append(LedgerRow(step.id, name, step.op_name, step.form.axes, step.form.shape, "; ".join(notes)))
    return Ledger(headings, tuple(rows))
