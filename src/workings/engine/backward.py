"""Backward: walk the trace in reverse and call one rule per input.

The rules are written in ops, so the backward pass is recorded like everything else: it can be
explained, replayed and differentiated again. Gradients that meet are added, never assigned.
Broadcasting is undone here and nowhere else, as a visible `sum_to`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from .arrays import Array, namespace
from .context import Context, within
from .errors import StepError
from .form import Form
from .op import Op
from .page import Mistake, Rule
from .recording import GroupRecord, Recording, Step, known_inputs
from .registry import OPS
from .tensor import Tensor


def backward(
    recording: Recording, target: Step, cotangent: Array | None = None, wrt: Iterable[Step] | None = None
) -> dict[str, Tensor]:
    """The gradient of `target` for every given value and parameter (or those in `wrt`), by step id.

    A target with more than one entry needs a cotangent: how much each of its entries counts.
    """
    leaves = recording.leaves() if wrt is None else list(wrt)
    walk = _Walk(recording, target, {leaf.id for leaf in leaves})
    seed = _seed(recording, target, cotangent)
    with within(Context(recording.arithmetic, recording)):
        gradients = walk.run(seed)
    found = {leaf.id: gradients[leaf.id] for leaf in leaves if leaf.id in gradients}
    for gradient in found.values():  # a tape lets go of values that no rule reads, but these were asked for
        recording.step(recording.id_of(gradient)).tensor = gradient
    return found


def _seed(recording: Recording, target: Step, cotangent: Array | None) -> Tensor:
    if cotangent is None:
        if target.form.shape:
            raise StepError("backward.scalar", name=target.path, shape=str(target.form))
        xp: Any = namespace(recording.value(target.id))
        cotangent = xp.ones((), dtype=recording.value(target.id).dtype)
    elif tuple(cotangent.shape) != target.form.shape:
        raise StepError("shape.value", old=str(target.form), new=tuple(cotangent.shape), where=f"d{target.name}")
    return Tensor(cotangent, target.form, leaf="constant", name=f"d{target.name}")


class _Walk:
    def __init__(self, recording: Recording, target: Step, wanted: set[str]) -> None:
        self.recording = recording
        self.target = target
        self.order = _steps_between(recording, target, wanted)
        if target.id not in self.order:
            raise StepError("backward.unreached", name=target.path)
        # How often each step is used on the way to the target: more than once means a sum.
        self.uses = Counter(
            id for step in self.order.values() for slot, id in enumerate(step.inputs) if self._flows(step, slot)
        )
        self.prefix = _pass_prefix(recording)
        self.parts: dict[str, list[Tensor]] = defaultdict(list)

    def _flows(self, step: Step, slot: int) -> bool:
        return step.inputs[slot] in self.order and rule_for(step, slot) is not None

    def run(self, seed: Tensor) -> dict[str, Tensor]:
        recording = self.recording
        with recording.at_stage("backward", self.prefix + _parent(self.target)):
            first = recording.add_leaf(seed)
            first.twin = self.target.id
        self.parts[self.target.id].append(first.tensor)
        gradients: dict[str, Tensor] = {}
        for step in reversed(self.order.values()):
            if step.id in self.parts:
                gradients[step.id] = self._collected(step)
                self._push(step, gradients[step.id])
        return gradients

    def _collected(self, step: Step) -> Tensor:
        """All that flows back into a step, added up."""
        parts = self.parts.pop(step.id)
        if len(parts) == 1:
            return parts[0]
        with self.recording.at_stage("backward", self.prefix + _parent(step)):
            total = OPS["collect"](*parts, name=f"d{step.name}")
        return self._linked(total, step)

    def _push(self, step: Step, g: Tensor) -> None:
        """Send the gradient of a step on to each of its inputs, by the rule for that input."""
        for slot, id in enumerate(step.inputs):
            if self._flows(step, slot):
                source = self.recording.step(id)
                self.parts[id].append(self._apply(step, slot, g, source))

    def _apply(self, step: Step, slot: int, g: Tensor, source: Step) -> Tensor:
        op, rule = step.op, rule_for(step, slot)
        assert isinstance(op, Op) and rule is not None
        recording = self.recording
        name = f"d{source.name}"
        if self.uses[source.id] > 1:
            name += f".via_{step.name}" + (f"_{op.input_name(slot)}" if step.inputs.count(source.id) > 1 else "")
        tensors = recording.input_tensors(step)
        with recording.at_stage("backward", self.prefix + _parent(source)):
            start = recording.count
            with recording.open_group(op, (recording.id_of(g),), dict(step.settings), name) as group:
                group.rule_of, group.slot = step.id, slot
                result = rule(op, g, known_inputs(op, tensors, step.tensor, slot), step.settings)
                result = self._own_step(result, start)
                group.result = recording.id_of(result)
                whole = self._unbroadcast(result, tensors[slot].form)
        for member in recording.since(start):
            member.twin = source.id
        self._name(whole, group)
        return self._linked(whole, source)

    def _own_step(self, result: Tensor, start: int) -> Tensor:
        """A gradient that is handed on unchanged is a step of its own: `pass`."""
        made_here = int(self.recording.id_of(result)) >= start
        return result if made_here and result.root is None else OPS["pass"](result)

    def _unbroadcast(self, result: Tensor, form: Form) -> Tensor:
        """Where an input was repeated, its gradient is the sum over the repetitions."""
        drop, keep = repeated_axes(result.form, form)
        return OPS["sum_to"](result, drop=drop, keep=keep) if drop or keep else result

    def _name(self, gradient: Tensor, group: GroupRecord) -> None:
        """The result of a rule application has the application's name; it lies beside its twin."""
        step = self.recording.step(self.recording.id_of(gradient))
        if group.result != step.id:
            unsummed = self.recording.step(group.result)
            self.recording.rename_step(unsummed, f"{group.name}.unsummed", f"{group.path}.unsummed")
        self.recording.rename_step(step, group.name, group.path)

    def _linked(self, gradient: Tensor, source: Step) -> Tensor:
        """A gradient knows its twin and has its words, also where the twin was read under others."""
        step = self.recording.step(self.recording.id_of(gradient))
        step.twin = source.id
        linked = Tensor(gradient.array, source.form, mark=gradient.mark)
        step.tensor = linked if step.tensor.array is not None else Tensor(None, source.form, mark=gradient.mark)
        return linked


