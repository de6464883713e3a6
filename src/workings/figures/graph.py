"""How a step is computed: its computational graph, with a box for each value and a circle for each op."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..document.blocks import Figure, Number
from ..document.monospace import Plain, shape_text
from ..document.notation import name_of
from ..engine.errors import CallError, StepError
from ..engine.inside import Inside, inside
from ..engine.recording import Recording
from ..engine.steps import Step
from ..explain.line import number_at, style_for
from ..explain.step_view import StepView
from ..explain.trace import Trace
from .backward import gradients_in
from .parts.flow_chart import BoxLine, Flow, FlowDrawing, FlowGradient, FlowNode, gradient_in, in_columns
from .parts.flow_layout import laid_out
from .parts.numbers import joined_notes
from .parts.options import NAMES, option
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.step_graph import edges_of
from .parts.svg import COLORS, SIZE, SMALL, element, text, wide

MAX_OPS = 24
CIRCLE = 26.0  # height
BETWEEN = 22.0  # from row to row
# The sign of an op in its circle; others have their names there.
SIGNS = {
    "add": "+", "collect": "+", "sub": "−", "neg": "−", "mul": "×", "scale": "×", "div": "÷", "divide_by": "÷",
    "divide_by_root": "÷√", "sum": "Σ", "sqrt": "√", "log": "ln", "row_max": "max",
    "sigmoid": "σ", "cross_entropy": "loss",
}  # fmt: skip


@dataclass(frozen=True)
class GraphOptions:
    open: tuple[str, ...] = option(NAMES, "Composite ops whose inside is drawn.", ())
    since: tuple[str, ...] = option(NAMES, "Steps at which the graph starts.", (), name="from")


class GraphPage(StepFigurePage[Flow, GraphOptions]):
    """A computational graph goes back from a step to everything that it depends on, op by op. Single numbers show their
    value and their gradient, matrices their shape. In a lesson, `open` shows the inside of a composite op, and `from`
    says where the graph starts.
    """

    name = "graph"
    summary = "how a step is computed, op by op"
    data = Flow
    options = GraphOptions
    example = FigureExample("example-1", "scores")

    def build(self, step: ShownStep, options: GraphOptions) -> Figure:
        if step.index:
            raise CallError(
                f"A graph leads to a whole step, and '{step.name}' is a part of one.",
                hint="Name the step without an index.",
            )
        return graph_of(step.view.trace, step.view, options.open, options.since)

    def svg(self, figure: Figure, data: Flow) -> str:
        return _GraphDrawing(figure, data).svg()

    def text(self, data: Flow, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""A line for each value, in the order in which they can be computed.

        >>> from workings.figures.parts.flow_chart import FlowEdge
        >>> a = FlowNode("1", "a", "given", (), (), 0, 0.5, True, value=Number("2.0", 2.0, "1", ()))
        >>> by = FlowNode("2", "", "exp", (), (), 1, 0.5, False, sign="exp")
        >>> b = FlowNode("2", "b", "exp", (), (), 2, 0.5, False, value=Number("7.389", 7.389, "2", ()))
        >>> edges = FlowEdge(0, 1, False), FlowEdge(1, 2, False)
        >>> print("\n".join(graph.text(Flow((a, by, b), edges), 60)))
        a           2.0
        b = exp(a)  7.389
        """
        cells = [[plain(text) for text in _cells(data, n)] for n, node in enumerate(data.nodes) if not node.sign]
        return [row for rows in in_columns(cells, width, fine) for row in rows]


def graph_of(trace: Trace, step: str | StepView, opened: Sequence[str] = (), since: Sequence[str] = ()) -> Figure:
    """How a step is computed, op by op, back to the steps `since`. Composites that are `opened` show
    their inside. A single number comes with its gradient, a matrix with its shape.

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
        raise StepError(
            f"{view.path} does not depend on {missing[0]}, or {missing[0]} is too far away to be drawn.",
            hint="Name steps that lead to it.",
        )
    data = _drawn(trace, found)
    title = f"How {name_of(trace.recording, view.step, trace.style.notation)} is computed"
    cut = f"Only the {MAX_OPS} ops nearest to the result are drawn." if found.cut else ""
    gradients = "Each single number shows its value, and its gradient below."
    note = joined_notes(cut, gradients if any(node.gradient for node in data.nodes) else "")
    return Figure("graph", title, data, _in_words(data), note)


@dataclass
class _Sources:
    """The steps that one depends on. `made` says for each value by which op it is made: its own, or the last one
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
            if ops == MAX_OPS:
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


def _drawn(trace: Trace, found: _Sources) -> Flow:
    """Each value that is made follows the circle of its op; what it reads comes before both."""
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
    return Flow(tuple(nodes), edges_of(inputs, layout))


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
    return " ".join(f"{_sentence(flow, n)}." for n, node in enumerate(flow.nodes) if not node.sign)


def _sentence(flow: Flow, place: int) -> str:
    """e = mul(a, b) = 6, de = 1; of a matrix its shape."""
    node = flow.nodes[place]
    line = _computed(flow, place)
    line += f" = {node.value.text}" if node.value is not None else f", {shape_text(node.axes, node.shape)}"
    return line if node.gradient is None else f"{line}, {node.gradient.name} = {node.gradient.largest.text}"


def _computed(flow: Flow, place: int) -> str:
    """e = mul(a, b)"""
    line = flow.nodes[place].name
    for circle in (edge.start for edge in flow.edges if edge.end == place):
        read = ", ".join(flow.nodes[edge.start].name for edge in flow.edges if edge.end == circle)
        line += f" = {flow.nodes[circle].op}({read})"
    return line


def _cells(flow: Flow, place: int) -> list[str]:
    """A line of the text: how a value is computed, its number or shape, and its gradient."""
    node = flow.nodes[place]
    value = node.value.text if node.value is not None else shape_text(node.axes, node.shape)
    back = node.gradient
    return [_computed(flow, place), value, f"{back.name} = {back.largest.text}" if back is not None else ""]


class _GraphDrawing(FlowDrawing):
    """A box for each value in even rows, a circle for each op in odd ones."""

    def top(self, row: int) -> float:
        return row // 2 * (self.box + CIRCLE + 2 * BETWEEN) + row % 2 * (self.box + BETWEEN)

    def height_of(self, row: int) -> float:
        return CIRCLE if row % 2 else self.box

    def lines(self, node: FlowNode) -> list[BoxLine]:
        if node.sign:
            return [(node.sign, "ink", SIZE)]
        value = node.value.text if node.value is not None else shape_text(node.axes, node.shape)
        back = node.gradient
        below = [(f"{back.name} = {back.largest.text}", "accent", SMALL)] if back is not None else []
        return [(node.name, "faint", SMALL), (value, "ink", SIZE if node.value is not None else SMALL), *below]

    def number(self, node: FlowNode, line: int, style: str) -> Number | None:
        return node.value if line == 1 else gradient_in(node, style)

    def node(self, node: FlowNode, lines: list[BoxLine]) -> str:
        if not node.sign:
            return self.boxed(node, lines)
        x, y = node.column * self.unit, self.top(node.row)
        width = max(CIRCLE, wide(node.sign) + 14)
        place = {"x": x - width / 2, "y": y, "width": width, "height": CIRCLE, "rx": CIRCLE / 2}
        frame = element("rect", **place, class_="paper", fill=COLORS["paper"], stroke=COLORS["ink"])
        words = text(x, y + CIRCLE / 2 + SIZE * 0.35, node.sign, text_anchor="middle")
        return element("g", frame + words, class_="node", data_step=node.step)


graph = GraphPage()
