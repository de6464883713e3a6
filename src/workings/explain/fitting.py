"""Which mistakes can be made in a trace: computed from what is in it, not listed.

Five kinds. `op`: another function at a step. `rule`: another rule for its gradient. `wire`: another
value is read. `setting`: another number is taken. `run`: another convention, which is another run. A
mistake whose replay fails, that no step is right for, or that changes no number cannot be made here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy

from ..conventions import CHOICES, Convention, choices, words
from ..engine.arrays import Array
from ..engine.errors import WorkingsError
from ..engine.op import Op
from ..engine.page import Mistake
from ..engine.registry import OPS
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

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id}{' at ' if self.step else ''}{self.step}>"


def fitting(trace: Trace, at: Step | None = None, only: Collection[str] = ()) -> list[Fit]:
    """All mistakes that can be made, in the whole trace or at one step; or those of them with these ids."""
    whole = trace.replay() if trace.recording.level == "tape" else trace  # a tape has not kept the values to compare
    steps = list(whole.recording.steps.values()) if at is None else [whole.recording.step(at.id)]
    candidates = [fit for step in steps for fit in _at_step(whole, step)]
    if at is None:
        candidates += _runs(trace)
    values = _values(whole)
    candidates = [fit for fit in candidates if not only or fit.id in only]
    return [fit for fit in candidates if _can_be_made(values, fit)]


def _can_be_made(values: Mapping[str, Array], fit: Fit) -> bool:
    try:
        return _differ(values, _values(fit.make()))
    except WorkingsError:
        return False


def _at_step(trace: Trace, step: Step) -> Iterator[Fit]:
    for mistake in _page_mistakes(trace, step):
        kind: Kind = mistake.across or ("rule" if mistake.of else "op")
        hint = say(f"op.{mistake.page}.mistake.{mistake.name}")
        yield Fit(mistake.id, kind, step.path, hint, _replays(trace, ops={step.id: mistake}))
    if isinstance(step.op, Op) and step.stage != "backward":
        yield from _other_conventions(trace, step, step.op)


def _page_mistakes(trace: Trace, step: Step) -> Iterator[Mistake]:
    """The mistakes of the pages that a step comes from: of its op, of the group or the rule whose result it is.

    Going back, the ops are those of the rules, but for two: gradients that meet are added up (collect), and so are
    those of repetitions (sum_to).
    """
    if isinstance(step.op, Op) and (step.stage != "backward" or step.op.name in ("collect", "sum_to")):
        yield from (mistake for mistake in step.op.page.mistakes.values() if not mistake.of)
    for group in trace.recording.groups.values():
        if group.result == step.id:
            of = group.op.input_name(group.slot) if group.rule_of else ""
            yield from (mistake for mistake in group.op.page.mistakes.values() if mistake.of == of)


def _other_conventions(trace: Trace, step: Step, op: Op) -> Iterator[Fit]:
    """The step as other profiles would have it: with another setting, or another page in its place."""
    for field, followed in op.page.conventions.items():
        here = step.settings.get(followed, followed)
        for choice in choices(field):
            if choice == here:
                continue
            hint = _hint(field, choice)
            if followed in step.settings:
                replays = _replays(trace, settings={step.id: {followed: choice}})
                yield Fit(f"convention.{field}.{choice}", "setting", step.path, hint, replays)
            for other in (page for page in OPS.values() if page.page.conventions.get(field) == choice):
                yield Fit(f"convention.{field}.{choice}", "op", step.path, hint, _replays(trace, ops={step.id: other}))


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


def _values(trace: Trace) -> dict[str, Array]:
    return {step.path: step.value for step in trace}


def _differ(values: Mapping[str, Array], others: Mapping[str, Array]) -> bool:
    """Whether any number is another one, or the steps themselves are others."""
    return values.keys() != others.keys() or any(_are_other(value, others[path]) for path, value in values.items())


def _are_other(one: Array, other: Array) -> bool:
    return one is not other and not numpy.array_equal(one, other)


def _replays(trace: Trace, **changes: Mapping[str, Any]) -> Callable[[], Trace]:
    return lambda: trace.replay(**changes)


def _runs_again(rerun: Callable[[Convention], Trace], other: Convention) -> Callable[[], Trace]:
    return lambda: rerun(other)


def _hint(field: str, choice: Any) -> str:
    return say("explain.mistake.convention", subject=say(f"convention.{field}"), choice=words(field, choice))
