"""Site: a step in its surroundings, for mistakes that are made across steps.

A mistake on a page is usually another function at one step. Some are not: somebody reads the wrong
value (a wire) or takes the wrong number (a setting). Such a mistake is declared on the page of the
step at which it is made, looks at what feeds that step and what reads it, and says what changes:

    @mistake("You forgot the mask.", across="wire")
    def mask_forgotten(self, here: Site) -> Changes | None:
        masked = here.input("x")
        return here.reading(x=masked.input("x")) if masked.is_a("mask") else None

None means that the mistake cannot be made here. Somebody may also do something else with more than the step reads: then
the mistake is another function, as usual, and says where its inputs are.

    @mistake("You added the positions twice.", surroundings=positions_added)
    def position_twice(self, a: Tensor, b: Tensor, positions: Tensor) -> Tensor:
        return a + b + positions
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from .changes import Changes
from .errors import ReplayError
from .form import Form
from .in_rule import also_in_rules
from .op import OPS, Op
from .page import ANY_INPUT, Mistake
from .recording import Recording
from .steps import GroupRecord, Step

SHARES = 1e-6  # how far the shares of a whole may be off, in whatever precision


class Site:
    """One step of a recording, with what feeds it and what reads it."""

    def __init__(self, recording: Recording, step: Step) -> None:
        self._recording = recording
        self.step = step

    @property
    def form(self) -> Form:
        return self.step.form

    def is_a(self, *names: str) -> bool:
        """Whether the step is one of these ops."""
        return self.step.op_name in names

    def is_weight(self) -> bool:
        """Whether training changes it: a weight to begin with, or the result of an update."""
        if self.step.stage != "update":
            return self.step.leaf == "parameter"
        return self.step.group is None or self._recording.groups[self.step.group].result == self.step.id

    def is_other_weight(self, weight: Site) -> bool:
        """Whether both are weights, of one shape, and not the same one before and after an update."""
        both = self.is_weight() and weight.is_weight() and self.form.shape == weight.form.shape
        return both and not self._first().is_same(weight._first())

    def is_data(self) -> bool:
        """Whether it is given or made from what is given: no weight, and no number of the method."""
        return not self.is_weight() and self.step.leaf not in ("constant", "random")

    def counts_up(self) -> bool:
        """Whether it holds the whole numbers from 0 on, as the positions of a text do."""
        numbers = self._recording.value(self.step.id)
        return len(numbers.shape) == 1 and [int(n) for n in numbers] == list(range(numbers.shape[0]))

    def adds_up_to_one(self) -> bool:
        """Whether it is a leaf whose entries are the shares of a whole."""
        numbers = self._recording.value(self.step.id)
        return self.step.op is None and len(numbers.shape) > 1 and abs(float(numbers.sum()) - 1) < SHARES

    def is_member(self) -> bool:
        """Whether the step is a part of a group, such as an optimizer."""
        return self.step.group is not None

    def inputs(self) -> list[tuple[str, Site]]:
        """The steps that feed it, each with the name that the input has on the page. A pinned step is fed by none."""
        names = self.step.op.slot_names(len(self.step.inputs)) if self.step.op is not None else ()
        return [(name, self._at(id)) for name, id in zip(names, self.step.inputs, strict=False)]

    def input(self, name: str) -> Site:
        """The step that feeds one of its inputs, by the input's name on the page."""
        return dict(self.inputs())[name]

    def readers(self) -> list[Site]:
        """The steps of the forward pass and of updates that read this one."""
        steps = (s for s in self._recording.steps.values() if s.op is not None and s.stage != "backward")
        return [Site(self._recording, s) for s in steps if self.step.id in s.inputs]

    def before(self) -> Iterator[Site]:
        """Everything that the step is made from, the nearest first."""
        seen, waiting = {self.step.id}, [*self.step.inputs]
        while waiting:
            id = waiting.pop(0)
            if id not in seen:
                seen.add(id)
                yield self._at(id)
                waiting += self._recording.step(id).inputs

    def is_same(self, other: Site) -> bool:
        return self.step.id == other.step.id

    def is_made_from(self, other: Site) -> bool:
        return any(site.is_same(other) for site in self.before())

    def others(self) -> list[Site]:
        """The other steps of the same stage, the nearest first: what belongs to one pass lies together."""
        steps = self._recording.steps.values()
        others = (Site(self._recording, s) for s in steps if s.stage == self.step.stage and s is not self.step)
        return sorted(others, key=lambda site: abs(int(site.step.id) - int(self.step.id)))

    def in_one_go(self) -> list[Site]:
        """The steps around it, itself too, between which no other stage lies: the updates of one training step."""
        ids = list(self._recording.steps)
        first = last = ids.index(self.step.id)
        while first > 0 and self._at(ids[first - 1]).step.stage == self.step.stage:
            first -= 1
        while last + 1 < len(ids) and self._at(ids[last + 1]).step.stage == self.step.stage:
            last += 1
        return [self._at(id) for id in ids[first : last + 1]]

    def rule_of(self) -> Site | None:
        """Of a gradient: the forward step whose rule gives it."""
        group = self._recording.groups.get(self.step.group or "")
        return self._at(group.rule_of) if group is not None and group.rule_of else None

    def in_rules(self) -> list[Site]:
        """Of a forward step: the steps of the rules for its gradients."""
        groups = (group for group in self._recording.groups.values() if group.rule_of == self.step.id)
        return [self._at(member.id) for group in groups for member in self._recording.members(group)]

    def weight_before(self) -> Site:
        """Of the result of an update: the weight that was updated."""
        return self._at(self.step.twin) if self.step.twin is not None else self

    # -- what can be different ---------------------------------------------------------------

    def reading(self, **wires: Site) -> Changes:
        """The step reads other values."""
        return Changes(wires={self.step.id: {name: site.step.id for name, site in wires.items()}})

    def reading_in_rules(self, name: str, other: Site) -> Changes:
        """The step reads another value, and so do the rules for its gradients."""
        read = self.input(name)
        wires = {
            rule.step.id: {slot: other.step.id for slot, site in rule.inputs() if site.is_same(read)}
            for rule in self.in_rules()
            if read.step.id in rule.step.inputs
        }
        return self.reading(**{name: other}).and_also(Changes(wires=wires))

    def doing(self, mistake: Mistake) -> Changes:
        """The step is made by another function."""
        return Changes(ops={self.step.id: mistake})

    def with_settings(self, **settings: Any) -> Changes:
        """The step has other settings."""
        return Changes(settings={self.step.id: settings})

    def replaced_by(self, other: Site) -> Changes:
        """Every step that reads this one reads another one instead, in the backward pass too."""
        steps = (step for step in self._recording.steps.values() if step.op is not None and self.step.id in step.inputs)
        readers = [self._at(step.id) for step in steps]
        return Changes(
            wires={
                reader.step.id: {name: other.step.id for name, site in reader.inputs() if site.is_same(self)}
                for reader in readers
            }
        )

    def left_out_for(self, other: Site, stage: str = "") -> Changes | None:
        """Whoever reads the step, or whoever does in one stage, reads another one of the same shape instead. A step
        that nobody reads, and that has no gradient, hands on the other one.
        """
        if other.form.shape != self.form.shape:
            return None
        readers = self.readers()
        wires = {
            reader.step.id: {name: other.step.id for name, site in reader.inputs() if site.is_same(self)}
            for reader in readers
            if stage in ("", reader.step.stage)
        }
        if wires:
            return Changes(wires=wires)
        has_gradient = any(group.rule_of == self.step.id for group in self._recording.groups.values())
        if readers or stage or has_gradient:
            return None
        return self.reading(x=other).and_also(Changes(ops={self.step.id: OPS["pass"]}))

    def _first(self) -> Site:
        """The weight that this one was before any update."""
        site = self
        while site.step.stage == "update" and site.step.twin is not None:
            site = site.weight_before()
        return site

    def _at(self, id: str) -> Site:
        return Site(self._recording, self._recording.step(id))


