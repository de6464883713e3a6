"""The story of a trace: from leaves to loss, back to the gradients, and on to the new weights.

Module paths become headings. Unnamed steps and the members of a rule are left out: they are in the trace, and in the
hand calculation of the steps that read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..conventions import Convention
from ..document.blocks import Block, Document, Heading, Text, Words
from ..document.notation import Notation
from ..document.numbers import PLAIN, Style
from ..engine.op import Stage
from ..engine.recording import Recording
from ..engine.steps import Step
from .hand_calculation import has_own_name
from .step_blocks import ledger_of, precision_text, step_blocks
from .step_formula import page_formula

STAGE_TITLES: dict[Stage, str] = {"forward": "Forward", "backward": "Backward", "update": "Update"}


def story(recording: Recording, title: str, style: Style = PLAIN, convention: Convention | None = None) -> Document:
    """The whole trace as a document, with the convention that it follows."""
    blocks: list[Block] = [precision_text(recording, style)]
    if convention is not None:
        blocks.append(Text((Words(f"Convention: {convention!s}."),)))
    shown = [step for step in recording.steps.values() if is_shown(recording, step)]
    blocks += [Heading(2, "Shapes"), *_shapes(recording, shown, style)]
    for headings, step in under_headings(recording, shown, style.notation):
        blocks += [*headings, *step_blocks(recording, step, style)]
    return Document(title, tuple(blocks))


def under_headings(
    recording: Recording, steps: Iterable[Step], notation: Notation
) -> Iterator[tuple[list[Block], Step]]:
    """Each step with the headings before it, where a stage or a module begins."""
    stage: Stage | None = None
    under = ""  # the path of the last heading
    for step in steps:
        headings: list[Block] = []
        if step.stage != stage:
            stage, under = step.stage, ""
            headings.append(Heading(2, STAGE_TITLES[step.stage]))
        # In the backward pass the path changes with almost every step: only entering a module gets a heading.
        if _parent(step) != under and (_parent(step) or stage != "backward"):
            headings += _path_heading(recording, step, under, notation)
            under = _parent(step)
        yield headings, step


def is_shown(recording: Recording, step: Step) -> bool:
    """Whether a step has an entry of its own in the story, and not only in the hand calculation of others."""
    return has_own_name(recording, step) and (step.leaf != "constant" or step.twin is not None)


def _parent(step: Step) -> str:
    return step.path[: len(step.path) - len(step.name)].rstrip(".")


def _shapes(recording: Recording, shown: list[Step], style: Style) -> Iterator[Block]:
    """The shapes of the forward pass: one ledger, or one for each module where names occur more than once."""
    forward = [step for step in shown if step.stage == "forward"]
    if len({step.name for step in forward}) == len(forward):
        yield ledger_of(recording, forward, style)
        return
    modules: dict[str, list[Step]] = {"": []}  # steps outside of modules come first
    for step in forward:
        modules.setdefault(_parent(step), []).append(step)
    for path, members in modules.items():
        if path:
            yield Heading(3, style.notation.path(path))
        if members:
            yield ledger_of(recording, members, style)


def _path_heading(recording: Recording, step: Step, before: str, notation: Notation) -> Iterator[Block]:
    path, stage = _parent(step), step.stage
    outside = "outside the modules" if step.leaf else f"after {notation.path(before)}"
    yield Heading(3, notation.path(path) or outside)
    for group in recording.groups.values():
        if group.path == path and not group.rule_of and stage == "forward":
            latex, reason = group.op.page.formula_for(group.settings), group.op.page.summary
            yield page_formula(group.op, latex, notation, reason)
