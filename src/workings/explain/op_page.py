"""One op page with somebody's numbers: forward, backward, by hand, and what mistakes would give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..engine.arrays import Array, Index, brackets, indices, is_float
from ..engine.errors import WorkingsError
from ..engine.op import Op
from ..engine.page import Mistake
from ..engine.tensor import Tensor
from .cell import checked, number_at, style_for, telling_entry
from .document import Block, Document, Formula, Heading, Link, Note, Spans, Text, Words
from .numbers import PLAIN, Style, apart
from .sentences import say, say_spans
from .step import letter, math_of, matrix_of
from .view import Trace


@dataclass(frozen=True)
class OpRun:
    """An op, recorded with some inputs, and with a backward pass if there was a cotangent."""

    op: Op
    trace: Trace
    result: str
    inputs: tuple[str, ...]


def run_op(
    op: Op,
    inputs: list[Tensor],
    settings: dict[str, Any],
    cotangent: Any = None,
    precision: str = "float64",
    style: Style = PLAIN,
) -> OpRun:
    """Carry out an op on these inputs, forward and, with a cotangent, backward."""
    trace = Trace(precision=precision, style=style)
    with trace:
        # Leaves first, so that they stand first in the trace under their names on the page.
        ids = [trace.recording.id_of(tensor) for tensor in inputs]
        output = op(*inputs, name="" if op.kind == "group" else letter(op), **settings)
    result = trace.recording.step(trace.recording.id_of(output))
    if cotangent is not None:
        trace.backward(result.path, cotangent)
    return OpRun(op, trace, result.path, tuple(trace.recording.step(id).path for id in ids))


def op_document(run: OpRun, entry: Index | None = None) -> Document:
    """The page as a document; `entry` chooses the one that is calculated by hand."""
    return Document(run.op.name, tuple(_blocks(run, entry)))


def _blocks(run: OpRun, entry: Index | None) -> Iterator[Block]:
    page = run.op.page
    yield Text((Words(say(f"op.{page.name}.summary")),))
    yield Formula(math_of(page.formula))
    yield Heading(2, say("explain.given_values"))
    for input in run.inputs:
        yield _matrix(run, input)
    yield Heading(2, say("explain.forward"))
    yield from _worked(run, run.result, entry)
    yield from _backward(run)
    yield from _mistakes(run)


def _matrix(run: OpRun, name: str) -> Block:
    return matrix_of(run.trace.recording, run.trace[name].step, run.trace.style)


def _worked(run: OpRun, name: str, entry: Index | None = None) -> Iterator[Block]:
    """A value and the hand calculation of one of its entries."""
    step = run.trace[name].step
    yield matrix_of(run.trace.recording, step, run.trace.style)
    index = telling_entry(run.trace.recording, step) if entry is None else checked(step, entry)
    if run.op.kind == "group" and step.stage == "forward":
        for part in run.trace.recording.members(next(iter(run.trace.recording.groups.values()))):
            if part.name in getattr(run.op, "parts", ()):
                yield matrix_of(run.trace.recording, part, run.trace.style)
                yield run.trace[part.path].cell(*telling_entry(run.trace.recording, part))
        return
    yield run.trace[name].cell(*index)


def _backward(run: OpRun) -> Iterator[Block]:
    page = run.op.page
    gradients = [(input, f"d{input}") for input in run.inputs if f"d{input}" in run.trace]
    if not gradients:
        return
    yield Heading(2, say("explain.backward"))
    yield _matrix(run, f"d{run.trace[run.result].name}")
    for name, gradient in gradients:
        input = page.inputs[0] if page.variadic else name
        if input in page.rules:
            yield Formula(math_of(page.rules[input].latex))
        yield from _worked(run, gradient)
    for input, _ in page.no_rule.items():
        reason = say(f"op.{page.name}.no_rule.{input}")
        yield Note("hint", (Words(say("explain.no_gradient", input=input, reason=reason)),))
    if page.derivation:
        yield Heading(3, say("explain.why"))
    for number, (latex, _) in enumerate(page.derivation, 1):
        yield Formula(math_of(latex), say(f"op.{page.name}.derivation.{number}"))


def _mistakes(run: OpRun) -> Iterator[Block]:
    notes = [note for mistake in run.op.page.mistakes.values() if (note := _mistake(run, mistake))]
    if notes:
        yield Heading(2, say("explain.mistakes"))
        yield from notes


def _mistake(run: OpRun, mistake: Mistake) -> Note | None:
    """What one mistake would give here; nothing if it does not apply or changes nothing."""
    name = f"d{mistake.of}" if mistake.of else run.result
    if name not in run.trace:
        return None
    try:
        wrong = run.trace.replay(ops={name: mistake})
    except WorkingsError:
        return None
    told: Spans = (Words(say("explain.mistake.value", name=mistake.name.replace("_", " "), hint=_hint(mistake))),)
    truth, false = run.trace[name], wrong[name]
    if truth.shape != false.shape:
        return Note("mistake", (*told, Words(say("explain.mistake.shape", shape=str(false.step.form)))), mistake.id)
    index = _furthest(truth.value, false.value)
    if index is None:
        return None
    one, other = float(truth.value[index]), float(false.value[index])
    style = apart(one, other, style_for(run.trace.recording, truth.step, run.trace.style))
    gives = say_spans(
        "explain.mistake.gives",
        value=replace(number_at(false.step, false.value, index, style), role="mistake"),
        truth=number_at(truth.step, truth.value, index, style),
        entry=Link(truth.name + brackets(index), truth.id),
    )
    return Note("mistake", (*told, *gives), mistake.id)


def _hint(mistake: Mistake) -> str:
    return say(f"op.{mistake.page}.mistake.{mistake.name}")


def _furthest(truth: Array, false: Array) -> Index | None:
    """The entry at which two arrays differ most, if they differ."""
    if not is_float(truth):
        return None
    gap, index = max((abs(float(truth[at]) - float(false[at])), at) for at in indices(truth.shape))
    return index if gap > 0 else None
