"""What a step is made from: its computational graph, with a box for each value and a circle for each op."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..engine.errors import StepError
from ..engine.form import shape_text
from ..engine.inside import Inside, inside
from ..engine.recording import Recording
from ..engine.steps import Step
from .backward_flow import gradients_in
from .document import Figure, Flow, FlowEdge, FlowGradient, FlowNode
from .flow_layout import laid_out
from .graph_sentences import say
from .line import number_at, style_for
from .notation import name_of
from .step_view import StepView
from .view import Trace

MOST_OPS = 24
# How an op is written in its circle; others are written with their names.
SIGNS = {
    "add": "+", "collect": "+", "sub": "−", "neg": "−", "mul": "×", "scale": "×", "div": "÷", "divide_by": "÷",
    "divide_by_root": "÷√", "sum": "Σ", "sqrt": "√", "log": "ln", "row_max": "max",
    "sigmoid": "σ", "cross_entropy": "loss",
}  # fmt: skip


def graph_of(trace: Trace, step: str | StepView, opened: Sequence[str] = (), since: Sequence[str] = ()) -> Figure:
    """What a step is made from, op by op, up to the steps `since` which it is wanted. Composites that are `opened` show
    their inside. A single number stands there with its gradient, a matrix with its shape.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     a, b, c = (w.given(value, name=name) for name, value in (("a", 2.0), ("b", -3.0), ("c", 10.0)))
    ...     total = w.ops.add(w.ops.mul(a, b, name="e"), c, name="d")
    >>> figure = graph_of(trace.backward("d"), "d")
    >>> print(figure.alternative)
    a = 2, da = -3. b = -3, db = 2. c = 10, dc = 1. e = mul(a, b) = -6, de = 1. d = add(e, c) = 4, dd = 1.
    """
    view = trace[step] if isinstance(step, str) else step
    named = {name: trace.find_step(name) for name in (*opened, *since)}
    inner = {named[name].id: inside(trace.recording, named[name]) for name in opened}
    stops = {named[name].id for name in since}
    found = _Sources(trace.recording, inner, stops).of(view.step)
    missing = [name for name, one in named.items() if one.id not in found.ids]
    if missing:
        raise StepError("figure.graph", name=missing[0], step=view.path)
    nodes, edges = _drawn(trace, found)
    title = say("explain.figure.graph", name=name_of(trace.recording, view.step, trace.style.notation))
    data = Flow(nodes, edges)
    notes = [say("explain.figure.graph.cut", shown=MOST_OPS)] if found.cut else []
    notes += [say("explain.figure.graph.note")] if any(node.gradient for node in nodes) else []
    return Figure("graph", title, data, _in_words(data), " ".join(notes))


@dataclass
class _Sources:
    """The steps that one is made from. `made` says for each value by which op it is made: its own, or the last one
    inside it.
    """

    recording: Recording
    opened: dict[str, Inside]
    stops: set[str]
    cut: bool = False

    def of(self, step: Step) -> _Sources:
        self.made: dict[str, Step] = {}
        self.order: list[tuple[Recording, Step]] = []
        self.ids: set[str] = set()
        waiting, ops = [(self.recording, step)], 0
        near: dict[str, tuple[Recording, Step]] = {}
        while waiting:  # what is nearest comes first
            recording, one = waiting.pop(0)
            if one.id in near:
                continue
            near[one.id] = recording, one
            if one.leaf is not None or one.id in self.stops:
                continue
            if ops == MOST_OPS:
                self.cut = True
                continue
            ops += 1
            inner = self.opened.get(one.id)
            last = inner.step(inner.result) if inner is not None else one
            self.made[one.id] = last
            waiting += [_whose(inner or recording, self.recording, id) for id in last.inputs]
        self.ids = set(near)
        self.order = sorted(near.values(), key=lambda item: [int(part) for part in item[1].id.split(".")])
        depths: dict[str, int] = {}
        self.order.sort(key=lambda item: self._depth(item[1].id, depths))
        return self

    def _depth(self, id: str, known: dict[str, int]) -> int:
        """How many ops lead to a value, along the longest way."""
        if id not in known:
            sources = self.made[id].inputs if id in self.made else ()
            known[id] = 1 + max((self._depth(one, known) for one in sources), default=-1)
        return known[id]


def _whose(recording: Recording, outer: Recording, id: str) -> tuple[Recording, Step]:
    """A step with the recording that it lies in: inside a composite, or outside."""
    return (recording, recording.step(id)) if "." in id else (outer, outer.step(id))


def _drawn(trace: Trace, found: _Sources) -> tuple[tuple[FlowNode, ...], tuple[FlowEdge, ...]]:
    """Each value that is made follows the circle of its op; what it reads stands before both."""
    gradients = gradients_in(trace.recording)
    plain: list[FlowNode] = []
    inputs: list[list[int]] = []
    places: dict[str, int] = {}
    for recording, step in found.order:
        box = _box(trace, recording, step, gradients.get(step.id))
        if step.id in found.made:
            by = found.made[step.id]
            inputs.append([places[id] for id in by.inputs])
            sign = SIGNS.get(by.op_name, by.op_name)
            form = trace.style.notation.form(by.form)
            plain.append(FlowNode(by.id, "", by.op_name, form.axes, form.shape, 0, 0.0, False, sign=sign))
            inputs.append([len(plain) - 1])
        else:
            inputs.append([])
        places[step.id] = len(plain)
        plain.append(box)
    layout = laid_out(inputs, {}, late=True)
    nodes = [replace(node, row=layout.rows[n], column=layout.columns[n]) for n, node in enumerate(plain)]
    return tuple(nodes), tuple(
        FlowEdge(start, end, layout.rows[end] > layout.rows[start] + 1, layout.through.get((start, end), ()))
        for end, read in enumerate(inputs)
        for start in read
    )


def _box(trace: Trace, recording: Recording, step: Step, gradient: Step | None) -> FlowNode:
    notation = trace.style.notation
    form, name = notation.form(step.form), name_of(recording, step, notation)
    node = FlowNode(step.id, name, step.op_name, form.axes, form.shape, 0, 0.0, step.leaf is not None)
    if math.prod(step.form.shape) != 1:
        return node
    at = (0,) * len(step.form.shape)
    value = number_at(step, recording.value(step.id), at, style_for(recording, step, trace.style))
    if gradient is None:
        return replace(node, value=value)
    outer = trace.recording
    number = number_at(gradient, outer.value(gradient.id), at, style_for(outer, gradient, trace.style))
    back = FlowGradient(gradient.id, name_of(outer, gradient, notation), notation.entry("", at), number)
    return replace(node, value=value, gradient=back)


def _in_words(flow: Flow) -> str:
    return " ".join(say("explain.figure.graph.told", told=", ".join(_told(flow, n))) for n in _boxes(flow))


def _boxes(flow: Flow) -> Iterable[int]:
    return (place for place, node in enumerate(flow.nodes) if not node.sign)


def _told(flow: Flow, place: int) -> Iterator[str]:
    """e = mul(a, b) = 6, de = 1; of a matrix its shape."""
    node = flow.nodes[place]
    parts = [node.name]
    circles = [edge.start for edge in flow.edges if edge.end == place]
    for circle in circles:
        read = ", ".join(flow.nodes[edge.start].name for edge in flow.edges if edge.end == circle)
        parts.append(f"{flow.nodes[circle].op}({read})")
    if node.value is not None:
        parts.append(node.value.text)
    yield " = ".join(parts)
    if node.value is None:
        yield shape_text(node.axes, node.shape)
    if node.gradient is not None:
        yield f"{node.gradient.name} = {node.gradient.largest.text}"
