"""The story of a trace: from leaves to loss, back to the gradients, and on to the new weights.

Module paths become headings. Steps that nobody named and the members of a rule are folded: they
are in the trace, and in the hand calculation of what they lead to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..conventions import Convention
from ..engine.op import Stage
from ..engine.recording import Recording
from ..engine.steps import Step
from .cell import cell, telling_entry
from .document import Block, Document, Heading, Text, Words
from .notation import Notation
from .numbers import PLAIN, Style
from .sentences import say
from .step import ledger_of, matrix_of, title_of
from .step_formula import formula_of, page_formula
from .work import has_own_name

STAGES: tuple[Stage, ...] = ("forward", "backward", "update")


def story(recording: Recording, title: str, style: Style = PLAIN, convention: Convention | None = None) -> Document:
    """The whole trace as a document, with the convention that it follows."""
    blocks: list[Block] = [precision_text(recording, style)]
    if convention is not None:
        blocks.append(Text((Words(say("explain.convention", convention=str(convention))),)))
    shown = [step for step in recording.steps.values() if is_told(recording, step)]
    blocks += [Heading(2, say("explain.shapes")), *_shapes(recording, shown, style)]
    for headings, step in under_headings(recording, shown, style.notation):
        blocks += [*headings, *step_blocks(recording, step, style)]
    return Document(title, tuple(blocks))


def under_headings(
    recording: Recording, steps: Iterable[Step], notation: Notation
) -> Iterator[tuple[list[Block], Step]]:
    """Each step with the headings that stand before it, where a stage or a module begins."""
    stage: Stage | None = None
    under = ""  # the path that was made a heading last
    for step in steps:
        headings: list[Block] = []
        if step.stage != stage:
            stage, under = step.stage, ""
            headings.append(Heading(2, say(f"explain.{stage}")))
        # Going back, the path changes with almost every step: only entering a module is worth a heading.
        if _parent(step) != under and (_parent(step) or stage != "backward"):
            headings += _path_heading(recording, step, under, notation)
            under = _parent(step)
        yield headings, step


def precision_text(recording: Recording, style: Style) -> Text:
    """How the numbers of a page were calculated, how many digits of them it shows, and how it writes names and entries
    where that is not the usual way.
    """
    precision = recording.arithmetic.precision
    key = "explain.precision.calculator" if precision.startswith("calculator") else "explain.precision"
    precise = say(key, precision=precision, digits=style.digits, unit=say(f"explain.unit.{style.unit}"))
    return Text((Words(f"{precise} {style.notation.words(recording)}".strip()),))


def is_told(recording: Recording, step: Step) -> bool:
    """Whether a step stands in the story by itself."""
    return has_own_name(recording, step) and (step.leaf != "constant" or step.twin is not None)


def step_blocks(recording: Recording, step: Step, style: Style = PLAIN) -> Iterator[Block]:
    """One step: its title, formula, value, and one entry by hand."""
    yield Text(title_of(recording, step, style))
    formula = formula_of(recording, step, notation=style.notation)
    if formula is not None:
        yield formula
    yield replace(matrix_of(recording, step, style), title="")  # the text above says it
    if step.op is not None:
        yield cell(recording, step, telling_entry(recording, step), style)


def _parent(step: Step) -> str:
    return step.path[: len(step.path) - len(step.name)].rstrip(".")


def _shapes(recording: Recording, shown: list[Step], style: Style) -> Iterator[Block]:
    """The shapes of the forward pass: in one ledger, or in one for each module where names come again."""
    forward = [step for step in shown if step.stage == "forward"]
    if len({step.name for step in forward}) == len(forward):
        yield ledger_of(recording, forward, style)
        return
    modules: dict[str, list[Step]] = {"": []}  # what lies in no module comes first
    for step in forward:
        modules.setdefault(_parent(step), []).append(step)
    for path, members in modules.items():
        if path:
            yield Heading(3, style.notation.path(path))
        if members:
            yield ledger_of(recording, members, style)


def _path_heading(recording: Recording, step: Step, before: str, notation: Notation) -> Iterator[Block]:
    path, stage = _parent(step), step.stage
    outside = say("explain.outside") if step.leaf else say("explain.after", path=notation.path(before))
    yield Heading(3, notation.path(path) or outside)
    for group in recording.groups.values():
        if group.path == path and not group.rule_of and stage == "forward":
            latex, reason = group.op.page.formula_for(group.settings), say(f"op.{group.op.name}.summary")
            yield page_formula(group.op, latex, notation, reason)
