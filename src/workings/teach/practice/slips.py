"""Slips: the mistakes that can be made in a trace, as the numbers of a learner show them.

Whoever works through a trace writes down every step that has a name. So a mistake shows in the first named step behind
the place where it is made, and what it gives there follows from the numbers written down before. Mistakes that give
the same numbers are one slip under several names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy

from ...engine.arrays import Array
from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.in_rule import ALSO
from ...engine.page import Mistake
from ...engine.recording import Recording
from ...engine.replay import replay
from ...engine.steps import Step
from ...explain.fitting import Fit, candidates
from ...explain.story import is_told
from ...explain.view import Trace
from ..sizes import largest

WHOLE_RUNS = ("norm_place",)  # the conventions that somebody mistakes for one another
SAME = 1e-9  # relative: what differs by less comes of computing in another order


@dataclass(frozen=True, eq=False)
class Slip:
    """One way to get a step wrong: what it gives there instead of the truth."""

    id: str
    step: str  # the path of the step that shows it
    made: str  # the path of the step at which it is made
    hint: str
    value: Array
    changes: Changes | None  # that bring it about; none for a run by another convention
    kind: str = "op"
    after: str = ""  # of a wrong rule: the mistake in the step before, which it only follows
    also: tuple[str, ...] = ()  # ids of mistakes that give the same

    @property
    def names(self) -> tuple[str, ...]:
        return (self.id, *self.also)


class Slips:
    """The slips of a trace, made when they are asked for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.recording = trace.recording
        self.told = [step for step in self.recording.steps.values() if is_told(self.recording, step)]
        self._told = {step.id for step in self.told}

    @cached_property
    def all(self) -> tuple[Slip, ...]:
        """Every slip that changes a number, in the order of the steps that show them."""
        found = merged(slip for fit in self._fits() for slip in self.shown(fit))
        places = {step.path: place for place, step in enumerate(self.told)}
        return tuple(sorted(found, key=lambda slip: places[slip.step]))

    def at(self, path: str, after: Collection[str] = (), world: Recording | None = None) -> tuple[Slip, ...]:
        """Those that show in one step, found without looking at all others; and the rules that follow the mistakes in
        `after`. In another `world`, they are made on the numbers that stand there.
        """
        near = self._near(self.trace.find_step(path))
        fits = [fit for step in near for fit in candidates(self.trace, step)]
        own = [fit for fit in fits if not fit.is_in_rule]
        found = list(merged(slip for fit in own for slip in self.shown(fit, world) if slip.step == path))
        following = [fit for fit in fits if fit.is_in_rule and fit.step == path and mistake_of(fit) in after]
        return (*found, *(replace(slip, after=mistake_of(fit)) for fit in following for slip in self.shown(fit, world)))

    def _fits(self) -> Iterator[Fit]:
        """All mistakes; another convention only where no step alone can follow it. A wrong rule that only follows a
        mistake is none of its own.
        """
        at_steps: set[str] = set()
        for fit in candidates(self.trace):
            if fit.changes is not None and not fit.is_in_rule:
                at_steps.add(fit.id)
                yield fit
            elif fit.changes is None and fit.id not in at_steps and fit.id.split(".")[1] in WHOLE_RUNS:
                yield fit

    def _near(self, step: Step) -> list[Step]:
        """The steps at which a mistake may be made that shows in this one: itself, those behind the last written ones,
        those that it reads, and the results of the groups that it lies in. Weights are updated in one go.
        """
        found, waiting = {step.id: step}, [step]
        while waiting:
            for id in waiting.pop().inputs:
                before = self.recording.step(id)
                if id not in found:
                    found[id] = before
                    waiting += [] if id in self._told else [before]
        group = self.recording.groups.get(step.group or "")
        while group is not None:
            found[group.result] = self.recording.step(group.result)
            group = self.recording.groups.get(group.group or "")
        if any(before.stage == "update" for before in found.values()):
            found |= {other.id: other for other in self.told if other.stage == "update"}
        return list(found.values())

    def shown(self, fit: Fit, world: Recording | None = None) -> Iterator[Slip]:
        """A mistake where it shows first: nowhere if it cannot be made, or changes nothing. A step that was left out
        shows as the one that was taken for it, or in the steps that read it.
        """
        world = world or self.recording
        try:
            if fit.changes is None:
                yield from _first(fit, fit.make().recording, self.told, world)
                return
            yield from self._left_out(fit, fit.changes, world)
            steps = self._reached(fit.changes)
            if steps:
                yield from _first(fit, replay(world, fit.changes, until=steps[-1].id), steps, world)
        except WorkingsError:
            return

    def _left_out(self, fit: Fit, changes: Changes, world: Recording) -> Iterator[Slip]:
        made = self.trace.find_step(fit.step)
        taken = {id for wires in changes.wires.values() for id in wires.values()}
        if changes.touch(made.id) or len(taken) != 1 or made.id not in self._told or made.op is None:
            return
        value = world.value(taken.pop())
        if value.shape == made.form.shape and not same(value, world.value(made.id)):
            yield Slip(fit.id, made.path, made.path, fit.hint, value, fit.changes, fit.kind)

    def _reached(self, changes: Changes) -> list[Step]:
        """The named steps behind the changes, as far as no other named step lies in between."""
        waiting = [*changes.values, *changes.settings, *changes.wires]
        for id, op in changes.ops.items():
            waiting += [id, *self._members(id, op)]
        found: set[str] = set()
        seen: set[str] = set()
        while waiting:
            id = waiting.pop()
            if id in seen:
                continue
            seen.add(id)
            if id in self._told and self.recording.step(id).op is not None:
                found.add(id)
            else:
                waiting += self._readers[id]
        return [step for step in self.told if step.id in found]

    def _members(self, id: str, op: object) -> list[str]:
        """The steps of the group that a mistake writes anew."""
        if not isinstance(op, Mistake) or op.of:
            return []
        groups = (group for group in self.recording.groups.values() if group.result == id and not group.rule_of)
        return [m.id for group in groups if group.op.name == op.page for m in self.recording.members(group)]

    @cached_property
    def _readers(self) -> Mapping[str, list[str]]:
        readers: dict[str, list[str]] = defaultdict(list)
        for step in self.recording.steps.values():
            for id in step.inputs if step.op is not None else ():
                readers[id].append(step.id)
        return readers


