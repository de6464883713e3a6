"""One op page with given numbers: forward, backward, by hand, and what mistakes would give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..document.blocks import Block, Document, Formula, Heading, Note, Number, Span, Spans, Text, Words
from ..document.notation import name_of
from ..document.numbers import PLAIN, Style, write
from ..engine.arrays import Index
from ..engine.errors import NumberError, WorkingsError
from ..engine.op import Op, first_of
from ..engine.page import Mistake
from ..engine.steps import GroupRecord, Step
from ..engine.tensor import Tensor
from .cell import cell, example_entry
from .convention_page import convention_blocks
from .mistakes import mistake_effect, mistake_summary
from .step_blocks import matrix_of, precision_text
from .step_formula import formula_of, in_notation, letter, letters_of, page_formula
from .story import STAGE_TITLES, is_shown
from .trace import Trace


@dataclass(frozen=True)
class OpRun:
    """An op, recorded with some inputs, and with a backward pass if there was a cotangent."""

    op: Op
    trace: Trace
    result: str
    inputs: tuple[str, ...]
    undefined: str = ""  # why these numbers have no gradient


def run_op(
    op: Op,
    inputs: list[Tensor],
    settings: dict[str, Any],
    cotangent: Any = None,
    precision: str = "float64",
    style: Style = PLAIN,
) -> OpRun:
    """Run an op on these inputs, forward and, with a cotangent, backward."""
    trace = Trace(precision=precision, style=style)
    with trace:
        # Leaves first, so that they come first in the trace, under their names on the page.
        ids = [trace.recording.id_of(tensor) for tensor in inputs]
        output = op(*inputs, name="" if op.kind == "group" else letter(op), **settings)
    result = trace.recording.step(trace.recording.id_of(first_of(output)))
    undefined = ""
    if cotangent is not None:
        try:
            trace.backward(result.path, cotangent)
        except NumberError as error:  # such as the slope of a root at 0
            undefined = error.what
    return OpRun(op, trace, result.path, tuple(trace.recording.step(id).path for id in ids), undefined)


def op_document(run: OpRun, entry: Index | None = None) -> Document:
    """The page as a document; `entry` is the one to compute by hand."""
    return Document(run.op.name, tuple(_blocks(run, entry)))


def _blocks(run: OpRun, entry: Index | None) -> Iterator[Block]:
    page, recording, style = run.op.page, run.trace.recording, run.trace.style
    yield Text((Words(page.summary),))
    yield _headline(run)
    yield precision_text(recording, style)
    yield Heading(2, "Given")
    for input in run.inputs:
        yield matrix_of(recording, run.trace[input].step, style)
    yield from _settings(run)
    yield from convention_blocks(run.op, _call(run).settings)
    yield Heading(2, STAGE_TITLES[_call(run).stage])
    result = run.trace[run.result].step
    for part in _parts(run):
        if part.op_name != run.op.name:
            yield from _formula(run, part)
        yield from _worked(run, part, entry if part is result else None)
    yield from _backward(run)
    yield from _mistakes(run)


def _headline(run: OpRun) -> Formula:
    """The formula of the page; the result of a group has the name of its last step."""
    latex, result = run.op.page.formula_for(_call(run).settings), run.trace[run.result].step
    notation = run.trace.style.notation
    if run.op.kind == "group":
        name = name_of(run.trace.recording, result, notation)
        return page_formula(run.op, latex, notation, names={letter(run.op): name})
    letters = letters_of(run.trace.recording, result, run.op, result.settings, False, notation)
    return in_notation(letters, run.op, latex, notation)


def _call(run: OpRun) -> Step | GroupRecord:
    """The step or the group that is the op itself."""
    groups = run.trace.recording.groups.values()
    own = (group for group in groups if group.op is run.op and not group.rule_of)
    return next(own, run.trace[run.result].step)


def _settings(run: OpRun) -> Iterator[Block]:
    """The settings of this call, under their names on the page."""
    result = run.trace[run.result].step
    form = run.trace[run.inputs[0]].step.form
    spans: list[Span] = []
    settings = _call(run).settings
    for name in run.op.page.settings:
        value = settings[name]
        if value is None or value == () or name == "dtype":
            continue
        spans += [Words(", ")] if spans else []
        spans.append(Words(f"{name} = "))
        if name == "axis" and isinstance(value, int) and "word" not in settings and form.axes[value]:
            spans.append(Words(form.axes[value]))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            text = write(value, replace(run.trace.style, whole=True, exact=True))
            spans.append(Number(text, value, result.id, (), "setting"))
        else:
            items = value if isinstance(value, tuple) else (value,)
            spans.append(Words(" ".join(str(item).lower() if isinstance(item, bool) else str(item) for item in items)))
    if spans:
        yield Text(tuple(spans))


def _parts(run: OpRun) -> list[Step]:
    """The steps of the forward pass that the page shows: the parts of a group, else the result."""
    recording = run.trace.recording
    result = run.trace[run.result].step
    if run.op.kind != "group":
        return [result]
    group = _call(run)
    computed = [step for step in recording.steps.values() if step.stage == group.stage and step.op is not None]
    parts = {group.prefix + part for part in getattr(run.op, "parts", ())} if isinstance(group, GroupRecord) else ()
    return [step for step in computed if step.path in parts or step is result]


def _formula(run: OpRun, step: Step) -> Iterator[Block]:
    formula = formula_of(run.trace.recording, step, run.op.kind == "group", run.trace.style.notation)
    if formula is not None:
        yield formula


def _worked(run: OpRun, step: Step, entry: Index | None = None) -> Iterator[Block]:
    """A value and the hand calculation of one of its entries."""
    recording, style = run.trace.recording, run.trace.style
    yield matrix_of(recording, step, style)
    yield cell(recording, step, example_entry(recording, step) if entry is None else entry, style)


def _backward(run: OpRun) -> Iterator[Block]:
    page, recording, notation = run.op.page, run.trace.recording, run.trace.style.notation
    gradients = [step for step in recording.steps.values() if step.stage == "backward" and is_shown(recording, step)]
    flows = len(gradients) > 1  # more than the upstream gradient alone
    if not flows and not run.undefined and (page.rules or not page.no_rule):
        return
    yield Heading(2, "Backward")
    if run.undefined:
        yield Note("hint", (Words(f"There is no gradient here: {run.undefined}"),))
    if flows:
        yield matrix_of(recording, gradients[0], run.trace.style)
    if run.op.kind == "group":
        for step in gradients[1:]:
            yield from _formula(run, step)
            yield from _worked(run, step)
    for slot in range(len(run.inputs)) if page.rules else ():
        for gradient in _gradients(run, slot):
            yield from _formula(run, gradient)
            yield from _worked(run, gradient)
    for input, reason in page.no_rule.items():
        yield Note("hint", (Words(f"No gradient for {notation.path(input)}: {reason}"),))
    if page.derivation:
        yield Heading(3, "Why")
    for latex, reason in page.derivation:
        yield page_formula(run.op, latex, notation, reason)


def _gradients(run: OpRun, slot: int) -> list[Step]:
    """The gradients of an input; of a broadcast one, first that of its copies and then their sum.

    They are found by their twin, because a name may be taken: sgd has an input dW.
    """
    recording = run.trace.recording
    twin = run.trace[run.inputs[slot]].id
    found = [step for step in recording.steps.values() if step.twin == twin and step.stage == "backward"]
    return [step for step in found if is_shown(recording, step)]


def _mistakes(run: OpRun) -> Iterator[Block]:
    notes = [note for mistake in run.op.page.mistakes.values() if (note := _mistake(run, mistake))]
    if notes:
        yield Heading(2, "Common mistakes")
        yield from notes
    shown = {note.mistake for note in notes}
    across = [m for m in run.op.page.mistakes.values() if m.across and m.id not in shown]
    if across:
        yield Heading(2, "Mistakes that involve other steps")
    for mistake in across:
        yield Note("mistake", mistake_summary(mistake.name, mistake.hint), mistake.id)


def _mistake(run: OpRun, mistake: Mistake) -> Note | None:
    effect = mistake_on(run, mistake)
    if effect is None:
        return None
    return Note("mistake", (*mistake_summary(mistake.name, mistake.hint), *effect), mistake.id)


def mistake_on(run: OpRun, mistake: Mistake) -> Spans | None:
    """What one mistake would give here; nothing if it does not apply or changes nothing."""
    place = _place(run, mistake)
    if place is None:
        return None
    changed, seen = place
    try:
        wrong = run.trace.replay(ops={changed: mistake})
    except WorkingsError:
        return None
    return mistake_effect(run.trace[seen], wrong[seen], mistake.id)


def _place(run: OpRun, mistake: Mistake) -> tuple[str, str] | None:
    """The step that a mistake replaces, and the one that shows it: the gradient of a broadcast input is a sum."""
    result = run.trace[run.result].id
    if not mistake.of:
        return result, result
    for group in run.trace.recording.groups.values():
        if group.rule_of == result and run.op.input_name(group.slot) == mistake.of:
            return group.result, _gradients(run, group.slot)[-1].id
    return None
