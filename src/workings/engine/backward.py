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
from .errors import ShapeError, StepError, UnreachedError
from .form import Form
from .op import OPS, Op
from .page import Rule
from .recording import Recording
from .steps import GroupRecord, Step
from .tensor import Tensor


def backward(
    recording: Recording, target: Step, cotangent: Array | None = None, wrt: Iterable[Step] | None = None
) -> dict[str, Tensor]:
    """The gradient of `target` for every given value and parameter (or those in `wrt`), by step id.

    A target with more than one entry needs a cotangent: the upstream gradient of each of its entries.
    """
    leaves = recording.leaves() if wrt is None else list(wrt)
    walk = _Walk(recording, target, {leaf.id for leaf in leaves})
    seed = _seed(recording, target, cotangent)
    first = recording.count
    try:
        with recording, recording.elsewhere():
            gradients = walk.run(seed)
    except BaseException:
        recording.forget_from(first)  # half a pass would only be in the way of the next one
        raise
    found = {leaf.id: gradients[leaf.id] for leaf in leaves if leaf.id in gradients}
    for gradient in found.values():  # a tape lets go of values that no rule reads, but these were asked for
        recording.step(recording.id_of(gradient)).tensor = gradient
    return found


def _seed(recording: Recording, target: Step, cotangent: Array | None) -> Tensor:
    if cotangent is None:
        if target.form.shape:
            raise StepError(
                f"Backward starts from one number, but {target.path} has the shape {target.form}.",
                hint=f"Start from the loss, or give an upstream gradient: backward({target.path!r}, cotangent=...).",
            )
        value = recording.value(target.id)
        xp: Any = namespace(value)
        cotangent = xp.ones((), dtype=value.dtype)
    elif tuple(cotangent.shape) != target.form.shape:
        raise StepError(
            f"The upstream gradient has the shape {tuple(cotangent.shape)}, but {target.path} is {target.form}.",
            hint=f"Give one number for each entry of {target.path}.",
            where=f"d{target.name}",
        )
    return Tensor(cotangent, target.form, leaf="constant", name=f"d{target.name}")


