"""Which mistakes can be made in a trace: computed from what is in it, not listed.

Five kinds. `op`: another function at a step. `rule`: another rule for its gradient. `wire`: another
value is read. `setting`: another number is taken. `run`: another convention, which is another run. A
mistake whose replay fails, that no step is right for, or that changes no number cannot be made here.

Another function has a second variant, with `+rule` behind its id: going back follows it as well. At the gradients of
the step that variant is a mistake of its own, for somebody whose step is right and whose rule is that of the mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy

from ..conventions import CHOICES, Convention, choices, words
from ..engine.arrays import Array
from ..engine.changes import Changes
from ..engine.errors import ReplayError, WorkingsError
from ..engine.in_rule import ALSO, has_rule, in_rule, whole_of
from ..engine.op import Op
from ..engine.page import Mistake
from ..engine.recording import Recording
from ..engine.registry import OPS
from ..engine.replay import replay
from ..engine.site import spelled_out
from ..engine.steps import Step
from .sentences import say

if TYPE_CHECKING:
    from .view import Trace

Kind = Literal["op", "rule", "wire", "setting", "run"]


@dataclass(frozen=True)
class Fit:
    """One mistake that can be made in a trace: which, at which step, and the trace that comes of it."""

    id: str
    kind: Kind
    step: str  # the path of the step at which it is made; none for a run
    hint: str
    make: Callable[[], Trace]
    changes: Changes | None = None  # what it changes, by step id; None for a run

    @property
    def is_in_rule(self) -> bool:
        """Whether going back follows the mistake."""
        return self.id.endswith(ALSO)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id}{' at ' if self.step else ''}{self.step}>"


def fitting(trace: Trace, at: Step | None = None, only: Collection[str] = ()) -> list[Fit]:
    """All mistakes that can be made, in the whole trace or at one step; or those of them with these ids."""
    whole = trace.replay() if trace.recording.level == "tape" else trace  # a tape has not kept the values to compare
    return [fit for fit in candidates(whole, at) if (not only or fit.id in only) and _is_seen(whole.recording, fit)]


def fitting_here(trace: Trace, at: Step) -> list[tuple[Fit, Step]]:
    """The mistakes that change the numbers of this very step, each with the step that comes of it. Nothing else is
    computed again, so that it is quick in a large trace as well. Other conventions are no mistakes and are left out.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace("twin")
    >>> [fit.id for fit, _ in fitting_here(trace, trace["scaled"].step)]
    ['divide_by_root.not_divided', 'divide_by_root.root_forgotten', 'divide_by_root.multiplied']
    """
    found, recording = [], trace.recording
    for fit in candidates(trace, at):
        if fit.changes is None or fit.is_in_rule or fit.id.startswith("convention."):
            continue
        try:
            wrong = replay(recording, fit.changes, until=at.id).step(at.id)
        except WorkingsError:
            continue
        if wrong is not at and _are_other(at.tensor.array, wrong.tensor.array):
            found.append((fit, wrong))
    return found


def candidates(trace: Trace, at: Step | None = None) -> Iterator[Fit]:
    """What might be made in the whole trace or at one step, not yet tried: it may fail, or change no number.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     weights = w.ops.softmax(w.given([2.0, 1.5], "key"), name="weights")
    >>> [fit.id for fit in candidates(trace)]
    ['softmax.wrong_axis', 'softmax.not_normalised', 'softmax.no_exponential', 'softmax.naive']
    >>> [fit.id for fit in trace.mistakes()]  # a single row has no other axis
    ['softmax.not_normalised', 'softmax.no_exponential']
    """
    for step in list(trace.recording.steps.values()) if at is None else [trace.recording.step(at.id)]:
        yield from _at_step(trace, step)
    if at is None:
        yield from _runs(trace)


def _is_seen(recording: Recording, fit: Fit) -> bool:
    """Whether a mistake can be made, and a number is another one. With its rule it must be seen without it as well, and
    make a difference to that: else it is a mistake of the rule, which is listed there.
    """
    try:
        if fit.changes is None:
            return _differ(recording, fit.make().recording)
        made = _read_only(recording, fit.changes)
        alone = {id: op for id, op in fit.changes.ops.items() if id == recording.paths[fit.step]}
        if len(alone) == len(fit.changes.ops):
            return _differ(recording, made)
        without_rule = _read_only(recording, Changes(ops=alone))
        return _differ(recording, without_rule) and _differ(without_rule, made)
    except WorkingsError:
        return False


def _read_only(recording: Recording, changes: Changes) -> Recording:
    """The replay, with the steps that stay as they are shared: to be compared, which takes less time than to keep."""
    return replay(recording, changes, until=str(recording.count))


def _at_step(trace: Trace, step: Step) -> Iterator[Fit]:
    for mistake in _page_mistakes(trace, step):
        kind: Kind = mistake.across or ("rule" if mistake.of and step.stage == "backward" else "op")
        yield from _fit(trace, mistake.id, kind, step, hint_of(mistake), Changes(ops={step.id: mistake}))
    if isinstance(step.op, Op) and step.stage != "backward":
        yield from _other_conventions(trace, step, step.op)


def hint_of(mistake: Mistake) -> str:
    """What was done, and what is right.

    >>> from workings.ops import relu
    >>> hint_of(relu.page.mistakes["forgotten"])
    'You left the negative entries as they were; they become 0.'
    """
    hint = say(f"op.{mistake.page}.mistake.{mistake.name.removesuffix(ALSO)}")
    return say("explain.mistake.in_rule", hint=hint) if mistake.name.endswith(ALSO) else hint


def _fit(trace: Trace, id: str, kind: Kind, step: Step, hint: str, changes: Changes) -> Iterator[Fit]:
    """A mistake with all that it changes; nothing if it does not fit what stands around the step."""
    try:
        spelled = spelled_out(trace.recording, changes)
    except ReplayError:
        return
    yield Fit(id, kind, step.path, hint, _replays(trace, spelled), spelled)


def _page_mistakes(trace: Trace, step: Step) -> Iterator[Mistake]:
    """The mistakes of the pages that a step comes from: of its op, of the group or the rule whose result it is.

    Going back, the ops are those of the rules, but for two: gradients that meet are added up (collect), and so are
    those of repetitions (sum_to).
    """
    groups = trace.recording.groups.values()
    if isinstance(step.op, Op) and (step.stage != "backward" or step.op.name in ("collect", "sum_to")):
        has_rules = any(group.rule_of == step.id for group in groups)
        for mistake in step.op.page.mistakes.values():
            if not mistake.of:
                yield mistake
                if has_rules and has_rule(step.op, mistake):
                    yield in_rule(mistake)
    for group in groups:
        if group.result == step.id:
            of = group.op.input_name(group.slot) if group.rule_of else ""
            yield from (mistake for mistake in group.op.page.mistakes.values() if mistake.of == of)
        if group.rule_of and whole_of(trace.recording, group) == step.id:
            yield from (in_rule(m) for m in group.op.page.mistakes.values() if has_rule(group.op, m))


def _other_conventions(trace: Trace, step: Step, op: Op) -> Iterator[Fit]:
    """The step as other profiles would have it: with another setting, or another page in its place."""
    for field, followed in op.page.conventions.items():
        here = step.settings.get(followed, followed)
        for choice in choices(field):
            if choice == here:
                continue
            hint = _hint(field, choice)
            if followed in step.settings:
                changes = Changes(settings={step.id: {followed: choice}})
                yield from _fit(trace, f"convention.{field}.{choice}", "setting", step, hint, changes)
            for other in (page for page in OPS.values() if page.page.conventions.get(field) == choice):
                changes = Changes(ops={step.id: other})
                yield from _fit(trace, f"convention.{field}.{choice}", "op", step, hint, changes)


def _runs(trace: Trace) -> Iterator[Fit]:
    """The whole run under another convention."""
    convention, rerun = trace.convention, trace.rerun
    if convention is None or rerun is None:
        return
    for field in CHOICES:
        for choice in choices(field):
            other = convention.but(**{field: choice})
            if other != convention:
                yield Fit(f"convention.{field}.{choice}", "run", "", _hint(field, choice), _runs_again(rerun, other))


def _differ(one: Recording, other: Recording) -> bool:
    """Whether any number is another one, or the steps themselves are others."""
    steps, others = ({step.path: step for step in recording.steps.values()} for recording in (one, other))
    return steps.keys() != others.keys() or any(
        step is not others[path] and _are_other(step.tensor.array, others[path].tensor.array)
        for path, step in steps.items()
    )


def _are_other(one: Array, other: Array) -> bool:
    return one is not other and not numpy.array_equal(one, other)


def _replays(trace: Trace, changes: Changes) -> Callable[[], Trace]:
    return lambda: trace.replay(ops=changes.ops, settings=changes.settings, wires=changes.wires)


def _runs_again(rerun: Callable[[Convention], Trace], other: Convention) -> Callable[[], Trace]:
    return lambda: rerun(other)


def _hint(field: str, choice: Any) -> str:
    return say("explain.mistake.convention", subject=say(f"convention.{field}"), choice=words(field, choice))
