"""The page of one step: what it is in words and as a formula, what is inside it, and where people go wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...document.blocks import Block, Document, Fold, Heading, Note, Text
from ...document.spans import Link, Spans, Words, fill_spans
from ...engine.op import Op
from ...engine.steps import GroupRecord, Step
from ...explain.convention_page import convention_blocks
from ...explain.hand_calculation import rule_of
from ...explain.heads import HEAD_AXIS
from ...explain.mistakes import mistake_effect, mistake_summary, mistakes_at
from ...explain.step_blocks import ledger_of, title_of
from ...explain.step_formula import display_name, formula_of, page_formula
from ...explain.step_view import StepView
from ...figures.parts.matrix_window import shown
from ..answers.trace import StepPage
from ..traces.store import Opened
from .drawings import page_of
from .steps import inner_row, inner_rows, step_row

MOST_COMPARED = 4096  # entries of a step in which the one that shows a mistake best is looked for


def step_page(opened: Opened, id: str) -> StepPage:
    """What is to be said about a step, without its numbers: a window shows those.

    >>> from workings.lab.traces.store import Lab
    >>> from workings.lab.traces.wanted import Wanted
    >>> opened = Lab().open(Wanted("example-3"))
    >>> page = step_page(opened, opened.trace["weights"].id)
    >>> page.row.name, [block.kind for block in page.page.document.blocks]
    ('weights', ['text', 'text', 'formula', 'fold', 'fold'])
    >>> [row.name for row in page.inside]
    ['weights/max', 'weights/sub', 'weights/exp', 'weights/total', 'weights/div']
    """
    view = opened.view(id)
    trace, recording, step = view.trace, view.recording, view.step
    is_outer = recording is trace.recording
    row = step_row(trace, step) if is_outer else inner_row(trace, recording, step)
    document = Document(trace.style.notation.path(view.path), tuple(_blocks(view)), form="part")
    around = () if is_outer else tuple(inner_row(trace, recording, other) for other in recording.steps.values())
    return StepPage(row, page_of(document), inner_rows(trace, recording, step), around, _lead_labels(opened, view))


def _blocks(view: StepView) -> Iterator[Block]:
    recording, step, style = view.recording, view.step, view.trace.style
    yield Text(title_of(recording, step, style))
    rule = rule_of(recording, step)
    op = rule.op if rule is not None else step.op if isinstance(step.op, Op) else None
    if rule is not None:
        through = Link(display_name(recording, rule.rule_of or "", style.notation), rule.rule_of or "")
        yield Text(
            fill_spans("It flows back through {step}, by the rule of {op}.", step=through, op=Words(rule.op.name))
        )
    elif op is not None:
        yield Text((Words(op.page.summary),))
    formula = formula_of(recording, step, notation=style.notation)
    if formula is not None:
        yield formula
    yield from _repeated(view)
    for group in recording.groups.values():
        if group.result == step.id and not group.rule_of:
            yield _members(view, group)
    if step.kind == "composite":
        yield Fold("Inside", tuple(_inside(view)))
    if op is not None:
        yield from _reasons(view, op)
    if recording is view.trace.recording and step.op is not None:
        yield from _mistakes(view)


def _repeated(view: StepView) -> Iterator[Block]:
    """Which inputs were repeated: what is most often overlooked by hand."""
    for row in ledger_of(view.recording, [view.step], view.trace.style).rows:
        if row.note:
            yield Note("hint", (Words(f"{row.note}."),))


def _members(view: StepView, group: GroupRecord) -> Fold:
    """The steps of a group that ends here, with their shapes."""
    recording, style = view.recording, view.trace.style
    latex = group.op.page.formula_for(group.settings)
    summary = page_formula(group.op, latex, style.notation, group.op.page.summary)
    members = [step for step in recording.members(group) if step.named and step.leaf is None]
    return Fold(f"The steps of {group.op.name}", (summary, ledger_of(recording, members, style)))


def _inside(view: StepView) -> Iterator[Block]:
    for inner in view.inside:
        yield Text(inner.title())
        formula = inner.formula_block()
        if formula is not None:
            yield formula


def _reasons(view: StepView, op: Op) -> Iterator[Block]:
    """Why the rule of a gradient is so, and what others choose differently."""
    notation = view.trace.style.notation
    if view.step.stage == "backward" and op.page.derivation:
        yield Fold("Why", tuple(page_formula(op, latex, notation, reason) for latex, reason in op.page.derivation))
    if view.step.stage != "backward":
        blocks = tuple(block for block in convention_blocks(op, view.step.settings) if not isinstance(block, Heading))
        if blocks:
            yield Fold("Conventions", blocks)


def _mistakes(view: StepView) -> Iterator[Block]:
    """The mistakes that people make here, and what each would give."""
    notes = []
    for fit, wrong in mistakes_at(view.trace, view.step):
        sentence = mistake_summary(fit.id.partition(".")[2], fit.hint)
        gives = _gives(view, wrong, fit.id)
        notes.append(Note("mistake", (*sentence, *gives), fit.id))
    if notes:
        yield Fold("Mistakes, and what they would give", tuple(notes))


def _gives(view: StepView, wrong: Step, mistake: str) -> Spans:
    if math.prod(view.shape) > MOST_COMPARED:
        return ()
    return mistake_effect(view, StepView(view.trace, wrong), mistake) or ()


def _lead_labels(opened: Opened, view: StepView) -> tuple[tuple[str, ...], ...]:
    """What the places along the leading axes are called, so that one of their matrices can be chosen. Heads are
    counted from 1, as everywhere.
    """
    labels, place = opened.labels(view), view.trace.style.notation.place
    found = []
    for axis, size in list(zip(view.axes, view.shape, strict=True))[:-2]:
        words = labels.get(axis, ())
        if len(words) == size:
            found.append(tuple(map(shown, words)))
        else:
            first = 1 if axis == HEAD_AXIS else place(0)
            found.append(tuple(f"{axis} {n + first}".strip() for n in range(size)))
    return tuple(found)
