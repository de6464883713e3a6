"""The heads of attention in a trace: packed in one array with an axis `head`, or computed one by one and joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...engine.errors import CallError, StepError
from ...engine.names import ends_in
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.heads import HEAD_AXIS, HeadSlice, HeadView
from ...explain.step_view import StepView
from ...explain.trace import Trace

PACKED, SEPARATE = "merge_heads", "concat"  # how heads are joined


@dataclass(frozen=True)
class AttentionHead:
    """The context of one head, and the attention weights that it comes from."""

    name: str
    context: Step
    weights: StepView
    axes: tuple[str, ...]
    shape: tuple[int, ...]


def joining_step(trace: Trace, under: str) -> tuple[Step, str]:
    """The step that joins the heads, and a word about the other ones."""
    found = [step for step in trace.recording.steps.values() if any(heads_joined_by(trace, step))]
    modules = list(dict.fromkeys(module_of(step) for step in found))
    if not found:
        raise CallError(
            "This trace has no attention heads that are joined.",
            hint="Choose a model with several heads: each a module of its own, or all in one array with an axis head.",
        )
    chosen = [step for step in found if not under or module_of(step) == under or ends_in(module_of(step), under)]
    if not chosen:
        raise StepError(
            f"'{under}' joins no attention heads.", hint=f"Name one of these modules, or none: {', '.join(modules)}."
        )
    others = [module for module in modules if module != module_of(chosen[0])]
    more = f"Other modules with heads: {', '.join(others[:3])}." if others and not under else ""
    return chosen[0], more


def heads_joined_by(trace: Trace, joined: Step) -> Iterator[AttentionHead]:
    """The heads that a step joins; none where it joins something else."""
    if joined.stage != "forward" or joined.op_name not in (PACKED, SEPARATE):
        return
    recording = trace.recording
    contexts = [recording.step(id) for id in joined.inputs]
    weights = [_weights(recording, context) for context in contexts]
    if joined.op_name == PACKED and weights[0] is not None and HEAD_AXIS in weights[0].form.axes:
        form = contexts[0].form
        place = form.axes.index(HEAD_AXIS)
        kept = form.taking(n for n in range(len(form.shape)) if n != place)
        for number in range(1, form.shape[place] + 1):
            view = HeadView(trace, HeadSlice.of(recording, recording, weights[0], number))
            yield AttentionHead(f"{HEAD_AXIS}{number}", contexts[0], view, kept.axes, kept.shape)
    elif joined.op_name == SEPARATE and len(contexts) > 1 and all(weights):
        for number, (context, step) in enumerate(zip(contexts, weights, strict=True), start=1):
            assert step is not None
            name = module_of(context).rpartition(".")[2] if module_of(context) != module_of(joined) else ""
            yield AttentionHead(
                name or f"{HEAD_AXIS}{number}", context, StepView(trace, step), context.form.axes, context.form.shape
            )


def _weights(recording: Recording, context: Step) -> Step | None:
    """The weights with which values were mixed: the result of a softmax, perhaps with dropout."""
    if context.op_name != "matmul":
        return None
    weights = source = recording.step(context.inputs[0])
    while source.op_name == "dropout":
        source = recording.step(source.inputs[0])
    return weights if source.op_name == "softmax" else None


def module_of(step: Step) -> str:
    return step.path[: len(step.path) - len(step.name)].rstrip(".")


def projected(recording: Recording, joined: Step) -> tuple[Step | None, Step | None]:
    """The weight of the output projection, and its result."""
    for step in recording.steps.values():
        if step.stage == "forward" and joined.id in step.inputs and step.op_name in ("matmul", "linear"):
            return recording.step(step.inputs[1]), step
    return None, None


def inputs_of(recording: Recording, joined: Step) -> list[Step]:
    """What the heads read: the steps before those of their module, and no weights."""
    module, seen, found = module_of(joined), {joined.id}, []
    waiting = [joined]
    while waiting:
        for id in waiting.pop().inputs:
            step = recording.step(id)
            if id in seen:
                continue
            seen.add(id)
            if step.leaf is None and _is_inside(step, module):
                waiting.append(step)
            elif step.leaf in (None, "given"):
                found.append(step)
    return sorted(found, key=lambda step: list(recording.steps).index(step.id))


def _is_inside(step: Step, module: str) -> bool:
    """Whether a step belongs to the heads: to their module itself, or to a head that is one. A norm before them does
    not.
    """
    below = module_of(step).removeprefix(module).strip(".")
    return module_of(step).startswith(module) and (not below or below.startswith(HEAD_AXIS))
