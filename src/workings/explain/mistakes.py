"""The mistakes that can be made in a trace, computed from its steps, and what each of them would give.

Five kinds. `op`: another function at a step. `rule`: another rule for its gradient. `wire`: a step reads another value.
`setting`: a step uses another number. `run`: another convention, which is another run. A mistake whose replay fails,
that fits no step or that changes no number cannot be made here.

Another function has a second variant, whose id ends in `+rule`: the backward pass follows it too. At the gradients of
the step that variant is a mistake of its own: the step is right, and only its rule is that of the mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy

from ..conventions import CHOICES, Convention, choices, subject, words
from ..document.blocks import Link, Spans, Words, fill_spans
from ..document.notation import name_of
from ..document.numbers import apart
from ..engine.arrays import Array, Index, indices
from ..engine.changes import Changes
from ..engine.errors import CallError, ReplayError, WorkingsError, did_you_mean
from ..engine.in_rule import ALSO, find_mistake, has_rule, in_rule, whole_of
from ..engine.op import OPS, Op, find_op
from ..engine.page import Mistake
from ..engine.recording import Recording
from ..engine.replay import replay
from ..engine.site import Site, spelled_out
from ..engine.steps import GroupRecord, Step
from .line import number_at, style_for
from .mistake_titles import mistake_title

if TYPE_CHECKING:
    from .step_view import StepView
    from .trace import Trace

Kind = Literal["op", "rule", "wire", "setting", "run"]


@dataclass(frozen=True)
class PossibleMistake:
    """One mistake that can be made in a trace: its id, its step, and how to make the trace with it."""

    id: str
    kind: Kind
    step: str  # the path of the step at which it is made; none for a run
    hint: str
    make: Callable[[], Trace]
    changes: Changes | None = None  # what it changes, by step id; None for a run

    @property
    def is_in_rule(self) -> bool:
        """Whether the backward pass follows the mistake."""
        return self.id.endswith(ALSO)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id}{' at ' if self.step else ''}{self.step}>"


def possible_mistakes(trace: Trace, at: Step | None = None, only: Collection[str] = ()) -> list[PossibleMistake]:
    """All mistakes that can be made in the whole trace or at one step; or those of them with these ids."""
    whole = trace.replay() if trace.recording.level == "tape" else trace  # a tape keeps no values to compare
    return [fit for fit in candidates(whole, at) if (not only or fit.id in only) and _is_seen(whole.recording, fit)]


def mistakes_at(trace: Trace, at: Step) -> list[tuple[PossibleMistake, Step]]:
    """The mistakes that change the numbers of this step, each with the wrong step. Nothing else is recomputed, so that
    it is quick in a large trace too. Other conventions are not mistakes, and are left out.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace("twin")
    >>> [fit.id for fit, _ in mistakes_at(trace, trace["scaled"].step)]
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
        if wrong is not at and _arrays_differ(at.tensor.array, wrong.tensor.array):
            found.append((fit, wrong))
    return found


def candidates(trace: Trace, at: Step | None = None) -> Iterator[PossibleMistake]:
    """The mistakes that might be made in the whole trace or at one step, before trying them: one may fail, or change no
    number.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     weights = w.ops.softmax(w.given([2.0, 1.5], "key"), name="weights")
    >>> [fit.id for fit in candidates(trace)][:3]
    ['softmax.wrong_axis', 'softmax.not_normalised', 'softmax.no_exponential']
    >>> [fit.id for fit in trace.mistakes()][:2]  # there is a single row
    ['softmax.not_normalised', 'softmax.no_exponential']
    """
    for step in list(trace.recording.steps.values()) if at is None else [trace.recording.step(at.id)]:
        yield from _at_step(trace, step)
    if at is None:
        yield from _runs(trace)


def _is_seen(recording: Recording, fit: PossibleMistake) -> bool:
    """Whether a mistake can be made and changes a number. One with its rule must also change a number without it, and
    the rule must change another: else it is a mistake of the rule alone, which is listed there.
    """
    try:
        if fit.changes is None:
            return _recordings_differ(recording, fit.make().recording)
        made = _read_only(recording, fit.changes)
        alone = {id: op for id, op in fit.changes.ops.items() if id == recording.paths[fit.step]}
        if len(alone) == len(fit.changes.ops):
            return _recordings_differ(recording, made)
        without_rule = _read_only(recording, Changes(ops=alone))
        return _recordings_differ(recording, without_rule) and _recordings_differ(without_rule, made)
    except WorkingsError:
        return False


def _read_only(recording: Recording, changes: Changes) -> Recording:
    """The replay, which shares the unchanged steps: it is only for comparison, and faster."""
    return replay(recording, changes, until=str(recording.count))


def _at_step(trace: Trace, step: Step) -> Iterator[PossibleMistake]:
    for mistake in _page_mistakes(trace, step):
        kind: Kind = mistake.across or ("rule" if mistake.of and step.stage == "backward" else "op")
        yield from _fit(trace, mistake.id, kind, step, hint_of(mistake), Changes(ops={step.id: mistake}))
    if isinstance(step.op, Op) and step.stage != "backward":
        yield from _other_conventions(trace, step, step.op)


def _fit(trace: Trace, id: str, kind: Kind, step: Step, hint: str, changes: Changes) -> Iterator[PossibleMistake]:
    """A mistake with all that it changes; nothing if it does not fit the steps around it."""
    try:
        spelled = spelled_out(trace.recording, changes)
    except ReplayError:
        return
    yield PossibleMistake(id, kind, step.path, hint, _replays(trace, spelled), spelled)


