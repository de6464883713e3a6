"""The story of a trace: from leaves to loss, back to the gradients, and on to the new weights.

Module paths become headings. Steps that nobody named and the members of a rule are folded: they
are in the trace, and in the hand calculation of what they lead to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..engine.op import Stage
from ..engine.recording import Recording
from ..engine.steps import Step
from .cell import cell, telling_entry
from .document import Block, Document, Formula, Heading, Text, Words
from .numbers import PLAIN, Style
from .sentences import say
from .step import formula_of, ledger_of, math_of, matrix_of, title_of

STAGES: tuple[Stage, ...] = ("forward", "backward", "update")


def story(recording: Recording, title: str, style: Style = PLAIN) -> Document:
    """The whole trace as a document."""
    blocks: list[Block] = [Text((Words(say("explain.precision", precision=recording.arithmetic.precision)),))]
    shown = [step for step in recording.steps.values() if is_told(recording, step)]
    blocks += [Heading(2, say("explain.shapes")), ledger_of(recording, [s for s in shown if s.stage == "forward"])]
    stage: Stage | None = None
    parent = ""
    for step in shown:
        if step.stage != stage:
            stage, parent = step.stage, ""
            blocks.append(Heading(2, say(f"explain.{stage}")))
        if _parent(step) != parent:
            parent = _parent(step)
            blocks += _group_heading(recording, parent, stage)
        blocks += step_blocks(recording, step, style)
    return Document(title, tuple(blocks))


def is_told(recording: Recording, step: Step) -> bool:
    """Whether a step stands in the story by itself."""
    if step.leaf == "constant" and not step.twin:
        return False
    group = recording.groups.get(step.group or "")
    inside_rule = group is not None and group.rule_of is not None and step.path != group.path
    return not inside_rule and step.named


def step_blocks(recording: Recording, step: Step, style: Style = PLAIN) -> Iterator[Block]:
    """One step: its title, formula, value, and one entry by hand."""
    yield Text(title_of(recording, step))
    formula = formula_of(recording, step)
    if formula is not None:
        yield formula
    yield replace(matrix_of(recording, step, style), title="")  # the text above says it
    if step.op is not None:
        yield cell(recording, step, telling_entry(recording, step), style)


def _parent(step: Step) -> str:
    return step.path[: len(step.path) - len(step.name)].rstrip(".")


def _group_heading(recording: Recording, path: str, stage: Stage) -> Iterator[Block]:
    if not path:
        return
    yield Heading(3, path)
    for group in recording.groups.values():
        if group.path == path and not group.rule_of and stage == "forward":
            yield Formula(math_of(group.op.page.formula), group.op.page.summary)