class _Walk:
    def __init__(self, recording: Recording, target: Step, wanted: set[str]) -> None:
        self.recording = recording
        self.target = target
        # The steps to walk through, each with the slots of its inputs that a gradient flows into.
        self.ways = _ways(recording, target, wanted)
        if target.id not in self.ways:
            raise UnreachedError(
                f"{target.path} does not depend on any weight or given value that has a gradient.",
                hint="Start from a step that was computed from a parameter.",
            )
        # How often each step is used on the way to the target: more than once means a sum.
        self.uses = Counter(recording.step(id).inputs[slot] for id, slots in self.ways.items() for slot in slots)
        self.prefix = _pass_prefix(recording)
        self.parts: dict[str, list[Tensor]] = defaultdict(list)

    def run(self, seed: Tensor) -> dict[str, Tensor]:
        self._next_to(self.target)
        self.parts[self.target.id].append(self.recording.add_leaf(seed).tensor)
        gradients: dict[str, Tensor] = {}
        for id, slots in reversed(self.ways.items()):
            step = self.recording.step(id)
            gradients[id] = g = self._collected(step)
            for slot in slots:
                self.parts[step.inputs[slot]].append(self._apply(step, slot, g))
        return gradients

    def _next_to(self, step: Step) -> None:
        """What is recorded next belongs to the gradient of this step, and lies beside it."""
        self.recording.go_to("backward", self.prefix + step.path[: len(step.path) - len(step.name)], step.id)

    def _collected(self, step: Step) -> Tensor:
        """All that flows back into a step, added up."""
        parts = self.parts.pop(step.id)
        if len(parts) == 1:
            return parts[0]
        self._next_to(step)
        return self._linked(OPS["collect"](*parts, name=f"d{step.name}"), step)

    def _apply(self, step: Step, slot: int, g: Tensor) -> Tensor:
        """The gradient of one input of a step, by the rule for that input."""
        recording, op, rule = self.recording, step.op, rule_for(step, slot)
        assert isinstance(op, Op)
        assert rule is not None
        source = recording.step(step.inputs[slot])
        tensors = recording.input_tensors(step)
        out = step.tensor
        if step.made_as is not None:  # the rule knows the op's own words
            out, g = out.read_as(step.made_as), g.read_as(step.made_as)
        self._next_to(source)
        group = recording.begin_group(op, (g,), step.settings, self._name(step, slot, source))
        group.rule_of, group.slot = step.id, slot
        result = rule(g, op.known(tensors, out, slot), step.settings)
        if result.root is not None or int(recording.id_of(result)) < int(group.id):
            result = OPS["pass"](result)  # handed on unchanged, but with a name of its own
        group.result = recording.id_of(result)
        whole = self._unbroadcast(result, tensors[slot].form, group)
        recording.rename_step(recording.steps[recording.id_of(whole)], group.name, group.path)
        return self._linked(whole, source)

    def _name(self, step: Step, slot: int, source: Step) -> str:
        """dX, or dX.via_Q where X is used several times; a step that uses it twice also says as what."""
        if self.uses[source.id] == 1:
            return f"d{source.name}"
        twice = step.inputs.count(source.id) > 1
        assert isinstance(step.op, Op)
        suffix = f"_{step.op.slot_names(len(step.inputs))[slot]}" if twice else ""
        return f"d{source.name}.via_{step.name}{suffix}"

    def _unbroadcast(self, result: Tensor, form: Form, group: GroupRecord) -> Tensor:
        """Where an input was repeated, its gradient is the sum over the repetitions."""
        if result.form.shape == form.shape:
            return result
        unsummed = self.recording.step(group.result)
        self.recording.rename_step(unsummed, f"{group.name}.unsummed", f"{group.path}.unsummed")
        drop, keep = repeated_axes(result.form, form)
        whole = OPS["sum_to"](result, drop=drop, keep=keep) if drop or keep else result
        if whole.form.shape != form.shape:
            raise ShapeError(
                f"The backward rule of {group.op.name} gave a gradient of {result.form} for an input of {form}.",
                hint="A rule must return the shape of its input, before broadcasting is undone.",
                where=group.path,
            )
        return whole

    def _linked(self, gradient: Tensor, source: Step) -> Tensor:
        """A gradient has the words of its twin, also where the twin was read under others."""
        if gradient.form == source.form:
            return gradient
        step = self.recording.step(self.recording.id_of(gradient))
        step.made_as = gradient.form
        linked = Tensor(gradient.array, source.form, mark=gradient.mark)
        step.tensor = linked if step.tensor.array is not None else Tensor(None, source.form, mark=gradient.mark)
        return linked


def rule_for(step: Step, slot: int) -> Rule | None:
    """The rule of a step for one of its inputs, if the page has one."""
    if not isinstance(step.op, Op):
        return None
    rules = step.op.page.slot_rules
    return rules[slot] if slot < len(rules) else rules[-1]


def repeated_axes(big: Form, small: Form) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which axes of `big` are not there in `small`, and which have only one entry there."""
    rank, missing = len(big.shape), len(big.shape) - len(small.shape)
    drop = tuple(range(-rank, -rank + missing))
    common = range(-min(rank, len(small.shape)), 0)
    keep = tuple(p for p in common if small.shape[p] == 1 != big.shape[p])
    return drop, keep


def _ways(recording: Recording, target: Step, wanted: set[str]) -> dict[str, list[int]]:
    """The steps on a way from a wanted leaf to the target, in recorded order, and the slots through which it leads."""
    ways: dict[str, list[int]] = {}
    for step in recording.steps.values():
        slots = [n for n, id in enumerate(step.inputs) if id in ways and rule_for(step, n) is not None]
        if slots or step.id in wanted:
            ways[step.id] = slots
        if step.id == target.id:
            break
    needed = {target.id}
    for id in reversed(ways):
        if id in needed:
            needed.update(recording.steps[id].inputs[slot] for slot in ways[id])
    return {id: slots for id, slots in ways.items() if id in needed}


def _pass_prefix(recording: Recording) -> str:
    """A second backward pass in one recording has names of its own."""
    # Each pass begins with a constant that lies in no group; the constants of a rule lie in its group.
    seeds = [s for s in recording.steps.values() if s.leaf == "constant" and s.stage == "backward" and not s.group]
    passes = len(seeds)
    return f"backward{passes + 1}." if passes else ""
