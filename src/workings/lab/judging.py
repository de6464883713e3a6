"""Somebody's results judged step by step, each from the numbers that they wrote down before it, where they did.

So one wrong step does not make the others wrong, and what is named is the cause of that step and of no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy

from ..engine.arrays import Array
from ..engine.errors import InputError, WorkingsError
from ..explain.step_view import StepView
from ..explain.story import is_told
from ..explain.view import Trace
from ..teach.answers.spelling import shown
from ..teach.checking.closeness import before, closeness
from ..teach.checking.meanings import is_known, meanings
from ..teach.checking.received import Received, received
from ..teach.checking.why import Why, rearranged, why_of
from .errors import LabError
from .pasted import filled, read_field

Verdict: TypeAlias = Literal["exact", "fits", "follows", "unclear", "arranged", "wrong", "shape"]
WRONG: tuple[Verdict, ...] = ("wrong", "shape")
ROUNDED = ("rounded", "number type")
HIDDEN = -1e4  # at most: what people write where they mean -∞
AS_HIDDEN = -1e9  # what stands for -∞ where a number is needed to go on with; its power of e is 0 as well


@dataclass(frozen=True)
class Checked:
    """One step of theirs. `view` is what it should be from their own numbers before it; `why` how theirs came about."""

    name: str  # as they called it
    verdict: Verdict
    view: StepView
    truth: StepView
    why: Why
    yours: Received
    between: tuple[str, ...] = ()  # steps on the way that they did not give

    @property
    def is_wrong(self) -> bool:
        return self.verdict in WRONG


def judge(trace: Trace, got: Mapping[str, str]) -> tuple[Checked, ...]:
    """Every step that they filled in, in the order in which the trace made them.

    >>> import workings as w
    >>> steps = judge(w.scenario("token-i").trace("twin"), {"scaled": "1 2; 3 4", "scores": "2 4; 6 8"})
    >>> [(step.name, step.verdict) for step in steps]
    [('scores', 'wrong'), ('scaled', 'follows')]
    """
    written = filled(got)
    if not written:
        raise LabError("lab.check.nothing")
    for name in written:
        if not is_known(trace, name):
            steps = (step.name for step in trace if step.step.op is not None and is_told(trace.recording, step.step))
            raise LabError("lab.check.step", name=shown(name), known=", ".join(dict.fromkeys(steps)))
    return _Judging(trace, written).run()


class _Judging:
    """Goes through their steps, and puts their numbers into the place of ours as it goes."""

    def __init__(self, trace: Trace, written: Mapping[str, str]) -> None:
        self.trace = trace
        self.meant = {name: self._meant(name, written) for name in written}
        self.given = {name: _read(name, text, self.meant[name][0]) for name, text in written.items()}
        self.own: dict[str, Array] = {}  # their numbers so far, by path
        self.carried = trace  # the computation with their mistakes so far, and nothing rounded

    def _meant(self, name: str, written: Mapping[str, str]) -> list[StepView]:
        """The steps that a name may mean, the likeliest first; not those that are given under their own names."""
        views = meanings(self.trace, name)
        others = {meanings(self.trace, other)[0].path for other in written if other != name}
        return [view for view in views if view.path not in others] or views[:1]

    def run(self) -> tuple[Checked, ...]:
        order = {id: place for place, id in enumerate(self.trace.recording.steps)}
        return tuple(self._step(name) for name in sorted(self.given, key=lambda name: order[self.meant[name][0].id]))

    def _step(self, name: str) -> Checked:
        """What a name means is told by the numbers, where several steps go by it."""
        likeliest = self.meant[name][0]
        ways = ((truth, view) for truth in self.meant[name] for view in self._ways(truth) if self._fits(name, view))
        found = self._judged(name, *next(ways, (likeliest, self._from_own(likeliest))))
        self._go_on_with(found)
        return found

    def _ways(self, truth: StepView) -> Iterator[StepView]:
        """What a step may be: as it follows from all that they wrote down; from their mistakes alone, if they went on
        with numbers that they did not round; and the true one.
        """
        yield self._from_own(truth)
        with suppress(WorkingsError):  # a mistake may make the rest impossible
            yield self.carried[truth.path]
        yield truth

    def _from_own(self, truth: StepView) -> StepView:
        """The step as it follows from their own numbers before it."""
        return _with_numbers(self.trace, self.own)[truth.path]

    def _fits(self, name: str, view: StepView) -> bool:
        """Whether they are the numbers of a step, to rounding."""
        got = self._got(name, view)
        return got.array.shape == view.shape and any(closeness(got, view, lines).agrees for lines in (False, True))

    def _got(self, name: str, view: StepView) -> Received:
        return _hidden(self.given[name].without_ones(view.shape), view)

    def _judged(self, name: str, truth: StepView, view: StepView) -> Checked:
        got = self._got(name, truth)
        why = why_of(got, view)
        step = Checked(name, "wrong", view, truth, why, got)
        if why.is_right:
            verdict: Verdict = "exact" if why.verdict == "exact" and not why.gap else "fits"
            return replace(step, verdict="follows" if self._went_wrong and not self._fits(name, truth) else verdict)
        if why.verdict == "several" and any(candidate.kind in ROUNDED for candidate in why.candidates):
            return replace(step, verdict="unclear")
        if why.verdict == "another shape":
            return replace(step, verdict="arranged" if rearranged(got, view) else "shape")
        return replace(step, between=self._between(view))

    @property
    def _went_wrong(self) -> bool:
        return self.carried is not self.trace

    def _go_on_with(self, step: Checked) -> None:
        """Their numbers take the place of ours; what they left open is as it follows."""
        got = step.yours
        if got.array.shape != step.truth.shape:
            return
        value = numpy.asarray(step.view.value, dtype=float)
        stated = got.array.astype(float) if got.blank is None else numpy.where(got.blank, value, got.array)
        stated = numpy.where(numpy.isneginf(stated), AS_HIDDEN, stated)
        if numpy.all(numpy.isfinite(stated)):
            self.own[step.truth.path] = stated
            if step.is_wrong:
                self.carried = self._with_mistake(step) or _with_numbers(self.carried, {step.truth.path: stated})

    def _with_mistake(self, step: Checked) -> Trace | None:
        """What they have computed so far with this mistake in it, if it has a name. Several may give the same without
        what they wrote down before; the one that it was is known.
        """
        cause = step.why.cause
        if cause is None or cause.trace is None:
            return None
        with suppress(WorkingsError):
            found = why_of(step.yours, self.carried[step.truth.path]).candidates
            return next((one.trace for one in found if cause.id in (one.id, *one.also)), None)
        return None

    def _between(self, view: StepView) -> tuple[str, ...]:
        """The steps on the way from what they gave to this one, which they did not give."""
        if not self.own:
            return ()
        on_the_way = {step.id for step in before(view.recording, view.step) if step.op is not None}
        steps = (step for step in view.recording.steps.values() if step.id in on_the_way)
        return tuple(step.path for step in steps if is_told(view.recording, step))


def _with_numbers(trace: Trace, numbers: Mapping[str, Array]) -> Trace:
    """A trace with other numbers in some steps; itself if they lead nowhere: to an overflow, a row all hidden."""
    try:
        return trace.replay(values=numbers) if numbers else trace
    except WorkingsError:
        return trace


def _read(name: str, text: str, view: StepView) -> Received:
    matrix = read_field(name, text, view.shape)
    if all(entry is None for entry in matrix.entries):
        raise InputError("why.blank", where=shown(name))
    return received(matrix, name)


def _hidden(got: Received, view: StepView) -> Received:
    """A number that is meant to be -∞ is taken for it."""
    if got.array.shape != view.shape:
        return got
    hidden = numpy.isneginf(numpy.asarray(view.value)) & (got.array <= HIDDEN)
    return replace(got, array=numpy.where(hidden, -numpy.inf, got.array)) if numpy.any(hidden) else got
