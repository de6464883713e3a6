"""Which of a user's steps follow from their own numbers before, and why the others do not.

After a first mistake all numbers are different. A later step that follows from the wrong numbers is right in itself;
one that does not follow has a cause of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, reduce

import numpy

from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.in_rule import ALSO
from ...engine.replay import replay
from ...explain.mistakes import candidates as possible
from ...explain.step_view import StepView
from ...explain.trace import Trace
from .candidates import Candidate
from .closeness import ancestors, closeness
from .own_numbers import AS_HIDDEN, OwnNumbers, with_hidden, with_values
from .user_array import UserArray
from .why import Why, why_of

REASONS = ("mistake", "convention", "several", "two mistakes")
MIN_DIGITS = 3  # of numbers that may have been rounded: the output of a program may be short by itself
MAX_WAYS = 8  # in which names that may refer to several steps are combined


def are_close(got: UserArray, view: StepView, lines: bool = False) -> bool:
    """Whether numbers of a program are those of a step; with `lines`, if every line was rounded."""
    return closeness(with_hidden(got, view), view, lines, MIN_DIGITS).agrees


@dataclass(frozen=True)
class RootStep:
    """A step that does not follow from the user's numbers before it; `views` are what its name may refer to."""

    name: str
    got: UserArray
    views: list[StepView] = field(repr=False)  # as they follow from the user's own numbers
    truth: StepView = field(repr=False)
    between: tuple[str, ...] = ()  # steps before it that were not given

    @cached_property
    def why(self) -> Why:
        """For all steps that the name may refer to: the first one with a reason; or else, from our numbers."""
        found = [why_of(self.got, view) for view in self.views]
        best = next((why for why in found if why.verdict in REASONS), found[0])
        return why_of(self.got, self.truth) if best.verdict == "none" and self.truth is not self.views[0] else best


class FollowedNumbers:
    """A user's numbers so far, right or wrong. Where a name may refer to several steps, each is tried, and later steps
    decide.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.ways = [OwnNumbers(trace)]
        self.roots: list[RootStep] = []
        self.unusable: set[str] = set()  # wrong steps whose numbers cannot take the place of ours

    def following(self, got: UserArray, views: list[StepView]) -> StepView | None:
        """The first of several steps whose numbers these are, as it follows from the user's own numbers; then only the
        ways from which it follows are kept.
        """
        self._settle()
        for view in views:
            ways = [own for own in self.ways if view.path not in own.values and _fits(got, own.step(view))]
            if ways:
                self.ways = ways
            traces = (trace for trace in self._with_causes() if view.path in trace)
            if ways or any(_fits(got, trace[view.path]) for trace in traces):
                return view
        return None

    def does_not_follow(self, name: str, got: UserArray, views: list[StepView]) -> None:
        """Write down a step with a cause of its own, unless it depends on what is not known."""
        own = self.ways[0]
        starts = [own.step(view) for view in views]
        before = {step.path for step in ancestors(starts[0].recording, starts[0].step)}
        if not before & self.unusable and (starts[0].step.stage == "forward" or self._knows_gradient(views[0])):
            self.roots.append(RootStep(name, got, starts, views[0], own.missing(starts[0])))
        self.go_on_with(got, views)

    def _settle(self) -> None:
        """A name that may refer to several steps refers to the one whose numbers have a reason."""
        for root in self.roots if len(self.ways) > 1 else ():
            if root.why.verdict in REASONS:
                self.ways = [own for own in self.ways if root.why.step in own.values] or self.ways

    def _knows_gradient(self, view: StepView) -> bool:
        """Whether a gradient is known, however the forward pass went wrong. Otherwise nobody is accused of it."""
        wrong = [root.why.causes for root in self.roots if root.views[0].step.stage == "forward"]
        if not all(causes and causes[0].trace is not None for causes in wrong):
            return False
        mistaken = [self.trace[path] for causes in wrong for cause in causes for path in cause.step.split(", ") if path]
        before = {id for step in mistaken for id in step.step.inputs}
        if not any(step.stage == "backward" and step.twin in before for step in ancestors(view.recording, view.step)):
            return True  # it does not come through what was mistaken
        changes = [change for causes in wrong for cause in causes for change in self._changes(cause)]
        trace = self._differentiated(changes)
        twins = ((step.path, step.twin) for step in self.trace if step.step.stage == "backward")
        weights = (path for path, twin in twins if twin is not None and twin.step.leaf == "parameter")
        return trace is not None and all(path in trace for path in weights)

    def go_on_with(self, got: UserArray, views: list[StepView]) -> None:
        """The user's numbers take the place of ours, in each of the steps that they may be."""
        array = numpy.where(numpy.isneginf(got.array.astype(float)), AS_HIDDEN, got.array)
        if got.array.shape != views[0].shape or not numpy.all(numpy.isfinite(array)):
            self.unusable.add(views[0].path)
            return
        self.ways = [own.also(view.path, array) for own in self.ways for view in views][:MAX_WAYS]

    def _with_causes(self) -> Iterator[Trace]:
        """The computation with the mistakes that were found so far: with each of them alone; and with all of them, and
        the gradients of the mistaken computation, as autograd has them.
        """
        found = [cause for root in self.roots for cause in root.why.causes]
        yield from (cause.trace for cause in found if cause.trace is not None)
        changes = [change for cause in found for change in self._changes(cause)]
        for trace in (self._differentiated(changes), self._replayed(changes)) if changes else ():
            if trace is not None:
                yield trace
                yield with_values(trace, self.ways[0].values)

    def _changes(self, cause: Candidate) -> Iterator[Changes]:
        """What a mistake changes in each of its places; where its rules can follow it, with these."""
        for path in cause.step.split(", "):
            fits = {fit.id: fit for fit in possible(self.trace, self.trace[path].step)} if path else {}
            fit = fits.get(f"{cause.id}{ALSO}", fits.get(cause.id))
            if fit is not None and fit.changes is not None:
                yield fit.changes

    def _replayed(self, changes: list[Changes]) -> Trace | None:
        with suppress(WorkingsError):  # they cannot be made together
            every = replay(self.trace.recording, reduce(Changes.and_also, changes))
            return Trace(run=self.trace.run, recording=every)
        return None

    def _differentiated(self, changes: list[Changes]) -> Trace | None:
        """The mistaken forward pass, and a backward pass through it; None without one."""
        recording = self.trace.recording
        first = next((step for step in recording.steps.values() if step.stage != "forward"), None)
        trace = self._replayed(changes) if changes else None
        if trace is None or first is None or first.twin is None or first.stage != "backward":
            return None
        trace.recording.forget_from(int(first.id))
        with suppress(WorkingsError):  # a mistake may have no gradient
            return trace.backward(recording.step(first.twin).path, recording.value(first.id))
        return None


def _fits(got: UserArray, view: StepView) -> bool:
    return any(are_close(got, view, lines) for lines in (False, True))
