"""What a mistake would have given, beside what is right."""

from __future__ import annotations

from dataclasses import replace

from ..engine.arrays import Array, Index, indices
from .document import Link, Spans, Words
from .line import number_at, style_for
from .notation import name_of
from .numbers import apart
from .sentences import say, say_spans
from .step_view import StepView


def told_mistake(name: str, hint: str) -> Spans:
    """What the mistake is."""
    return (Words(say("explain.mistake.value", name=name.replace("_", " "), hint=hint)),)


def what_it_gives(truth: StepView, false: StepView, mistake: str) -> Spans | None:
    """The entry that shows a mistake best, with the wrong number and the right one; None if no number is another."""
    style = truth.trace.style
    if truth.shape != false.shape:
        given, true = (str(style.notation.form(view.form)) for view in (false, truth))
        return (Words(say("explain.mistake.shape", shape=given, truth=true)),)
    index = _furthest(truth.value, false.value)
    if index is None:
        return None
    style = style_for(truth.trace.recording, truth.step, style)  # that of the truth, for both
    style = apart(float(truth.value[index]), float(false.value[index]), style)
    name = name_of(truth.trace.recording, truth.step, style.notation)
    return say_spans(
        "explain.mistake.gives",
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
