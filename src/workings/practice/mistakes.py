"""Which mistakes can be made in a trace, and what numbers each of them leaves behind.

A learner who works through a trace notes every step that has a name. So a mistake shows in the first named step after
the place where it is made, and what it gives there is computed from the numbers noted before. Mistakes that give the
same numbers are one outcome under several ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy

from .. import ops as _ops  # noqa: F401 - registers every op page
from ..conventions import CHOICES, choices
from ..engine.arrays import Array
from ..engine.changes import Changes
from ..engine.errors import WorkingsError
from ..engine.in_rule import ALSO, find_mistake
from ..engine.op import OPS
from ..engine.page import Mistake
from ..engine.recording import Recording
from ..engine.replay import replay
from ..engine.steps import Step
from ..explain.mistakes import PossibleMistake, candidates, hint_of
from ..explain.story import is_shown
from ..explain.trace import Trace
from .tolerance import largest

WHOLE_RUNS = ("norm_place",)  # the conventions that people mistake for one another
SAME = 1e-9  # relative: a smaller difference comes from computing in another order
CLOSE = 1e-3  # of the distance to the truth: mistakes that are closer to each other give the same digits by hand
FIRST = Path(__file__).with_name("first_mistakes.txt")  # the ids that the first generator of sheets knew
MOST_TELLING = ("setting", "wire")  # a number or a step that was mistaken for another explains more than another op


def known_mistakes() -> tuple[str, ...]:
    """The ids of all mistakes: those of the op pages, and other conventions.

    >>> "softmax.wrong_axis" in known_mistakes(), "convention.norm_place.post" in known_mistakes()
    (True, True)
    """
    pages = (mistake.id for op in OPS.values() for mistake in op.page.mistakes.values())
    conventions = (f"convention.{field}.{choice}" for field in CHOICES for choice in choices(field))
    return (*pages, *conventions)


def mistake_hint(id: str) -> str:
    """What a learner did who made this mistake; "" if no op page has it.

    >>> mistake_hint("divide_by_root.not_divided")
    'You did not divide: attention scores are scaled by 1/√d.'
    """
    page, _, name = id.partition(".")
    mistake = find_mistake(OPS[page], name) if page in OPS else None
    return "" if mistake is None else hint_of(mistake)


@dataclass(frozen=True, eq=False)
class MistakeOutcome:
    """One way to get a step wrong: what it gives there instead of the true value."""

    id: str
    step: str  # the path of the step that shows it
    made: str  # the path of the step at which it is made
    hint: str
    value: Array
    changes: Changes | None  # that cause it; None for a run under another convention
    kind: str = "op"
    after: str = ""  # of a wrong rule: the mistake in the forward step that it only follows
    also: tuple[str, ...] = ()  # ids of mistakes that give the same

    @property
    def names(self) -> tuple[str, ...]:
        return (self.id, *self.also)


class MistakeFinder:
    """The mistakes that change a number of a trace, computed on demand."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.recording = trace.recording
        self.named_steps = [step for step in self.recording.steps.values() if is_shown(self.recording, step)]
        self._named = {step.id for step in self.named_steps}
        self._effects: dict[tuple[str, str], bool] = {}  # of mistakes, by id and step

    @cached_property
    def all(self) -> tuple[MistakeOutcome, ...]:
        """Every mistake that changes a number, in the order of the steps that show them."""
        found = merged((outcome for fit in self._fits() for outcome in self.shown(fit)), self._values(self.recording))
        positions = {step.path: position for position, step in enumerate(self.named_steps)}
        return tuple(sorted(found, key=lambda outcome: positions[outcome.step]))

    @cached_property
    def first(self) -> tuple[MistakeOutcome, ...]:
        """Those that the first generator of sheets knew: they decide which blanks a code of that generator means."""
        known = {*FIRST.read_text(encoding="utf-8").split()}
        fits = (fit for fit in self._fits() if fit.id in known or fit.id.startswith("convention."))
        return tuple(merged((outcome for fit in fits for outcome in self.shown(fit)), self._values(self.recording)))

    def at(
        self, path: str, after: Collection[str] = (), carried: Recording | None = None
    ) -> tuple[MistakeOutcome, ...]:
        """The mistakes that show in one step, found without looking at all others; and the wrong rules that follow the
        mistakes in `after`. With `carried`, they are made on the numbers of that recording; one that changes nothing on
        the true ones cannot be made at all, such as not to divide by the number of rows where there is one.
        """
        near = self._near(self.trace.find_step(path))
        fits = [fit for step in near for fit in candidates(self.trace, step)]
        if carried is not None:
            fits = [fit for fit in fits if self._has_effect(fit)]
        own = [fit for fit in fits if not fit.is_in_rule]
        outcomes = (outcome for fit in own for outcome in self.shown(fit, carried) if outcome.step == path)
        found = list(merged(outcomes, self._values(carried or self.recording)))
        for fit in fits:
            if fit.is_in_rule and fit.step == path and mistake_of(fit) in after:
                found += [replace(outcome, after=mistake_of(fit)) for outcome in self.shown(fit, carried)]
        return tuple(found)

    def _values(self, base: Recording) -> Callable[[str], Array]:
        return lambda path: base.value(self.recording.paths[path])

    def _has_effect(self, fit: PossibleMistake) -> bool:
        """Whether a mistake changes a number of the trace itself."""
        if (fit.id, fit.step) not in self._effects:
            self._effects[fit.id, fit.step] = any(True for _ in self.shown(fit))
        return self._effects[fit.id, fit.step]

    def _fits(self) -> Iterator[PossibleMistake]:
        """All mistakes; another convention only where no step alone can follow it. A wrong rule that only follows a
        mistake is not one of its own.
        """
        at_steps: set[str] = set()
        for fit in candidates(self.trace):
            if fit.changes is not None and not fit.is_in_rule:
                at_steps.add(fit.id)
                yield fit
            elif fit.changes is None and fit.id not in at_steps and fit.id.split(".")[1] in WHOLE_RUNS:
                yield fit

    def _near(self, step: Step) -> list[Step]:
        """The steps at which a mistake may be made that shows in this one: itself, those after the last named ones,
        those that it reads, and the results of the groups that contain it. All weights are updated at once.
        """
        found, waiting = {step.id: step}, [step]
        while waiting:
            for id in waiting.pop().inputs:
                before = self.recording.step(id)
                if id not in found:
                    found[id] = before
                    waiting += [] if id in self._named else [before]
        group = self.recording.groups.get(step.group or "")
        while group is not None:
            found[group.result] = self.recording.step(group.result)
            group = self.recording.groups.get(group.group or "")
        if any(before.stage == "update" for before in found.values()):
            found |= {other.id: other for other in self.named_steps if other.stage == "update"}
        return list(found.values())

    def shown(self, fit: PossibleMistake, carried: Recording | None = None) -> Iterator[MistakeOutcome]:
        """A mistake where it shows first: nowhere if it cannot be made, or changes nothing. A step that was left out
        shows as the one that was taken for it, or in the steps that read it.
        """
        base = carried or self.recording
        try:
            if fit.changes is None:
                yield from _first(fit, fit.make().recording, self.named_steps, base)
                return
            yield from self._left_out(fit, fit.changes, base)
            steps = self._reached(fit.changes)
            if steps:
                yield from _first(fit, replay(base, fit.changes, until=steps[-1].id), steps, base)
        except WorkingsError:
            return

    def _left_out(self, fit: PossibleMistake, changes: Changes, base: Recording) -> Iterator[MistakeOutcome]:
        made = self.trace.find_step(fit.step)
        taken = {id for wires in changes.wires.values() for id in wires.values()}
        if changes.touch(made.id) or len(taken) != 1 or made.id not in self._named or made.op is None:
            return
        value = base.value(taken.pop())
        if value.shape == made.form.shape and not same(value, base.value(made.id)):
            yield MistakeOutcome(fit.id, made.path, made.path, fit.hint, value, fit.changes, fit.kind)

    def _reached(self, changes: Changes) -> list[Step]:
        """The named steps after the changes that are reached without passing another named step."""
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
            if id in self._named and self.recording.step(id).op is not None:
                found.add(id)
            else:
                waiting += self._readers[id]
        return [step for step in self.named_steps if step.id in found]

    def _members(self, id: str, op: object) -> list[str]:
        """The steps of the group that a mistake replaces."""
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


