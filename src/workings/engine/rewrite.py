"""Writing a part of a recording anew: other steps take the place of those that were recorded."""

from __future__ import annotations

from .compiled_recording import CompiledRecording
from .form import Form
from .page import ANY_INPUT, Mistake
from .recording import Recording
from .steps import GroupRecord, Step
from .tensor import Tensor


class Draft(CompiledRecording):
    """An empty recording that knows the steps of another one, and counts its ids on. Taken are the paths of all steps,
    old and new, except those of a group: so its members get the names that they had, and others get one of their own.
    """

    def __init__(self, old: Recording, new: Recording, group: GroupRecord) -> None:
        super().__init__(arithmetic=new.arithmetic)
        self._outer, self._token, self._prefix = new, new._token, group.prefix
        self._next = max(old.count, new.count)
        members = {member.id for member in old.members(group)}
        steps = (*old.steps.values(), *new.steps.values())
        self.paths = {step.path: step.id for step in steps if step.id not in members}

    def step(self, id: str) -> Step:
        return self.steps.get(id) or self._outer.step(id)


def rewritten(old: Recording, group: GroupRecord, draft: Draft, result: Tensor) -> list[Step]:
    """The steps of a draft as the members of a group, in the order in which they run.

    A step takes the place of the member of the same name, and the last one that of the group's
    result, whatever it is called. The others keep the new ids that the draft gave them.
    """
    members = {member.path: member.id for member in old.members(group)}
    last = draft.id_of(result)
    places = {step.id: members[step.path] for step in draft.steps.values() if step.path in members}
    places = {id: place for id, place in places.items() if place != group.result}
    if last in draft.steps:
        places[last] = group.result
    return [_placed(old, group, draft, step, places) for step in draft.steps.values()]


def _placed(old: Recording, group: GroupRecord, draft: Draft, step: Step, places: dict[str, str]) -> Step:
    inputs = tuple(places.get(id, id) for id in step.inputs)
    read_as = dict(step.read_as)
    for slot, id in enumerate(step.inputs):
        if id in draft.steps and slot not in read_as:
            read = draft.steps[id].form
            if read != _lasting(old, places.get(id, id), read):
                read_as[slot] = read
    was = old.steps.get(places.get(step.id, ""))
    if was is None:
        twin = old.steps[group.result].twin
        return step.changed(inputs=inputs, read_as=read_as, stage=group.stage, group=group.id, twin=twin)
    tensor = Tensor(step.tensor.array, _lasting(old, was.id, step.form), was.tensor.name, step.tensor.leaf)
    made_as = was.made_as if was.form.shape == step.form.shape else None
    return was.changed(
        op=step.op, leaf=step.leaf, inputs=inputs, settings=step.settings, read_as=read_as, tensor=tensor,
        made_as=made_as, saved={},
    )  # fmt: skip


def _lasting(old: Recording, id: str, form: Form) -> Form:
    """The form that a step will have: its words stay as they were, if its shape does."""
    was = old.steps.get(id)
    return was.form if was is not None and was.form.shape == form.shape else form


def wrong_rule(new: Recording, step: Step, mistake: Mistake, group: GroupRecord) -> Step:
    """The result of a rule as one step that makes the mistake: it reads what the mistake reads."""
    forward = new.steps[group.rule_of or ""]
    inputs, read_as = [group.inputs[0]], dict(group.read_as)
    settings = {**group.settings, **forward.settings}
    for name in mistake.signature.reads:
        if name == "which":
            before = 0 if mistake.of == ANY_INPUT else len(group.op.page.inputs) - 1
            settings["which"] = group.slot - before
            continue
        for slot in _slots(group, name, len(forward.inputs)):
            form = forward.made_as if slot is None else forward.read_as.get(slot)
            if form is not None:
                read_as[len(inputs)] = form
            inputs.append(forward.id if slot is None else forward.inputs[slot])
    return step.changed(op=mistake, inputs=tuple(inputs), read_as=read_as, settings=settings)


def _slots(group: GroupRecord, name: str, count: int) -> list[int | None]:
    """Where the forward step has what a rule calls by this name; None: in its result."""
    if name == "out":
        return [None]
    page = group.op.page
    place = page.inputs.index(name)
    several = page.variadic and place == len(page.inputs) - 1
    return list(range(place, count)) if several else [place]