def rule_for(step: Step, slot: int) -> Rule | None:
    """The rule of a step for one of its inputs, if the page has one."""
    if step.op is None or isinstance(step.op, Mistake):
        return None
    return step.op.page.rules.get(step.op.input_name(slot))


def repeated_axes(big: Form, small: Form) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which axes of `big` are not there in `small`, and which have only one entry there."""
    rank, missing = len(big.shape), len(big.shape) - len(small.shape)
    drop = tuple(range(-rank, -rank + missing))
    keep = tuple(p for p in range(-len(small.shape), 0) if small.shape[p] == 1 != big.shape[p])
    return drop, keep


def _steps_between(recording: Recording, target: Step, wanted: set[str]) -> dict[str, Step]:
    """The steps on a way from a wanted leaf to the target, in recorded order."""
    reached: dict[str, Step] = {}
    for step in recording.steps.values():
        through = any(id in reached and rule_for(step, slot) is not None for slot, id in enumerate(step.inputs))
        if step.id in wanted or through:
            reached[step.id] = step
        if step.id == target.id:
            break
    needed = {target.id}
    for step in reversed(reached.values()):
        if step.id in needed:
            needed.update(id for slot, id in enumerate(step.inputs) if rule_for(step, slot) is not None)
    return {id: step for id, step in reached.items() if id in needed}


def _parent(step: Step) -> str:
    """The path before a step's name, so that its gradient lies beside it."""
    return step.path[: len(step.path) - len(step.name)]


def _pass_prefix(recording: Recording) -> str:
    """A second backward pass in one recording has names of its own."""
    passes = sum(1 for s in recording.steps.values() if s.stage == "backward" and s.leaf is not None and s.twin)
    return f"backward{passes + 1}." if passes else ""
