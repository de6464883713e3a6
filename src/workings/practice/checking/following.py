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
    between: tuple[str, ...] = ()  # steps before it that were not given

    @cached_property
    def why(self) -> Why:
        """For all steps that the name may refer to: the first one with a reason."""
        found = [why_of(self.got, view) for view in self.views]
        return next((why for why in found if why.verdict in REASONS), found[0])


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
            if ways or any(_fits(got, trace[view.path]) for trace in self._with_causes()):
                return view
        return None

    def does_not_follow(self, name: str, got: UserArray, views: list[StepView]) -> None:
        """Write down a step with a cause of its own, unless it depends on what is not known."""
        own = self.ways[0]
        starts = [own.step(view) for view in views]
        before = {step.path for step in ancestors(starts[0].recording, starts[0].step)}
        if not before & self.unusable and not (starts[0].step.stage == "backward" and self._went_unknown_ways()):
            self.roots.append(RootStep(name, got, starts, own.missing(starts[0])))
        self.go_on_with(got, views)

    def _settle(self) -> None:
        """A name that may refer to several steps refers to the one whose numbers have a reason."""
        for root in self.roots if len(self.ways) > 1 else ():
            if root.why.verdict in REASONS:
                self.ways = [own for own in self.ways if root.why.step in own.values] or self.ways

    def _went_unknown_ways(self) -> bool:
        """Whether the forward pass went wrong in a way that is not known: then its gradients are not known either."""
        wrong = (root.why.causes for root in self.roots if root.views[0].step.stage == "forward")
        return any(not causes or causes[0].trace is None for causes in wrong)

    def go_on_with(self, got: UserArray, views: list[StepView]) -> None:
        """The user's numbers take the place of ours, in each of the steps that they may be."""
        array = numpy.where(numpy.isneginf(got.array.astype(float)), AS_HIDDEN, got.array)
        if got.array.shape != views[0].shape or not numpy.all(numpy.isfinite(array)):
            self.unusable.add(views[0].path)
            return
        self.ways = [own.also(view.path, array) for own in self.ways for view in views][:MAX_WAYS]

    def _with_causes(self) -> Iterator[Trace]:
        """The computation with the mistakes that were found so far: with each of them, and with all of them in the
        backward pass too, from the user's own numbers and from ours.
        """
        found = [cause for root in self.roots for cause in root.why.causes]
        yield from (cause.trace for cause in found if cause.trace is not None)
        changes = [change for cause in found for change in self._in_backward_pass(cause)]
        if changes:
            with suppress(WorkingsError):  # they cannot be made together
                every = replay(self.trace.recording, reduce(Changes.and_also, changes))
                trace = Trace(run=self.trace.run, recording=every)
                yield trace
                yield from (with_values(trace, own.values) for own in self.ways)

    def _in_backward_pass(self, cause: Candidate) -> Iterator[Changes]:
        """A mistake in the forward pass, with rules that follow it, as those of autograd do."""
        for path in cause.step.split(", "):
            fits = {fit.id: fit for fit in possible(self.trace, self.trace[path].step)} if path else {}
            fit = fits.get(f"{cause.id}{ALSO}", fits.get(cause.id))
            if fit is not None and fit.changes is not None:
                yield fit.changes


def _fits(got: UserArray, view: StepView) -> bool:
    return any(are_close(got, view, lines) for lines in (False, True))