def _page_mistakes(trace: Trace, step: Step) -> Iterator[Mistake]:
    """The mistakes of the pages that a step comes from: of its op, of the group or the rule whose result it is.

    In the backward pass the ops belong to rules, except for two: the sum of gradients that meet (collect), and the sum
    over the copies of a broadcast input (sum_to).
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
            about = (mistake for mistake in group.op.page.mistakes.values() if mistake.of == of)
            yield from (mistake for mistake in about if _fits_around(trace.recording, group, mistake))
        if group.rule_of and whole_of(trace.recording, group) == step.id:
            yield from (in_rule(m) for m in group.op.page.mistakes.values() if has_rule(group.op, m))


def _fits_around(recording: Recording, group: GroupRecord, mistake: Mistake) -> bool:
    """Whether the forward step that a wrong rule belongs to is one for which it can be made."""
    if not group.rule_of or mistake.surroundings is None:
        return True
    forward = recording.step(group.rule_of)
    return forward.op is group.op and mistake.surroundings(Site(recording, forward)) is not None


def _other_conventions(trace: Trace, step: Step, op: Op) -> Iterator[PossibleMistake]:
    """The step under other conventions: with another setting, or with another op in its place."""
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


def _runs(trace: Trace) -> Iterator[PossibleMistake]:
    """The whole run under another convention."""
    convention, rerun = trace.convention, trace.run.rerun
    if convention is None or rerun is None:
        return
    for field in CHOICES:
        for choice in choices(field):
            other = convention.but(**{field: choice})
            if other != convention:
                id, hint = f"convention.{field}.{choice}", _hint(field, choice)
                yield PossibleMistake(id, "run", "", hint, _runs_again(rerun, other))


def _recordings_differ(one: Recording, other: Recording) -> bool:
    """Whether any number differs, or the steps themselves."""
    steps, others = ({step.path: step for step in recording.steps.values()} for recording in (one, other))
    return steps.keys() != others.keys() or any(
        step is not others[path] and _arrays_differ(step.tensor.array, others[path].tensor.array)
        for path, step in steps.items()
    )


def _arrays_differ(one: Array, other: Array) -> bool:
    return one is not other and not numpy.array_equal(one, other)


def _replays(trace: Trace, changes: Changes) -> Callable[[], Trace]:
    return lambda: trace.replay(ops=changes.ops, settings=changes.settings, wires=changes.wires)


def _runs_again(rerun: Callable[[Convention], Trace], other: Convention) -> Callable[[], Trace]:
    return lambda: rerun(other)


def _hint(field: str, choice: Any) -> str:
    return f"You followed another convention. {subject(field)} {words(field, choice)}."


def op_or_mistake(name: Op | Mistake | str) -> Op | Mistake:
    """An op or one of its mistakes, by name: `softmax`, `softmax.wrong_axis`."""
    if not isinstance(name, str):
        return name
    page, dot, mistake = name.partition(".")
    op = find_op(page)
    if not dot:
        return op
    found = find_mistake(op, mistake)
    if found is None:
        known = [one.id for one in op.page.mistakes.values()]
        near = did_you_mean(name, known, 3)
        raise CallError(f"There is no mistake '{name}'.", hint=f"{near}Mistakes of {op.name}: {', '.join(known)}.")
    return found


# -- in words ----------------------------------------------------------------------------------------


def hint_of(mistake: Mistake) -> str:
    """What was done, and what is right.

    >>> from workings.ops import relu
    >>> hint_of(relu.page.mistakes["forgotten"])
    'You kept the negative entries: ReLU sets them to 0.'
    """
    return f"{mistake.hint} You did the same in the backward pass." if mistake.name.endswith(ALSO) else mistake.hint


def mistake_summary(name: str, hint: str) -> Spans:
    """The name of a mistake and its hint."""
    return (Words(f"{mistake_title(name)}: {hint}"),)


def mistake_effect(truth: StepView, false: StepView, mistake: str) -> Spans | None:
    """The entry that shows a mistake best, with the wrong number and the right one; None if no number differs."""
    style = truth.trace.style
    if truth.shape != false.shape:
        wrong, right = (style.notation.form(view.form) for view in (false, truth))
        return (Words(f" It gives the shape {wrong} instead of {right}."),)
    index = _furthest(truth.value, false.value)
    if index is None:
        return None
    style = style_for(truth.trace.recording, truth.step, style)  # that of the correct step, for both
    style = apart(float(truth.value[index]), float(false.value[index]), style)
    name = name_of(truth.trace.recording, truth.step, style.notation)
    return fill_spans(
        " It gives {value} instead of {truth} at {entry}.",
        value=replace(number_at(false.step, false.value, index, style), role="mistake", mistake=mistake),
        truth=number_at(truth.step, truth.value, index, style),
        entry=Link(style.notation.entry(name, index), truth.id),
    )


def _furthest(truth: Array, false: Array) -> Index | None:
    """The entry at which two arrays differ most, if they differ."""
    gap, index = max((_gap(float(truth[at]), float(false[at])), at) for at in indices(truth.shape))
    return index if gap > 0 else None


def _gap(one: float, other: float) -> float:
    return 0.0 if one == other else abs(one - other)  # two infinite entries may be the same