def _first(fit: Fit, other: Recording, steps: Iterable[Step], world: Recording) -> Iterator[Slip]:
    """The first of these steps that is another one in the other recording."""
    for step in steps:
        id = other.paths.get(step.path, "")
        if id not in other.steps or step.op is None:
            continue
        value = other.value(id)
        if not same(value, world.value(step.id)):
            yield Slip(fit.id, step.path, fit.step, fit.hint, value, fit.changes, fit.kind)
            return


def mistake_of(fit: Fit) -> str:
    """The mistake that a rule follows."""
    return fit.id.removesuffix(ALSO)


def same(one: Array, other: Array) -> bool:
    """Whether two arrays hold the same numbers, but for the order in which they were computed."""
    if one.shape != other.shape:
        return False
    return bool(numpy.allclose(one, other, rtol=SAME, atol=SAME * largest(other), equal_nan=True))


def merged(slips: Iterable[Slip]) -> Iterator[Slip]:
    """Slips that give the same numbers at the same step as one. It goes by the name of the mistake that is made nearest
    to that step; a wrong number that was taken explains more than another operation.
    """
    groups: list[list[Slip]] = []
    by_step: dict[str, list[list[Slip]]] = defaultdict(list)
    for slip in slips:
        group = next((group for group in by_step[slip.step] if same(group[0].value, slip.value)), None)
        if group is None:
            group = []
            groups.append(group)
            by_step[slip.step].append(group)
        group.append(slip)
    for group in groups:
        first = min(group, key=lambda slip: (slip.made != slip.step, slip.kind != "setting"))
        others = dict.fromkeys(slip.id for slip in group if slip.id != first.id)
        yield replace(first, also=tuple(others))
