"""The gradient's way back: a flow chart with its arrows turned round, and at each step the gradient that arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..engine.errors import StepError
from ..engine.recording import Recording
from ..engine.steps import Step
from .document import Figure, Flow, FlowEdge, FlowGradient, FlowNode, Number
from .flow import Chart, Part, chart_of
from .graph_sentences import say
from .largest import largest_in
from .line import number_at, style_for
from .notation import name_of
from .view import Trace

LATER_PASS = re.compile(r"(backward\d+\.)?")  # what stands before the names of a second pass


def backward_of(trace: Trace, under: str = "", steps: Sequence[str] | None = None) -> Figure:
    """How the gradient flows back: the flow chart of the same steps, its arrows turned round. Each node says the name
    of its gradient and the entry of it that is largest by size.

    >>> import workings as w
    >>> figure = backward_of(w.scenario("example-3").trace(), steps=["scores", "weights", "context"])
    >>> [(figure.data.nodes[edge.start].name, figure.data.nodes[edge.end].name) for edge in figure.data.edges]
    [('weights', 'scores'), ('context', 'weights')]
    >>> figure.data.nodes[0].gradient.place
    '[1][0]'
    """
    chart = chart_of(trace, under, steps)
    gradients = gradients_in(trace.recording)
    found = [gradients.get(part.result.id) for part in chart.parts]
    if not any(found):
        raise StepError("figure.backward", where=chart.under)
    learning = _learning(trace.recording)
    nodes = tuple(
        node if step is None else replace(node, gradient=_gradient(trace, node, part, step, learning))
        for node, part, step in zip(chart.flow.nodes, chart.parts, found, strict=True)
    )
    data = Flow(nodes, tuple(_turned(trace.recording, chart, found)))
    title = say("explain.figure.backward.under", under=chart.under) if chart.under else say("explain.figure.backward")
    notes = " ".join(note for note in (chart.note, say("explain.figure.backward.note")) if note)
    return Figure("backward", title, data, _in_words(data), notes)


def gradients_in(recording: Recording) -> dict[str, Step]:
    """For each step the whole gradient of the first backward pass that reaches it, without its parts."""
    found: dict[str, Step] = {}
    for step in recording.steps.values():
        if step.stage == "backward" and step.twin is not None:
            twin = recording.step(step.twin)
            path = f"{twin.path[: len(twin.path) - len(twin.name)]}d{twin.name}"
            if step.path.endswith(path) and LATER_PASS.fullmatch(step.path.removesuffix(path)):
                found.setdefault(twin.id, step)
    return found


def _learning(recording: Recording) -> set[str]:
    """The steps that an update changes; where nothing is updated, all weights."""
    steps = recording.steps.values()
    updated = {step.twin for step in steps if step.stage == "update" and step.twin is not None}
    return updated or {step.id for step in steps if step.leaf == "parameter"}


def _gradient(trace: Trace, node: FlowNode, part: Part, step: Step, learning: set[str]) -> FlowGradient:
    recording, notation = trace.recording, trace.style.notation
    own = name_of(recording, part.result, notation)  # what stands before it tells it from others: head1.context
    before = f"{node.name}." if part.module else node.name[: len(node.name) - len(own)]
    largest = _largest(trace, step)
    learns = part.leaf and any(one.id in learning for one in part.steps)
    name = before + name_of(recording, step, notation)
    return FlowGradient(step.id, name, notation.entry("", largest.index), largest, learns)


def _largest(trace: Trace, step: Step) -> Number:
    array = trace.recording.value(step.id)
    return number_at(step, array, largest_in(array), style_for(trace.recording, step, trace.style))


def _turned(recording: Recording, chart: Chart, gradients: Sequence[Step | None]) -> Iterable[FlowEdge]:
    """The edges along which a gradient flows, from a result back to what it was made from."""
    drawn = {step.id for step in gradients if step is not None}
    for edge in chart.flow.edges:
        source, result = gradients[edge.start], gradients[edge.end]
        if source is not None and result is not None and _leads(recording, result, source, drawn):
            yield FlowEdge(edge.end, edge.start, edge.skips, edge.through[::-1])


def _leads(recording: Recording, start: Step, end: Step, drawn: set[str]) -> bool:
    """Whether a gradient leads to another one without passing a third that is drawn."""
    waiting, seen = list(end.inputs), set[str]()
    while waiting:
        id = waiting.pop()
        if id == start.id:
            return True
        if id not in seen and id not in drawn:
            seen.add(id)
            waiting += [] if recording.step(id).stage == "forward" else recording.step(id).inputs
    return False


def _in_words(flow: Flow) -> str:
    """Where it begins, then from the result upwards where each gradient comes from; what learns; what gets none."""
    told = []
    for place in sorted(range(len(flow.nodes)), key=lambda place: -flow.nodes[place].row):
        gradient = flow.nodes[place].gradient
        if gradient is not None:
            inputs = [flow.nodes[edge.start].gradient for edge in flow.edges if edge.end == place]
            values = {"place": gradient.name + gradient.place, "value": gradient.largest.text}
            if inputs:
                names = ", ".join(one.name for one in inputs if one is not None)
                told.append(say("explain.figure.backward.node", name=gradient.name, inputs=names, **values))
            else:
                told.append(say("explain.figure.backward.seed", **values))
    learns = [node for node in flow.nodes if node.gradient is not None and node.gradient.learns]
    without = [node for node in flow.nodes if node.gradient is None]
    return " ".join([*told, *_named("learns", learns), *_named("none", without)])


def _named(key: str, nodes: list[FlowNode]) -> list[str]:
    names = ", ".join(dict.fromkeys(node.name for node in nodes))
    return [say(f"explain.figure.backward.{key}", names=names)] if names else []
