"""Two steps of training compared, the first and the last that a trace keeps: its examples, and its weights.

How far a weight moved is recorded beside the trace: the difference, and the norm of it.
"""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import dataclass

import numpy

from ...engine.arrays import indices, is_float
from ...engine.errors import StepError
from ...explain.document import Index
from ...explain.step_view import StepView
from ...explain.view import Trace
from ...ops.norm import norm
from ...ops.sub import sub
from .averaging import averaged_scopes
from .beside import Beside

UPDATED = re.compile(r"step(?P<number>\d+)\.(?:update\d+\.)?(?P<weight>.+)_new")
ASKED = re.compile(r"step(?P<number>\d+)\.(?P<example>(?:example\d+\.|update\d+\.)?)P")


@dataclass(frozen=True)
class Answer:
    """One thing that was asked: the share that its right answer got before and after. `goal` is what it should be:
    1, or the label of a yes or no.
    """

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
    """An example by its number: everything that was asked of it, and its loss before and after."""

    number: int
    tokens: StepView
    target: StepView
    answers: tuple[Answer, ...]
    before: StepView
    after: StepView


@dataclass(frozen=True)
class WeightChange:
    """A weight before and after, the difference, and how long that is."""

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
class Comparison:
    """What happened between two steps."""

    beside: Beside
    first: int
    last: int
    one_by_one: bool  # whether each example has an update of its own
    examples: tuple[ExampleChange, ...]
    weights: tuple[WeightChange, ...]


def kept_steps(trace: Trace) -> list[int]:
    """The steps of training that a trace tells apart, in their order."""
    return sorted({int(found["number"]) for step in trace if (found := _updated(step))})


def comparison_of(trace: Trace) -> Comparison:
    """The first and the last step of training that a trace keeps."""
    kept = kept_steps(trace)
    if len(kept) < 2:
        raise StepError("comparison.steps")
    first, last = kept[0], kept[-1]
    beside = Beside(trace, "comparison")
    before, after = (_weights_at(trace, number) for number in (first, last))
    with beside.trace:
        weights = tuple(_moved(beside, path, before[path], after[path]) for path in before if path in after)
    one_by_one = any(path.startswith(f"step{first}.update1.") for path in trace.recording.paths)
    return Comparison(beside, first, last, one_by_one, _examples(trace, first, last), weights)


def _updated(step: StepView) -> re.Match[str] | None:
    """The place of a new weight: the step of training, the update in it, and the path of the weight."""
    return UPDATED.fullmatch(step.path) if step.step.stage == "update" and step.step.twin else None


def _weights_at(trace: Trace, number: int) -> dict[str, StepView]:
    """The weights with which a step began: those that its first update changed."""
    found: dict[str, StepView] = {}
    for step in trace:
        place = _updated(step)
        if place and int(place["number"]) == number:
            found.setdefault(place["weight"], StepView(trace, trace.recording.step(step.step.twin or "")))
    return found


def _moved(beside: Beside, path: str, before: StepView, after: StepView) -> WeightChange:
    parent, _, name = path.rpartition(".")
    with beside.trace.scope(parent) if parent else nullcontext():
        old, new = beside.take(before, f"{name}_before"), beside.take(after, f"{name}_after")
        difference = sub(new, old, name=f"{name}_difference")
        distance = norm(difference, name=f"{name}_distance")
    return WeightChange(path, before, after, beside.trace[difference], beside.trace[distance])


def _examples(trace: Trace, first: int, last: int) -> tuple[ExampleChange, ...]:
    """The examples that were written out: each was asked the same in both steps. Batches have other texts each time."""
    paths = {} if averaged_scopes(trace) else trace.recording.paths
    found = []
    for path in [*paths]:
        place = ASKED.fullmatch(path)
        if place and int(place["number"]) == first:
            old, new = f"step{first}.{place['example']}", f"step{last}.{place['example']}"
            if all(f"{scope}{name}" in paths for scope in (old, new) for name in ("P", "target", "loss")):
                found.append(_example(trace, old, new))
    return tuple(found)


def _example(trace: Trace, old: str, new: str) -> ExampleChange:
    numbers = re.findall(r"\d+", old)[1:]  # the first is that of the step
    read = f"{old}source" if f"{old}source" in trace.recording.paths else f"{old}tokens"
    return ExampleChange(
        int(numbers[0]) if numbers else 1,
        trace[read],
        trace[f"{old}target"],
        _answers(trace, old, new),
        trace[f"{old}loss"],
        trace[f"{new}loss"],
    )


def _answers(trace: Trace, old: str, new: str) -> tuple[Answer, ...]:
    before, after, target = trace[f"{old}P"], trace[f"{new}P"], trace[f"{old}target"].value
    if is_float(target):  # a label for each share
        return tuple(Answer(before, after, at, float(target[at]), is_label=True) for at in indices(target.shape))
    return tuple(Answer(before, after, (*at, int(target[at])), 1.0) for at in indices(target.shape))