def _first(fit: PossibleMistake, other: Recording, steps: Iterable[Step], base: Recording) -> Iterator[MistakeOutcome]:
    """The first of these steps that differs in the other recording."""
    for step in steps:
        id = other.paths.get(step.path, "")
        if id not in other.steps or step.op is None:
            continue
        value = other.value(id)
        if not same(value, base.value(step.id)):
            yield MistakeOutcome(fit.id, step.path, fit.step, fit.hint, value, fit.changes, fit.kind)
            return


def mistake_of(fit: PossibleMistake) -> str:
    """The mistake that a rule follows."""
    return fit.id.removesuffix(ALSO)


def same(one: Array, other: Array) -> bool:
    """Whether two arrays hold the same numbers, up to the order in which they were computed."""
    if one.shape != other.shape:
        return False
    return bool(numpy.allclose(one, other, rtol=SAME, atol=SAME * largest(other), equal_nan=True))


def is_close(one: Array, other: Array, truth: Array) -> bool:
    """Whether two mistakes give the same numbers, or numbers that are far closer to each other than to the truth."""
    if same(one, other):
        return True
    if not one.shape == other.shape == truth.shape:
        return False
    finite = numpy.isfinite(one) & numpy.isfinite(truth)
    gap = numpy.max(numpy.abs(one[finite] - truth[finite]), initial=0.0)
    with numpy.errstate(invalid="ignore"):
        return bool(numpy.all((one == other) | (numpy.abs(one - other) <= CLOSE * gap)))


def merged(outcomes: Iterable[MistakeOutcome], truth: Callable[[str], Array]) -> Iterator[MistakeOutcome]:
    """Outcomes with the same numbers at the same step as one. It has the id of the mistake that is made closest to that
    step; of several there, the most telling one, and rather one that forgets something: two tokens that attend to the
    next one have no mask. `truth` gives the true value of a step by its path.
    """
    groups: list[list[MistakeOutcome]] = []
    by_step: dict[str, list[list[MistakeOutcome]]] = defaultdict(list)
    for outcome in outcomes:
        true, before = truth(outcome.step), by_step[outcome.step]
        group = next((group for group in before if is_close(group[0].value, outcome.value, true)), None)
        if group is None:
            group = []
            groups.append(group)
            before.append(group)
        group.append(outcome)
    for group in groups:
        first = min(group, key=_how_telling)
        others = dict.fromkeys(outcome.id for outcome in group if outcome.id != first.id)
        yield replace(first, also=tuple(others))


def _how_telling(outcome: MistakeOutcome) -> tuple[bool, int, bool]:
    kind = MOST_TELLING.index(outcome.kind) if outcome.kind in MOST_TELLING else len(MOST_TELLING)
    return outcome.made != outcome.step, kind, not outcome.id.endswith("forgotten")
