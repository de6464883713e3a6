"""Replay: run a recording again with something changed, and recompute exactly what depends on it.

Forward, backward and update are all steps, so a change flows through all three. A mistake,
a what-if, an ablation and an answer carried forward are all replays.

The result is a recording like any other: each value follows from its op and its inputs. So it can be replayed,
compiled, stored and walked backward too. A pinned step has become a leaf (it still names its old inputs, which the
rules of its gradients read); a group with a mistake in it consists of the steps of the mistake. The mistakes that were
made in its steps before are made again.

A mistake is made in one place: the backward pass stays as it was recorded, and uses the wrong numbers; unless its
rules follow it, see in_rule.py. Other settings, or another op, are another computation, and its gradients follow its
rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from .arithmetic import Arithmetic
from .arrays import Array, dtype_name, freeze, is_integer, namespace, private
from .backward import rule_for
from .changes import Changes
from .checks import not_whole_numbers
from .compiled_recording import CompiledRecording
from .context import Context, within
from .errors import ReplayError, ShapeError, WorkingsError
from .form import Form
from .guard import guarded
from .in_rule import whole_of
from .op import OPS, Op, first_of
from .page import ANY_INPUT, Mistake
from .recording import Recording
from .rewrite import Draft, rewritten, wrong_rule
from .site import refuse_unfit, spelled_out
from .steps import NOTHING, GroupRecord, Step
from .tensor import Tensor, refuse_nonfinite


def replay(
    recording: Recording,
    changes: Changes,
    everything: bool = False,
    arithmetic: Arithmetic | None = None,
    until: str | None = None,
) -> Recording:
    """A recording with the same ids in which what depends on the changes is new.

    `everything` recomputes all steps from their leaves, changed or not. So does another `arithmetic`, and the replay of
    a tape, which has not kept the values in between. With `until`, only the steps up to that one are there, to read:
    unchanged steps are shared with the old recording.
    """
    everything = everything or recording.level == "tape" or arithmetic is not None
    return _Replay(recording, changes, everything, arithmetic or recording.arithmetic, until).run()


class _Replay:
    def __init__(
        self, old: Recording, changes: Changes, everything: bool, arithmetic: Arithmetic, until: str | None
    ) -> None:
        self.old = old
        self.everything = everything
        self.last = None if until is None else int(until)
        self.new = CompiledRecording(arithmetic=arithmetic)
        self.dirty: set[str] = set()  # steps whose values are new
        # Steps that compute something else, on purpose and not by mistake: their gradients follow other rules.
        self.redefined: set[str] = set()
        self.changes = spelled_out(old, changes)
        self._adopt_groups()
        rules = [group for group in old.groups.values() if group.rule_of]
        self.rules = {id: group.id for group in rules for id in (group.result, whole_of(old, group))}
        self.changes = replace(self.changes, ops=self._at_results(self.changes.ops))
        self.wrong_groups = self._wrong_groups()
        self.rewriting = self._to_be_rewritten()
        self.changes = replace(self.changes, ops={**self._made_before(), **self.changes.ops})
        self.made: set[str] = set()  # groups that were written anew, and their steps

    def run(self) -> Recording:
        if self.last is not None:
            return self._excerpt()
        with within(Context(self.new.arithmetic)):
            for step in self._order():
                for now in self._program(step.changed(saved=NOTHING)):
                    self.new.adopt(self._again(now))
        return self.new

    def _excerpt(self) -> Recording:
        """The steps up to the last one that is needed. Copying steps is most of the work of replays that change few."""
        assert self.last is not None
        self.new.continues(self.old)
        last = max([self.last, *(int(id) for wires in self.changes.wires.values() for id in wires.values())])
        first = self._first_changed() if not self.everything else 0
        with within(Context(self.new.arithmetic)):
            for step in self._order():
                if int(step.id) < first:
                    self.new.share(step)
                elif int(step.id) <= last:
                    for now in self._program(step):
                        again = self._again(now)
                        if again is step:
                            self.new.share(step)
                        else:
                            self.new.adopt(again)
        return self.new

    def _first_changed(self) -> int:
        """The number of the first step that may be another one."""
        changes = self.changes
        ids = [*changes.values, *changes.ops, *changes.settings, *changes.wires]
        ids += [member.id for id in self.rewriting for member in self.old.members(self.old.groups[id])]
        return min(map(int, ids), default=0)

    # -- which steps there are, in which order -----------------------------------------------

    def _order(self) -> list[Step]:
        """Recorded order; where that is no longer one, an order in which every step follows what feeds it."""
        forward = all(int(new) < int(id) for id, wires in self.changes.wires.items() for new in wires.values())
        if forward and not self.rewriting:
            return list(self.old.steps.values())
        order: dict[str, Step] = {}
        open_steps: set[str] = set()
        for first in self.old.steps.values():
            waiting = [first]
            while waiting:
                step = waiting[-1]
                feeding = [self.old.steps[id] for id in self._feeding(step) if id not in order]
                if step.id in order or not feeding:
                    order.setdefault(step.id, waiting.pop())
                    open_steps.discard(step.id)
                elif any(feeder.id in open_steps for feeder in feeding):
                    raise ReplayError(
                        f"The new wiring runs in a circle through {step.path}.",
                        hint="A step can only be fed by steps that do not depend on it.",
                    )
                else:
                    open_steps.add(step.id)
                    waiting += feeding
        return list(order.values())

    def _feeding(self, step: Step) -> list[str]:
        """What has to be there before a step: of a group that is written anew, what any of its members reads."""
        found = [*self._inputs(step)]
        for group in self._groups_around(step):
            if group.id in self.rewriting:
                found += [*group.inputs, *([group.rule_of] if group.rule_of else ())]
        return found

    def _to_be_rewritten(self) -> set[str]:
        """The groups that a mistake is about, and those whose rule may be another one."""
        found = {*self.wrong_groups, *(self.rules[id] for id in self.changes.ops if id in self.rules)}
        other = {*self.changes.settings, *(id for id, op in self.changes.ops.items() if isinstance(op, Op))}
        for group in self.new.groups.values():
            if group.rule_of in other:
                found.add(group.id)
                other.update(member.id for member in self.old.members(group))
        return found

    def _made_before(self) -> dict[str, Mistake]:
        """The mistakes in steps that are to be rewritten, and in the rules of steps that read something else now."""
        members = [member for id in self.rewriting for member in self.old.members(self.old.groups[id])]
        rewired = [group for group in self.old.groups.values() if group.rule_of in self.changes.wires]
        members += [self.old.step(id) for group in rewired for id in (group.result, whole_of(self.old, group))]
        return {member.id: member.op for member in members if isinstance(member.op, Mistake)}

    def _adopt_groups(self) -> None:
        """A group reads what its members read: where all of them read something else instead, so does the group."""
        for group in self.old.groups.values():
            self.new.adopt_group(group)
        for group in {g.id: g for id in self.changes.wires for g in self._groups_around(self.old.step(id))}.values():
            members = (member for member in self.old.members(group) if member.op is not None)
            reads = {pair for member in members for pair in zip(member.inputs, self._inputs(member), strict=False)}
            times = Counter(before for before, _ in reads)
            instead = {before: now for before, now in reads if times[before] == 1}
            inputs = tuple(instead.get(id, id) for id in group.inputs)
            self.new.groups[group.id] = group.changed(inputs=inputs, read_as=self._read_as(group, inputs))

    def _inputs(self, step: Step) -> tuple[str, ...]:
        wires = self.changes.wires.get(step.id)
        if step.op is None:
            if wires:
                raise _is_a_leaf(step)
            return ()
        if not wires:
            return step.inputs
        instead = self.changes.ops.get(step.id)
        if isinstance(instead, Op) and instead.page.inputs == tuple(wires):  # another op, with inputs of its own
            return tuple(wires.values())
        op = instead if isinstance(instead, Mistake) and instead.surroundings is not None else step.op
        names = op.slot_names(len(step.inputs))
        for input in wires:
            if input not in names:
                raise ReplayError(
                    f"{step.path} has no input '{input}'.", hint=f"Inputs of this step: {', '.join(names)}."
                )
        # A mistake may read more than the step did; all of that comes by new wires.
        return tuple(wires.get(name, id) for name, id in zip_longest(names, step.inputs, fillvalue=""))

    def _at_results(self, ops: Mapping[str, Op | Mistake]) -> dict[str, Op | Mistake]:
        """A mistake in a rule is about what the rule gives, also where `sum_to` adds that up afterwards. One that
        follows a mistaken forward is about the sum.
        """
        moved: dict[str, Op | Mistake] = {}
        for id, op in ops.items():
            of = op.of if isinstance(op, Mistake) else ""
            group = self.old.groups.get(self.rules.get(id, "")) if of else None
            place = id if group is None else whole_of(self.old, group) if of == ANY_INPUT else group.result
            moved[place] = op
        return moved

    def _wrong_groups(self) -> dict[str, Mistake]:
        """Groups that a mistake replaces as a whole."""
        found: dict[str, Mistake] = {}
        for group in self.old.groups.values():
            mistake = self.changes.ops.get(group.result)
            if isinstance(mistake, Mistake) and not group.rule_of and mistake.page == group.op.name:
                found[group.id] = mistake
        taken = {self.old.groups[id].result for id in found}
        self.changes = replace(self.changes, ops={id: op for id, op in self.changes.ops.items() if id not in taken})
        return found

    def _program(self, step: Step) -> list[Step]:
        """The step as it is to be run; where its group is written anew, all steps of that group."""
        if step.id in self.new.steps:
            return []
        for group in self._groups_around(step):
            run = self._anew(group) if group.id not in self.made else None
            if run is None:
                continue
            with Draft(self.old, self.new, group) as draft:
                result = run()
                if draft.id_of(result) not in draft.steps:
                    result = OPS["pass"](result)  # handed on unchanged, but as a step of its own
            steps = rewritten(self.old, group, draft, result)
            if group.rule_of:
                self.redefined.update(now.id for now in steps if self._is_other(now))
            self.made.update(now.id for now in steps)
            self.made.add(group.id)
            return steps if step.id in self.made else [*steps, step]
        return [step]

    def _is_other(self, step: Step) -> bool:
        old = self.old.steps.get(step.id)
        return old is not None and (old.op is not step.op or dict(old.settings) != dict(step.settings))

    def _groups_around(self, step: Step) -> list[GroupRecord]:
        """The groups that a step lies in, the outermost first."""
        found: list[GroupRecord] = []
        id = step.group
        while id in self.new.groups:
            found.insert(0, self.new.groups[id])
            id = found[0].group
        return found

    def _anew(self, group: GroupRecord) -> Callable[[], Tensor] | None:
        """What makes the steps of a group anew: a mistake, or the rule of a step that computes something else."""
        mistake = self.wrong_groups.get(group.id)
        if mistake is not None:
            return lambda: first_of(mistake.run(self.new.input_tensors(group), group.settings))
        if group.rule_of not in self.redefined:
            return None
        forward = self.new.steps[group.rule_of]
        op, rule = forward.op, rule_for(forward, group.slot)
        if rule is None or not isinstance(op, Op):
            return None
        self.new.groups[group.id] = group.changed(op=op, settings=forward.settings)
        out = forward.tensor if forward.made_as is None else forward.tensor.read_as(forward.made_as)
        known = op.known(self.new.input_tensors(forward), out, group.slot)
        return lambda: rule(self.new.input_tensors(group)[0], known, forward.settings)

    # -- one step ----------------------------------------------------------------------------

    def _again(self, step: Step) -> Step:
        changes, inputs = self.changes, self._inputs(step)
        if step.id in changes.values:
            return self._pinned(step, changes.values[step.id])
        if step.op is None:
            if changes.touch(step.id):
                raise _is_a_leaf(step)
            if not self.everything:
                return step if self.last is not None else step.changed()
            return self._with(step, self._accepted(step))
        is_new = step.id in self.made or changes.touch(step.id) or any(id in self.dirty for id in inputs)
        if not (self.everything or is_new):
            return step if self.last is not None else step.changed()
        try:
            changed = self._changed(step, inputs)
            return self._with(changed, self._compute(changed))
        except WorkingsError as error:
            error.where = step.path
            raise

    def _changed(self, step: Step, inputs: tuple[str, ...]) -> Step:
        """The step with its new op, settings and wires."""
        op = self.changes.ops.get(step.id, step.op)
        assert op is not None
        if isinstance(op, Mistake) and step.id in self.changes.ops:
            group = self.new.groups.get(self.rules.get(step.id, "")) if op.of else None
            refuse_unfit(op, step, group)
            if group is not None:
                return wrong_rule(self.new, step, op, group)
        if op.kind == "group":
            raise ReplayError(
                f"{op.name} is a group of steps: it cannot take the place of the one step {step.path}.",
                hint="Give an op that is one step, or the steps of the group one by one.",
            )
        if isinstance(op, Op) and (step.id in self.changes.settings or step.id in self.changes.ops):
            self.redefined.add(step.id)
        return step.changed(
            op=op, inputs=inputs, settings=self._settings(step, op), read_as=self._read_as(step, inputs)
        )

    def _read_as(self, step: Step | GroupRecord, inputs: tuple[str, ...]) -> Mapping[int, Form]:
        """A new wire stands for the old one, and is read under its words; one of another shape has only its own."""
        read_as = dict(step.read_as)
        for slot, (old, new) in enumerate(zip(step.inputs, inputs, strict=False)):
            if old == new:
                continue
            form, own = read_as.pop(slot, self.old.step(old).form), (self.new.steps.get(new) or self.old.step(new)).form
            if form.shape == own.shape and form != own:
                read_as[slot] = form
        return read_as

    def _settings(self, step: Step, op: Op | Mistake) -> Mapping[str, Any]:
        """The settings with what is changed; another op takes over those that it knows."""
        changes = self.changes.settings.get(step.id, {})
        kind, other = self.old.arithmetic.dtype, self.new.arithmetic.dtype
        if kind != other and step.settings.get("dtype") == kind:  # it makes real numbers of a type that it is told
            changes = {"dtype": other, **changes}
        if op is step.op and not changes:
            return step.settings
        page = op if isinstance(op, Op) else OPS[op.page]
        kept = {key: value for key, value in step.settings.items() if op is step.op or key in page.page.settings}
        return page.complete({**kept, **changes})

    def _compute(self, step: Step) -> Tensor:
        op, tensors = step.op, self.new.input_tensors(step)
        if isinstance(op, Mistake):
            return op.run(tensors, step.settings)
        assert op is not None
        try:
            return self.new.compute(op, op.tensors(tensors), op.complete(step.settings))
        except WorkingsError as error:
            op.place(error, step.path, tensors)
            raise

    def _accepted(self, step: Step) -> Tensor:
        """The value of a leaf as this arithmetic takes it."""
        array = self.new.arithmetic.accept(step.tensor.array, step.leaf == "constant" and not step.form.shape)
        return Tensor(array, step.form)

    def _pinned(self, step: Step, value: Array) -> Step:
        """The step as a leaf of this value: it is no longer computed."""
        if tuple(value.shape) != step.form.shape:
            raise ShapeError(
                f"{step.name} has the shape {step.form.shape}, but the new value has {tuple(value.shape)}.",
                hint="Give an array of the same shape.",
                where=step.path,
            )
        old = step.tensor.array
        if old is not None and old.dtype != value.dtype:
            if is_integer(old):
                raise not_whole_numbers(step.name, dtype_name(value), where=step.path)
            value = guarded(namespace(old).asarray, [value, old.dtype], {})
        if step.leaf in ("given", "parameter"):
            refuse_nonfinite(value, step.path)
        array = private(self.new.arithmetic.accept(value))
        leaf = step.changed(op=None, leaf=step.leaf or "given", settings={})
        return self._with(leaf, Tensor(array, step.form))

    def _with(self, step: Step, tensor: Tensor) -> Step:
        self.dirty.add(step.id)
        freeze(tensor.array)
        # The words of a step stay: a gradient has those of its twin, whatever its op would call them.
        same = tensor.shape == step.form.shape
        own = Tensor(tensor.array, step.form if same else tensor.form, name=step.tensor.name, leaf=step.leaf or "given")
        return step.changed(tensor=own, made_as=step.made_as if same else None)


def _is_a_leaf(step: Step) -> ReplayError:
    return ReplayError(
        f"{step.path} is a leaf: it has no op, settings or wires to change.",
        hint=f"Change its value: replay(values={{{step.path!r}: ...}}).",
    )
