"""A run as a value: everything about a trace but its steps. A replay carries it along."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

from ..conventions import CHOICES, RENAMED, Convention, convention, settings_from
from ..document.blocks import Document, Text, Words
from ..document.numbers import PLAIN, Style
from ..engine.file_reading import not_a_trace
from ..engine.op import OPS
from ..engine.recording import Recording

if TYPE_CHECKING:
    from .step_view import StepView
    from .trace import Trace

Labels: TypeAlias = Mapping[str, tuple[str, ...]]
History: TypeAlias = Mapping[str, Sequence[float]]  # what a training followed, by name: one number for each step


def _none(view: StepView) -> Labels:
    return {}


@dataclass(frozen=True)
class AxisLabels:
    """The words along the axes of a run, such as the tokens of its text: on every step, and on single ones.

    >>> AxisLabels({"query": ("the", "cat")}).axes["query"]
    ('the', 'cat')
    """

    axes: Labels = field(default_factory=dict)
    at_step: Callable[[StepView], Labels] = _none

    def __call__(self, view: StepView) -> dict[str, tuple[str, ...]]:
        return {**self.axes, **self.at_step(view)}


def no_labels(trace: Trace) -> AxisLabels:
    return AxisLabels()


@dataclass(frozen=True)
class Run:
    """Where the numbers of a trace come from, and how they are shown.

    `rerun` computes the same run under another convention. `labels` finds the words along the axes, once per trace:
    they depend on its tokens. `note` is what every page of the run must say, such as that its numbers were not checked.

    >>> Run(seed=3).seed, Run().history
    (3, {})
    """

    style: Style = PLAIN
    aliases: Mapping[str, str] = field(default_factory=dict)
    convention: Convention | None = None
    seed: int | None = None
    history: History = field(default_factory=dict)
    labels: Callable[[Trace], AxisLabels] = no_labels
    rerun: Callable[[Convention], Trace] | None = None
    fixed: tuple[str, ...] = ()  # the paths of the leaves whose numbers belong to the exercise
    note: str = ""

    def noted(self, page: Document) -> Document:
        """A page of this run, with the note above it."""
        return replace(page, blocks=(Text((Words(self.note),)), *page.blocks)) if self.note else page


def history_in(recording: Recording, history: History) -> History:
    """What a training followed, with the values that the recorded steps have now. If these are others, and some steps
    were not recorded, nobody knows the values of those: then there is no history of that name.
    """
    found = recorded_history(recording, history)
    kept: dict[str, tuple[float, ...]] = {}
    for name, row in history.items():
        changed = any(now is not None and not math.isclose(now, old) for now, old in zip(found[name], row, strict=True))
        if not changed:
            kept[name] = tuple(row)
        elif None not in found[name]:
            kept[name] = tuple(now for now in found[name] if now is not None)
    return kept


def recorded_history(recording: Recording, history: History) -> dict[str, list[float | None]]:
    """What the recorded steps say of a history: `loss` of a single step, `step3.loss` of several, the mean of
    `step3.update1.loss` and so on where a step has several updates; None for a step that was not recorded.
    """
    values = {step.path: float(step.tensor.array) for step in recording.steps.values() if not step.tensor.array.shape}

    def value(name: str, number: int) -> float | None:
        scope = "" if len(history[name]) == 1 else f"step{number}."
        if scope + name in values:
            return values[scope + name]
        updates = re.compile(rf"{re.escape(scope)}update\d+\.{re.escape(name)}")
        return fmean(found) if (found := [v for path, v in values.items() if updates.fullmatch(path)]) else None

    return {name: [value(name, number) for number in range(1, len(row) + 1)] for name, row in history.items()}


@cache
def settings_followed(convention: Convention) -> dict[str, dict[str, Any]]:
    """The settings that follow a convention, by op."""
    return {name: settings_from(op, convention) for name, op in OPS.items() if op.page.conventions}


def stored_convention(choices: dict[str, Any]) -> Convention | None:
    """The convention of a file: its name is free, its choices are all there and can be made."""
    choices = {RENAMED.get(name, name): value for name, value in choices.items()}
    if not choices:
        return None
    lacking = [field for field in ("profile", *CHOICES) if field not in choices]
    if lacking or not isinstance(profile := choices.pop("profile"), str):
        raise not_a_trace(f"its convention does not say {', '.join(lacking) or 'its name'}")
    return replace(convention(**choices), profile=profile)
