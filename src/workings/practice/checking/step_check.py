"""A user's results checked step by step, each from the numbers that they gave before it.

So one wrong step does not make the others wrong, and the cause that is named is that of the step itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy

from ...engine.errors import InputError, WorkingsError
from ...explain.step_view import StepView
from ...explain.story import is_shown
from ...explain.trace import Trace
from ..answers.pasted import filled, read_field
from ..answers.spelling import shown
from ..mistakes import mistake_hint
from .candidates import Candidate
from .closeness import closeness
from .own_numbers import AS_HIDDEN, OwnNumbers, with_hidden, with_values
from .step_names import is_step_name, steps_named
from .user_array import UserArray, to_user_array
from .why import Why, rearranged, why_of

CheckVerdict: TypeAlias = Literal["exact", "fits", "follows", "unclear", "arranged", "wrong", "shape"]
WRONG: tuple[CheckVerdict, ...] = ("wrong", "shape")
ROUNDED = ("rounded", "number type")
ROOT_OF_MODEL = "divide_by_root.root_of_model"


@dataclass(frozen=True)
class CheckedStep:
    """One step of a user. `view` is what it should be from their own numbers before it; `why` what produced theirs."""

    name: str  # theirs
    verdict: CheckVerdict
    view: StepView
    truth: StepView
    why: Why
    yours: UserArray
    between: tuple[str, ...] = ()  # steps on the way that they did not give

    @property
    def is_wrong(self) -> bool:
        return self.verdict in WRONG


def first_wrong(steps: tuple[CheckedStep, ...]) -> CheckedStep | None:
    return next((step for step in steps if step.is_wrong), None)


def check_steps(
    trace: Trace, results: Mapping[str, str], by_root_of_model: Callable[[], Trace] | None = None
) -> tuple[CheckedStep, ...]:
    """Every step with results, in the order of the trace. `by_root_of_model` gives the trace divided by √d_model
    instead of √d_head, a mistake that the page of the root cannot make where axes have no names.

    >>> import workings as w
    >>> steps = check_steps(w.scenario("token-i").trace("twin"), {"scaled": "1 2; 3 4", "scores": "2 4; 6 8"})
    >>> [(step.name, step.verdict) for step in steps]
    [('scores', 'wrong'), ('scaled', 'follows')]
    """
    texts = filled(results)
    if not texts:
        raise InputError(
            "There are no results to check.",
            hint="Fill in at least one step that you have calculated, such as scores or weights.",
        )
    for name in texts:
        if not is_step_name(trace, name):
            steps = (step.name for step in trace if step.step.op is not None and is_shown(trace.recording, step.step))
            raise InputError(
                f"There is no step {shown(name)} here.",
                hint=f"Steps that can be checked: {', '.join(dict.fromkeys(steps))}.",
            )
    checked = _StepChecker(trace, texts).run()
    first = first_wrong(checked)
    if by_root_of_model is None or first is None or any(one.kind != "relation" for one in first.why.candidates):
        return checked
    others = _StepChecker(by_root_of_model(), texts).run()
    if any(other.name == first.name and other.is_wrong for other in others):
        return checked
    cause = Candidate(ROOT_OF_MODEL, "mistake", "scaled", mistake_hint(ROOT_OF_MODEL))
    named = replace(first, why=replace(first.why, verdict="mistake", candidates=(cause,)))
    return tuple(named if step is first else step for step in checked)


class _StepChecker:
    """Goes through the steps, and puts the user's numbers in the place of ours as it goes."""

    def __init__(self, trace: Trace, texts: Mapping[str, str]) -> None:
        self.trace = trace
        self.views = {name: self._views(name, texts) for name in texts}
        self.given = {name: _read(name, text, self.views[name][0]) for name, text in texts.items()}
        self.own = OwnNumbers(trace)
        self.carried = trace  # the computation with their mistakes so far, and nothing rounded

    def _views(self, name: str, texts: Mapping[str, str]) -> list[StepView]:
        """The steps that a name may refer to, the likeliest first, except those given under their own names."""
        views = steps_named(self.trace, name)
        others = {steps_named(self.trace, other)[0].path for other in texts if other != name}
        return [view for view in views if view.path not in others] or views[:1]

    def run(self) -> tuple[CheckedStep, ...]:
        order = {id: number for number, id in enumerate(self.trace.recording.steps)}
        return tuple(self._step(name) for name in sorted(self.given, key=lambda name: order[self.views[name][0].id]))

    def _step(self, name: str) -> CheckedStep:
        """If a name may refer to several steps, the numbers decide."""
        likeliest = self.views[name][0]
        ways = ((truth, view) for truth in self.views[name] for view in self._ways(truth) if self._fits(name, view))
        found = self._checked(name, *next(ways, (likeliest, self.own.step(likeliest))))
        self._go_on_with(found)
        return found

    def _ways(self, truth: StepView) -> Iterator[StepView]:
        """What a step may be: from all the numbers that they gave; from their mistakes alone, if they went on with
        numbers that they did not round; and the true one.
        """
        yield self.own.step(truth)
        with suppress(WorkingsError):  # a mistake may make the rest impossible
            yield self.carried[truth.path]
        yield truth

    def _fits(self, name: str, view: StepView) -> bool:
        """Whether they are the numbers of a step, to rounding."""
        got = self._got(name, view)
        return got.array.shape == view.shape and any(closeness(got, view, lines).agrees for lines in (False, True))

    def _got(self, name: str, view: StepView) -> UserArray:
        return with_hidden(self.given[name].without_ones(view.shape), view)

    def _checked(self, name: str, truth: StepView, view: StepView) -> CheckedStep:
        got = self._got(name, truth)
        why = why_of(got, view)
        step = CheckedStep(name, "wrong", view, truth, why, got)
        if why.is_right:
            verdict: CheckVerdict = "exact" if why.verdict == "exact" and not why.gap else "fits"
            return replace(step, verdict="follows" if self._went_wrong and not self._fits(name, truth) else verdict)
        if why.verdict == "too few digits":
            return replace(step, verdict="unclear")
        if why.verdict == "several" and any(candidate.kind in ROUNDED for candidate in why.candidates):
            return replace(step, verdict="unclear")
        if why.verdict == "another shape":
            return replace(step, verdict="arranged" if rearranged(got, view) else "shape")
        return replace(step, between=self.own.missing(view))

    @property
    def _went_wrong(self) -> bool:
        return self.carried is not self.trace

    def _go_on_with(self, step: CheckedStep) -> None:
        """Their numbers take the place of ours; entries that they left open are as they follow."""
        got = step.yours
        if got.array.shape != step.truth.shape:
            return
        value = numpy.asarray(step.view.value, dtype=float)
        stated = got.array.astype(float) if got.blank is None else numpy.where(got.blank, value, got.array)
        stated = numpy.where(numpy.isneginf(stated), AS_HIDDEN, stated)
        if numpy.all(numpy.isfinite(stated)):
            self.own = self.own.also(step.truth.path, stated)
            if step.is_wrong:
                self.carried = self._with_mistake(step) or with_values(self.carried, {step.truth.path: stated})

    def _with_mistake(self, step: CheckedStep) -> Trace | None:
        """Their computation so far with this mistake in it, if it has a name. Without their earlier numbers, several
        mistakes may give the same; we know which one it was.
        """
        cause = step.why.cause
        if cause is None or cause.trace is None:
            return None
        with suppress(WorkingsError):
            found = why_of(step.yours, self.carried[step.truth.path]).candidates
            return next((one.trace for one in found if cause.id in (one.id, *one.also)), None)
        return None


def _read(name: str, text: str, view: StepView) -> UserArray:
    matrix = read_field(name, text, view.shape)
    if all(entry is None for entry in matrix.entries):
        raise InputError(
            "Every entry is blank, and a blank is not a zero.",
            hint="Fill in at least one entry, or leave the step out.",
            where=shown(name),
        )
    return to_user_array(matrix, name)
