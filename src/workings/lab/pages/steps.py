"""The steps of a trace: how each one is called, where it leads, and its page."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ...document.notation import name_of
from ...engine.arrays import is_float, is_integer
from ...engine.inside import inside
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.hand_calculation import has_own_name, rule_of
from ...explain.step_formula import display_name
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ..answers.trace import Kind, StepRow
from ..errors import Missing
from ..traces.edits import EDITABLE
from .neighbors import neighbors


def step_rows(trace: Trace) -> tuple[StepRow, ...]:
    """Every step of a trace, in the order in which they are computed."""
    return tuple(step_row(trace, step) for step in trace.recording.steps.values())


def step_row(trace: Trace, step: Step) -> StepRow:
    """One step of a trace, and the steps around it.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> row = step_row(trace, trace["scores"].step)
    >>> row.name, row.op, row.module, [trace[id].name for id in row.reads], trace[row.gradient].name
    ('scores', 'matmul', 'block1.attention', ['Q', 'K'], 'dscores')
    """
    around = neighbors(trace)
    is_member = step.stage == "backward" and step.id not in around.shown  # of a rule: no gradient of its own
    name = around.names[step.id]
    return replace(
        _row(trace, trace.recording, step),
        name=name,
        title=title_of(trace, step),
        reads=around.reads[step.id],
        read_by=around.read_by[step.id],
        twin="" if is_member else step.twin or "",
        gradient=around.gradients.get(step.id, ""),
        told=step.id in around.shown,
        editable=_is_editable(step),
    )


def inner_rows(trace: Trace, recording: Recording, step: Step) -> tuple[StepRow, ...]:
    """The steps inside a composite; another step has none."""
    if step.kind != "composite":
        return ()
    opened = inside(recording, step)
    return tuple(inner_row(trace, opened, inner) for inner in opened.steps.values())


def inner_row(trace: Trace, opened: Recording, step: Step) -> StepRow:
    """One step inside a composite that was opened."""
    readers = tuple(other.id for other in opened.steps.values() if step.id in other.inputs)
    return replace(_row(trace, opened, step), read_by=readers)


def _row(trace: Trace, recording: Recording, step: Step) -> StepRow:
    """A step by itself, without what the story knows about it."""
    outer = trace.recording.step(step.id.partition(".")[0])
    form = trace.style.notation.form(step.form)
    return StepRow(
        id=step.id,
        path=step.path,
        name=neighbors(trace).names[outer.id] + step.path[len(outer.path) :],
        title=display_name(recording, step.id, trace.style.notation),
        module=_module(step),
        op=op_of(recording, step),
        kind=cast("Kind", step.kind),
        leaf=step.leaf or "",
        stage=step.stage,
        axes=form.axes,
        shape=form.shape,
        turned=is_turned(trace, step),
        reads=tuple(dict.fromkeys(step.inputs)),
        read_by=(),
        twin="",
        gradient="",
        told=False,
        editable=False,
    )


def is_turned(trace: Trace, step: Step) -> bool:
    """Whether its matrices are shown turned: where vectors are columns, all are."""
    return trace.style.notation.columns and len(step.form.shape) > 1


def find_view(trace: Trace, id: str) -> StepView:
    """The step with this id; one inside a composite is called like 17.3.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> find_view(trace, "12").name, find_view(trace, "14.1").path
    ('scores', 'block1.attention.weights/max')
    """
    recording, found = trace.recording, ""
    for number in id.split("."):
        if found:
            step = recording.step(found)
            if step.kind != "composite":
                raise _no_step(id)
            recording = inside(recording, step)
        found = f"{found}.{number}" if found else number
        if found not in recording.steps:
            raise _no_step(id)
    return StepView(trace, recording.step(found), recording)


def title_of(trace: Trace, step: Step, recording: Recording | None = None) -> str:
    """The name of a step as the notation writes it, after as much of the path as tells it from others. One inside a
    composite lies in a recording of its own.

    >>> import workings as w
    >>> trace = w.scenario("hello-world").trace()
    >>> title_of(trace, trace["weights2"].step), title_of(trace, trace["logits"].step)
    ('head2.weights', 'logits')
    """
    recording, notation = recording or trace.recording, trace.style.notation
    if step.id not in trace.recording.steps or not has_own_name(recording, step):
        return display_name(recording, step.id, notation)
    name = neighbors(trace).names[step.id]
    return name[: len(name) - len(step.name)] + name_of(recording, step, notation)


def op_of(recording: Recording, step: Step) -> str:
    """The op of a step; of a gradient that of the step which it flows back through, for its rule made it.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> op_of(trace.recording, trace["dscaled"].step), trace["dscaled"].op
    ('softmax', 'mul')
    """
    rule = rule_of(recording, step)
    return step.op_name if rule is None else rule.op.name


def _module(step: Step) -> str:
    """The path that it lies under: a module, a rule, or the composite whose inside it is."""
    return step.path[: len(step.path) - len(step.name)].rstrip("./")


def _is_editable(step: Step) -> bool:
    """Whether its numbers can be changed: what is given, the weights and the ids of tokens can."""
    array = step.tensor.array
    return step.leaf in EDITABLE and array is not None and (is_float(array) or is_integer(array))


def _no_step(id: str) -> Missing:
    return Missing(
        f"There is no step {id[:60]} in this trace.",
        hint="Choose one of the list of steps; a step inside a composite has an id like 17.3.",
    )
