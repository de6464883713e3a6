"""Replay: run a recording again with something changed, and recompute exactly what depends on it.

Forward, backward and update are all steps, so a change flows through all three. A mistake,
a what-if, an ablation and an answer carried forward are all replays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .arrays import Array, freeze
from .context import Context, within
from .errors import ReplayError, ShapeError, WorkingsError
from .op import Op
from .page import Mistake
from .recording import Recording
from .steps import GroupRecord, Step
from .tensor import Tensor


@dataclass
class Changes:
    """What is different, by step id."""

    values: Mapping[str, Array] = field(default_factory=dict)
    ops: Mapping[str, Op | Mistake] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    wires: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def touch(self, id: str) -> bool:
        return id in self.values or id in self.ops or id in self.settings or id in self.wires


def replay(recording: Recording, changes: Changes, everything: bool = False) -> Recording:
    """A recording with the same ids in which what depends on the changes is new.

    `everything` recomputes all steps from their leaves, changed or not.
    """
    return _Replay(recording, changes, everything).run()


class _Replay:
    def __init__(self, old: Recording, changes: Changes, everything: bool) -> None:
        self.old = old
        self.changes = changes
        self.everything = everything
        self.new = Recording(old.level, old.arithmetic)
        self.dirty: set[str] = set()
        # Mistakes in a group or in a rule are about its result, which several steps lead to.
        self.rules = {group.result: group for group in old.groups.values() if group.rule_of}
        self.wrong_groups = self._wrong_groups()
        self.pinned: dict[str, Tensor] = {}

    def run(self) -> Recording:
        for group in self.old.groups.values():
            self.new.adopt_group(group)
        with within(Context(self.old.arithmetic)):
            for step in self._order():
                self.new.adopt(self._again(step))
        return self.new

    def _order(self) -> list[Step]:
        """Recorded order; with new wires, an order in which every step follows what feeds it."""
        if not self.changes.wires:
            return list(self.old.steps.values())
        order: dict[str, Step] = {}
        open_steps: set[str] = set()
        for first in self.old.steps.values():
            waiting = [first]
            while waiting:
                step = waiting[-1]
                feeding = [self.old.steps[id] for id in self._inputs(step) if id not in order]
                if step.id in order or not feeding:
                    order.setdefault(step.id, waiting.pop())
                    open_steps.discard(step.id)
                elif any(feeder.id in open_steps for feeder in feeding):
                    raise ReplayError("replay.cycle", path=step.path)
                else:
                    open_steps.add(step.id)
                    waiting += feeding
        return list(order.values())

    def _inputs(self, step: Step) -> tuple[str, ...]:
        wires = self.changes.wires.get(step.id)
        if not wires:
            return step.inputs
        if not isinstance(step.op, Op):
            raise ReplayError("replay.leaf", name=step.path)
        names = step.op.slot_names(len(step.inputs))
        for input in wires:
            if input not in names:
                raise ReplayError("replay.input", name=step.path, input=input, inputs=", ".join(names))
        return tuple(wires.get(name, id) for name, id in zip(names, step.inputs, strict=True))

    def _again(self, step: Step) -> Step:
        changes, inputs = self.changes, self._inputs(step)
        if step.id in changes.values:
            return self._pinned(step, changes.values[step.id])
        if step.group in self.wrong_groups:
            self._run_wrong_group(*self.wrong_groups.pop(step.group))
        if step.id in self.pinned:
            return self._with(step, self.pinned[step.id])
        if step.op is None:
            if changes.touch(step.id):
                raise ReplayError("replay.leaf", name=step.path)
            return step.changed()
        if not (self.everything or changes.touch(step.id) or any(id in self.dirty for id in inputs)):
            return step.changed()
        settings = {**step.settings, **changes.settings.get(step.id, {})}
        # A new wire is read under its own words.
        read_as = {slot: form for slot, form in step.read_as.items() if inputs[slot] == step.inputs[slot]}
        changed = step.changed(op=changes.ops.get(step.id, step.op), inputs=inputs, settings=settings, read_as=read_as)
        try:
            return self._with(changed, self._compute(step, changed))
        except WorkingsError as error:
            error.where = error.where or step.path
            raise

    def _wrong_groups(self) -> dict[str | None, tuple[GroupRecord, Mistake]]:
        """Groups that a mistake replaces as a whole, by the group in which their first step lies."""
        found: dict[str | None, tuple[GroupRecord, Mistake]] = {}
        for group in self.old.groups.values():
            mistake = self.changes.ops.get(group.result)
            if isinstance(mistake, Mistake) and not group.rule_of and mistake.page == group.op.name:
                found[self.old.members(group)[0].group] = (group, mistake)
        return found

    def _run_wrong_group(self, group: GroupRecord, mistake: Mistake) -> None:
        """The wrong version makes steps of the same names, and these take the place of the members."""
        scratch = Recording(arithmetic=self.old.arithmetic)
        with scratch:
            result = mistake.run(self.new.input_tensors(group), group.settings)
        made = {step.path: step.tensor for step in scratch.steps.values()}
        for member in self.old.members(group):
            name = member.path.removeprefix(f"{group.path}.")
            if name in made:
                self.pinned[member.id] = made[name]
        self.pinned[group.result] = result

    def _pinned(self, step: Step, value: Array) -> Step:
        if tuple(value.shape) != step.form.shape:
            raise ShapeError("shape.value", old=step.form.shape, new=tuple(value.shape), where=step.path)
        return self._with(step, Tensor(self.old.arithmetic.accept(value), step.form))

    def _with(self, step: Step, tensor: Tensor) -> Step:
        self.dirty.add(step.id)
        freeze(tensor.array)
        # The words of a step stay: a gradient has those of its twin, whatever its op would call them.
        form = step.form if tensor.shape == step.form.shape else tensor.form
        own = Tensor(tensor.array, form, name=step.tensor.name, leaf=step.tensor.leaf)
        return step.changed(tensor=own)

    def _compute(self, step: Step, changed: Step) -> Tensor:
        op = changed.op
        assert op is not None
        if isinstance(op, Op):
            return self.new.compute(op, self.new.input_tensors(changed), op.complete(changed.settings))
        if not op.of:
            if step.op_name != op.page:
                raise _unfit(op, step, None)
            return op.run(self.new.input_tensors(changed), changed.settings)
        return self._wrong_rule(step, op)

    def _wrong_rule(self, step: Step, mistake: Mistake) -> Tensor:
        """A mistake in a rule replaces the whole application of that rule."""
        group = self.rules.get(step.id)
        if group is None or group.op.name != mistake.page or group.op.input_name(group.slot) != mistake.of:
            raise _unfit(mistake, step, group)
        forward = self.new.steps[group.rule_of or ""]
        out = forward.tensor if forward.made_as is None else forward.tensor.read_as(forward.made_as)
        known = group.op.known(self.new.input_tensors(forward), out, group.slot)
        (g,) = self.new.input_tensors(group)
        return mistake.run((g, *(known(name) for name in mistake.signature.reads)), group.settings)


def _unfit(mistake: Mistake, step: Step, group: GroupRecord | None) -> ReplayError:
    """A mistake that is not about this step; the error lists those that are."""
    op = group.op if group is not None else step.op
    of = group.op.input_name(group.slot) if group is not None else ""
    mistakes = op.page.mistakes.values() if isinstance(op, Op) else ()
    fitting = ", ".join(m.id for m in mistakes if m.of == of) or "none"
    name = op.name if isinstance(op, Op) else step.op_name
    return ReplayError("replay.mistake", mistake=mistake.id, name=step.path, op=name, fitting=fitting)
