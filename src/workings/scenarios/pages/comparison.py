"""The first and the last training step of a trace, compared: the examples, and the weights.

How far a weight moved is recorded in a side trace: the difference, and its norm.
"""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import dataclass

import numpy

from ...document.blocks import Index
from ...engine.arrays import indices, is_float
from ...engine.errors import StepError
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...ops.norm import norm
from ...ops.sub import sub
from .averaging import averaged_scopes
from .side_trace import SideTrace

UPDATED = re.compile(r"step(?P<number>\d+)\.(?:update\d+\.)?(?P<weight>.+)_new")
PREDICTED = re.compile(r"step(?P<number>\d+)\.(?P<example>(?:update\d+\.)?(?:example\d+\.)?)P")


@dataclass(frozen=True)
class TargetChange:
    """The probability of one target before and after. `goal` is what it should be: 1, or the label of a yes or no."""

    before: StepView
    after: StepView
    index: Index
    goal: float
    is_label: bool = False

    @property
    def improved(self) -> bool:
        before, after = (abs(self.goal - float(step.value[self.index])) for step in (self.before, self.after))
        return after < before


@dataclass(frozen=True)
class ExampleChange:
    """An example by its number: how its targets changed, and its loss before and after."""

    number: int
    tokens: StepView
    target: StepView
    changes: tuple[TargetChange, ...]
    before: StepView
    after: StepView


@dataclass(frozen=True)
class WeightChange:
    """A weight before and after, the difference, and the norm of the difference."""

    path: str
    before: StepView
    after: StepView
    difference: StepView
    distance: StepView

    @property
    def largest(self) -> Index:
        """The entry that changed most."""
        difference = numpy.abs(numpy.asarray(self.difference.value))
        return tuple(int(place) for place in numpy.unravel_index(difference.argmax(), difference.shape))


@dataclass(frozen=True)
class TrainingComparison:
    """What changed between two training steps."""

    side: SideTrace
    first: int
    last: int
    has_updates: bool  # whether a step has several updates, one for each batch of examples
    examples: tuple[ExampleChange, ...]
    weights: tuple[WeightChange, ...]


def kept_steps(trace: Trace) -> list[int]:
    """The numbers of the training steps in a trace, in order; none where it has only one."""
    return sorted({int(found["number"]) for step in trace if (found := _updated(step))})


def comparison_of(trace: Trace) -> TrainingComparison:
    """The first and the last training step of a trace."""
    kept = kept_steps(trace)
    if len(kept) < 2:
        raise StepError(
            "A comparison needs two training steps, and this trace has fewer.",
            hint="Keep the first step and a later one: `train: {steps: 100, keep: [1, 100]}`.",
        )
    first, last = kept[0], kept[-1]
    side = SideTrace(trace, "comparison")
    before, after = (_weights_at(trace, number) for number in (first, last))
    with side.trace:
        weights = tuple(_moved(side, path, before[path], after[path]) for path in before if path in after)
    has_updates = any(path.startswith(f"step{first}.update1.") for path in trace.recording.paths)
    return TrainingComparison(side, first, last, has_updates, _examples(trace, first, last), weights)


def _updated(step: StepView) -> re.Match[str] | None:
    """For a new weight: the training step, the update in it, and the path of the weight."""
    return UPDATED.fullmatch(step.path) if step.step.stage == "update" and step.step.twin else None


def _weights_at(trace: Trace, number: int) -> dict[str, StepView]:
    """The weights at the beginning of a step: those that its first update changed."""
    found: dict[str, StepView] = {}
    for step in trace:
        place = _updated(step)
        if place and int(place["number"]) == number:
            found.setdefault(place["weight"], StepView(trace, trace.recording.step(step.step.twin or "")))
    return found


def _moved(side: SideTrace, path: str, before: StepView, after: StepView) -> WeightChange:
    parent, _, name = path.rpartition(".")
    with side.trace.scope(parent) if parent else nullcontext():
        old, new = side.take(before, f"{name}_before"), side.take(after, f"{name}_after")
        difference = sub(new, old, name=f"{name}_difference")
        distance = norm(difference, name=f"{name}_distance")
    return WeightChange(path, before, after, side.trace[difference], side.trace[distance])


def _examples(trace: Trace, first: int, last: int) -> tuple[ExampleChange, ...]:
    """The examples that are written out: both steps have the same ones. Batches have other texts each time."""
    paths = {} if averaged_scopes(trace) else trace.recording.paths
    found = []
    for path in [*paths]:
        place = PREDICTED.fullmatch(path)
        if place and int(place["number"]) == first:
            old, new = f"step{first}.{place['example']}", f"step{last}.{place['example']}"
            if all(f"{scope}{name}" in paths for scope in (old, new) for name in ("P", "target", "loss")):
                found.append(_example(trace, old, new))
    return tuple(found)


def _example(trace: Trace, old: str, new: str) -> ExampleChange:
    numbers = re.findall(r"\d+", old)[1:]  # the first is that of the step, the last that of the example
    read = f"{old}source" if f"{old}source" in trace.recording.paths else f"{old}tokens"
    return ExampleChange(
        int(numbers[-1]) if numbers else 1,
        trace[read],
        trace[f"{old}target"],
        _changes(trace, old, new),
        trace[f"{old}loss"],
        trace[f"{new}loss"],
    )


def _changes(trace: Trace, old: str, new: str) -> tuple[TargetChange, ...]:
    before, after, target = trace[f"{old}P"], trace[f"{new}P"], trace[f"{old}target"].value
    if is_float(target):  # a label for each probability
        return tuple(TargetChange(before, after, at, float(target[at]), is_label=True) for at in indices(target.shape))
    return tuple(TargetChange(before, after, (*at, int(target[at])), 1.0) for at in indices(target.shape))
