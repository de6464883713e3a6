"""The hand calculation of an entry: `by_hand` of the page of its step, or of the rule that computed it."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Index
from ..engine.hand import Entry, Hand, Line, Paper, in_float, work_out
from ..engine.op import Op
from ..engine.page import Mistake
from ..engine.recording import Recording
from ..engine.steps import GroupRecord, Step
from ..engine.tensor import Tensor


def hand_calculation_of(recording: Recording, step: Step, index: Index) -> tuple[Hand, dict[str, str]] | None:
    """The hand calculation of one entry, and the step that each of its papers shows; none for a mistake or a leaf."""
    group = rule_of(recording, step)
    if group is not None:
        return _by_rule(recording, group, index)
    if not isinstance(step.op, Op):
        return None
    tensors = recording.input_tensors(step)
    names = step.op.slot_names(len(tensors))
    settings = step.op.positional(tuple(tensor.form for tensor in tensors), step.settings)
    papers = [Paper(name, tensor.array) for name, tensor in zip(names, tensors, strict=True)]
    sources = dict(zip(names, step.inputs, strict=True))
    return step.op.by_hand(index, *papers, **settings), sources


def lines_in_float(recording: Recording, step: Step, index: Index) -> tuple[list[Line], dict[str, str]]:
    """The worked out lines of the hand calculation of one entry, and the step that each of its papers shows. There are
    none where somebody's numbers make them impossible: the logarithm of a number below 0.
    """
    work = hand_calculation_of(recording, step, index)
    if work is None:
        return [], {}
    try:
        return work_out(work[0], in_float), work[1]
    except (ArithmeticError, ValueError):
        return [], {}


def rule_of(recording: Recording, step: Step) -> GroupRecord | None:
    """The rule application that computed a step and explains it. In a replay it may no longer explain it: the step may
    be a mistake now, or the forward step may have another op, a pinned value or other inputs.
    """
    group = result_of(recording, step)
    if group is None or not isinstance(step.op, Op):
        return None
    forward = recording.step(group.rule_of or "")
    page = forward.op.page if isinstance(forward.op, Mistake) else forward.op_name
    if page != group.op.name or not _fed_by(recording, group) <= {group.inputs[0], *_read_by(group, forward)}:
        return None
    return group


def result_of(recording: Recording, step: Step) -> GroupRecord | None:
    """The rule application whose result a step is."""
    # A step knows its innermost group; the result of a rule lies directly in the rule's group.
    group = recording.groups.get(step.group or "")
    return group if group is not None and group.rule_of and group.result == step.id else None


def _read_by(group: GroupRecord, forward: Step) -> set[str]:
    """The steps that a rule would read now."""
    known = group.op.known(forward.inputs, forward.id, group.slot)
    found: set[str] = set()
    for name in group.op.page.rules[group.op.input_name(group.slot)].signature.reads:
        read = known(name)
        found |= {read} if isinstance(read, str) else set(read) if isinstance(read, tuple) else set()
    return found


def _fed_by(recording: Recording, group: GroupRecord) -> set[str]:
    """The steps outside of a rule application that its steps read."""
    found, waiting = set(), [group.result]
    while waiting:
        for id in recording.step(waiting.pop()).inputs:
            step = recording.step(id)
            if _lies_in(recording, step, group):
                waiting.append(id)
            elif step.leaf != "constant" or step.twin:
                found.add(id)
    return found


def _lies_in(recording: Recording, step: Step, group: GroupRecord) -> bool:
    inner = step.group
    while inner is not None and inner != group.id:
        inner = recording.groups[inner].group
    return inner is not None


def _by_rule(recording: Recording, group: GroupRecord, index: Index) -> tuple[Hand, dict[str, str]]:
    forward = recording.step(group.rule_of or "")
    op, input = group.op, group.op.input_name(group.slot)
    tensors = recording.input_tensors(forward)
    known, ids = op.known(tensors, forward.tensor, group.slot), op.known(forward.inputs, forward.id, group.slot)
    reads = op.page.rules[input].signature
    papers: list[Any] = [Paper("g", recording.value(group.inputs[0]))]
    sources = {"g": group.inputs[0]}
    for name in reads.reads:
        value = known(name)
        if isinstance(value, tuple):  # a variadic input: all of its parts
            papers.append([Paper(f"{name}{n}", part.array) for n, part in enumerate(value, 1)])
            sources |= {f"{name}{n}": id for n, id in enumerate(ids(name), 1)}
        elif isinstance(value, Tensor):
            papers.append(Paper(name, value.array))
            sources[name] = ids(name)
        else:
            papers.append(value)
    forms = tuple(tensor.form for tensor in tensors)
    settings = op.positional(forms, group.settings)
    chosen = {name: settings[name] for name in reads.settings}
    hand: Hand = getattr(op, f"by_hand_d{input}")(index, *papers, **chosen)
    return hand, sources


def origin_of(recording: Recording, id: str, index: Index) -> tuple[str, Index]:
    """The entry that a person would point at: it skips steps that only move entries and have no name of their own (the
    transpose in Q · Kᵀ, the copies of a bias before they are summed).
    """
    while True:
        step = recording.step(id)
        if not isinstance(step.op, Op) or has_own_name(recording, step):
            return id, index
        found = hand_calculation_of(recording, step, index)
        if found is None or not isinstance(found[0], Entry):
            return id, index
        entry, sources = found[0], found[1]
        id, index = sources[entry.source], entry.index


def has_own_name(recording: Recording, step: Step) -> bool:
    """Whether a reader knows a step by its name. Steps inside a rule have none, except for the gradient of a broadcast
    input before its copies are summed; where that is only a copy, the sum reads the original.
    """
    group = recording.groups.get(step.group or "")
    if group is None or group.rule_of is None or step.path == group.path:
        return step.named
    return is_unsummed(recording, step) and step.op_name != "pass"


def is_unsummed(recording: Recording, step: Step) -> bool:
    """Whether a step is the gradient of a broadcast input before its copies are summed."""
    group = result_of(recording, step)
    return group is not None and step.path != group.path
