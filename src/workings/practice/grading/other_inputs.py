"""A step computed from other numbers: one of the tables that it reads was mistaken for another of the same shape.

There are too many of these to be listed on the pages of the ops. They are tried only where no mistake of the catalogue
explains a step, and believed only if several wrong answers agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...engine.arrays import Array, is_float
from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.recording import Recording
from ...engine.replay import replay
from ...engine.site import Site
from ...engine.steps import Step
from ..blanks import step_label
from ..mistakes import MistakeFinder, MistakeOutcome, same

OTHER_INPUT = "wire.other_input"
MAX_TRIED = 300  # of many tables of one shape, the nearest


def with_other_inputs(finder: MistakeFinder, step: Step, base: Recording) -> Iterator[MistakeOutcome]:
    """The step with each table that it reads exchanged for every earlier one of the same shape, the nearest first."""
    tried = 0
    for reader, source in _read(finder, step):
        slots = [slot for slot, site in Site(base, reader).inputs() if site.step.id == source.id]
        for other in _alike(finder, source, step):
            if tried == MAX_TRIED:
                return
            tried += 1
            changes = Changes(wires={reader.id: dict.fromkeys(slots, other.id)})
            try:
                value = replay(base, changes, until=step.id).value(step.id)
            except WorkingsError:  # it cannot be computed from these
                continue
            if value.shape == step.form.shape and not same(value, base.value(step.id)):
                yield _outcome(finder, step, other, source, value, changes)
        updated = _updated(finder, source)
        if updated is not None and step.stage == "backward":
            yield from _with_updated(finder, step, base, source, updated)


def _with_updated(
    finder: MistakeFinder, step: Step, base: Recording, weight: Step, updated: Step
) -> Iterator[MistakeOutcome]:
    """A gradient that goes back through a weight which was updated too early; all other named numbers stay."""
    earlier = (one for one in finder.named_steps if one.op is not None and int(one.id) < int(step.id))
    values = {one.id: base.value(one.id) for one in earlier}
    changes = Changes(values={**values, weight.id: finder.recording.value(updated.id)})
    try:
        value = replay(base, changes, until=step.id).value(step.id)
    except WorkingsError:
        return
    if not same(value, base.value(step.id)):
        yield _outcome(finder, step, updated, weight, value, None)


def _outcome(
    finder: MistakeFinder, step: Step, used: Step, right: Step, value: Array, changes: Changes | None
) -> MistakeOutcome:
    hint = f"You used {step_label(finder.trace, used)} in place of {step_label(finder.trace, right)}."
    return MistakeOutcome(OTHER_INPUT, step.path, step.path, hint, value, changes, "wire")


def _updated(finder: MistakeFinder, weight: Step) -> Step | None:
    """The new value of a weight, after the update."""
    if weight.leaf != "parameter":
        return None
    return next((one for one in finder.named_steps if one.stage == "update" and one.path == f"{weight.path}_new"), None)


def _read(finder: MistakeFinder, step: Step) -> Iterator[tuple[Step, Step]]:
    """What the step is computed from, as it is named on a sheet, and the step that reads it: itself, or one between."""
    named = {one.id for one in finder.named_steps}
    waiting, seen = [step], {step.id}
    while waiting:
        reader = waiting.pop(0)
        for id in dict.fromkeys(reader.inputs):
            source = finder.recording.step(id)
            if id in named:
                yield reader, source
            elif source.op is not None and id not in seen:
                seen.add(id)
                waiting.append(source)


def tables_read(finder: MistakeFinder, step: Step) -> list[Step]:
    """The tables that a step is computed from, as they are named on a sheet."""
    return list({source.id: source for _, source in _read(finder, step)}.values())


def _alike(finder: MistakeFinder, source: Step, step: Step) -> Sequence[Step]:
    """The named steps before this one that could be taken for its source."""
    if not is_float(finder.recording.value(source.id)):
        return ()
    earlier = (one for one in finder.named_steps if one.id != source.id and int(one.id) < int(step.id))
    alike = [one for one in earlier if one.form.shape == source.form.shape and is_float(one.tensor.array)]
    return sorted(alike, key=lambda one: abs(int(one.id) - int(source.id)))
