"""A user's own numbers of the steps so far, and what later steps are when computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy

from ...engine.arrays import Array
from ...engine.errors import WorkingsError
from ...explain.step_view import StepView
from ...explain.story import is_shown
from ...explain.trace import Trace
from .closeness import ancestors
from .user_array import UserArray

HIDDEN_BELOW = -1e4  # what people and programs write for -∞
AS_HIDDEN = -1e9  # a finite number in the place of -∞, to compute with; its exponential is 0 as well


class OwnNumbers:
    """The numbers that a user gave, by path, for the steps of a trace."""

    def __init__(self, trace: Trace, values: Mapping[str, Array] | None = None) -> None:
        self.trace = trace
        self.values = dict(values or {})

    def also(self, path: str, value: Array) -> OwnNumbers:
        """These numbers, and those of one more step."""
        return OwnNumbers(self.trace, {**self.values, path: value})

    @cached_property
    def followed(self) -> Trace:
        """The trace with these numbers in the place of ours."""
        return with_values(self.trace, self.values)

    def step(self, view: StepView) -> StepView:
        """The step as it follows from the user's numbers before it."""
        return self.followed[view.path] if self.values else view

    def missing(self, view: StepView) -> tuple[str, ...]:
        """The named steps on the way from the user's numbers to a step that follows from them."""
        if not self.values:
            return ()
        on_the_way = {step.id for step in ancestors(view.recording, view.step) if step.op is not None}
        steps = (step for step in view.recording.steps.values() if step.id in on_the_way)
        return tuple(step.path for step in steps if is_shown(view.recording, step))


def with_values(trace: Trace, values: Mapping[str, Array]) -> Trace:
    """A trace with other values in some steps; the trace itself if they lead to an overflow or a fully masked row."""
    try:
        return trace.replay(values=values) if values else trace
    except WorkingsError:
        return trace


def with_hidden(got: UserArray, view: StepView) -> UserArray:
    """The numbers with -∞ in the place of large negative numbers where the step has -∞."""
    if got.array.shape != view.shape:
        return got
    hidden = numpy.isneginf(numpy.asarray(view.value)) & (got.array <= HIDDEN_BELOW)
    return replace(got, array=numpy.where(hidden, -numpy.inf, got.array)) if numpy.any(hidden) else got