def spelled_out(recording: Recording, changes: Changes) -> Changes:
    """The changes with every mistake that is made in several places turned into what it changes in each of them."""
    changes = also_in_rules(recording, changes)
    across = {id: op for id, op in changes.ops.items() if isinstance(op, Mistake) and op.across}
    if not across:
        return changes
    rest = replace(changes, ops={id: op for id, op in changes.ops.items() if id not in across})
    for id, mistake in across.items():
        step = recording.step(id)
        made = _made(recording, step, mistake)
        if made is None:
            raise _unfit(mistake, step, step.op_name, _fitting(recording, step), where=step.path)
        rest = rest.and_also(made)
    return rest


def _unfit(mistake: Mistake, step: Step, op: str, fitting: Iterable[str], where: str = "") -> ReplayError:
    """A mistake that cannot be made at a step; the hint lists those that can."""
    return ReplayError(
        f"The mistake {mistake.id} does not fit the step {step.path}, which is {op}.",
        hint=f"Mistakes that fit: {', '.join(fitting) or 'none'}.",
        where=where,
    )


def _made(recording: Recording, step: Step, mistake: Mistake) -> Changes | None:
    """What a mistake across steps changes when it is made here; None if it cannot be made here."""
    if step.op is not OPS[mistake.page]:
        return None
    here = Site(recording, step)
    if mistake.surroundings is None:
        changes: Changes | None = mistake.function(here)
        return changes
    read = mistake.surroundings(here)
    return None if read is None else here.reading(**read).and_also(here.doing(replace(mistake, across="")))


def _fitting(recording: Recording, step: Step) -> list[str]:
    """The mistakes that are about the op of this step; across steps, only those that can be made here."""
    about = step.op.page.mistakes.values() if isinstance(step.op, Op) else ()
    here = [mistake for mistake in about if not mistake.of]
    return [m.id for m in here if not m.across or _made(recording, step, m) is not None]


def refuse_unfit(mistake: Mistake, step: Step, group: GroupRecord | None) -> None:
    """Refuse a mistake that is not about this step; the error lists those that are."""
    about = group.op.name if group is not None else _page_of(step)
    of = group.op.input_name(group.slot) if group is not None else ""
    if about == mistake.page and (mistake.of == of or (mistake.of == ANY_INPUT and of)):
        return
    mistakes = OPS[about].page.mistakes.values() if about in OPS else ()
    raise _unfit(mistake, step, about or step.op_name, [m.id for m in mistakes if m.of == of])


def _page_of(step: Step) -> str:
    """The page that a step runs, or a mistake of it."""
    if isinstance(step.op, Mistake):
        return "" if step.op.of else step.op.page
    return step.op.name if step.op is not None else ""
