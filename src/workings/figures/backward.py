"""The backward pass: a flow chart with its arrows reversed, and at each step the gradient that arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..document.blocks import Figure, Number
from ..document.monospace import Plain, shape_text
from ..document.notation import name_of
from ..engine.errors import StepError
from ..engine.recording import Recording
from ..engine.steps import Step
from ..explain.line import number_at, style_for
from ..explain.trace import Trace
from .flow import ModuleOptions
from .parts.flow_chart import ARROW, ASCII_ARROW, Flow, FlowEdge, FlowGradient, FlowNode, StepBoxes, in_columns
from .parts.numbers import joined_notes, largest_in
from .parts.page import FigureExample, FigureRequest, RunFigurePage, Takes
from .parts.step_graph import ChartPart, FlowChart, chart_of

LATER_PASS = re.compile(r"(backward\d+\.)?")  # before the names of a second pass
FROM, ASCII_FROM = "←", "<-"


class BackwardPage(RunFigurePage[Flow, ModuleOptions]):
    """The backward pass is a flow chart with its arrows reversed: each step shows its gradient, the gradients that it
    comes from, and its largest entry by magnitude.
    """

    name = "backward"
    summary = "how the gradient flows back, through the whole model or one module"
    takes = Takes.ANY_STEPS
    data = Flow
    options = ModuleOptions
    module_option = "under"
    example = FigureExample("example-3", "attention")

    def build(self, request: FigureRequest, options: ModuleOptions) -> Figure:
        return backward_of(request.trace, options.under, request.names or None)

    def svg(self, figure: Figure, data: Flow) -> str:
        return _BackwardBoxes(figure, data).svg()

    def text(self, data: Flow, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""From the result on, each gradient with those that it comes from, its shape, and its largest entry.

        >>> seed = FlowGradient("3", "dy", "", Number("1.0", 1.0, "3", ()))
        >>> back = FlowGradient("4", "dx", "[0]", Number("0.5", 0.5, "4", (0,)), True)
        >>> x = FlowNode("1", "x", "given", ("token",), (2,), 0, 0.5, True, gradient=back)
        >>> y = FlowNode("2", "y", "sum", (), (), 1, 0.5, False, gradient=seed)
        >>> print("\n".join(backward.text(Flow((x, y), (FlowEdge(1, 0, False),)), 60)))
        dy                  1.0
          ↓
        dx * ← dy  token 2  [0] = 0.5
        """
        nodes = data.nodes
        order = [place for place in range(len(nodes)) if nodes[place].gradient is not None]
        order.sort(key=lambda place: (-nodes[place].row, nodes[place].beside, nodes[place].column))
        cells = [[plain(text) for text in _cells(data, place, fine)] for place in order]
        rows: list[str] = []
        for n, (place, lines) in enumerate(zip(order, in_columns(cells, width, fine), strict=True)):
            if n and nodes[place].row != nodes[order[n - 1]].row:
                rows.append(f"  {ARROW if fine else ASCII_ARROW}")
            rows += lines
        return rows


class _BackwardBoxes(StepBoxes):
    dims_without_gradient = True


def _cells(flow: Flow, place: int, fine: bool) -> list[str]:
    node = flow.nodes[place]
    assert node.gradient is not None
    sources = [flow.nodes[edge.start].gradient for edge in flow.edges if edge.end == place]
    names = ", ".join(source.name for source in sources if source is not None)
    name = node.gradient.marked_name
    line = f"{name} {FROM if fine else ASCII_FROM} {names}" if names else name
    return [line, shape_text(node.axes, node.shape), node.gradient.largest_entry]


def backward_of(trace: Trace, under: str = "", steps: Sequence[str] | None = None) -> Figure:
    """How the gradient flows back: the flow chart of the same steps, its arrows reversed. Each node says the name
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
        raise StepError(
            "No gradient flows back through these steps.",
            hint="Choose a run with a backward pass, and a module or steps that the loss depends on.",
            where=chart.under,
        )
    learning = _learning(trace.recording)
    nodes = tuple(
        node if step is None else replace(node, gradient=_gradient(trace, node, part, step, learning))
        for node, part, step in zip(chart.flow.nodes, chart.parts, found, strict=True)
    )
    data = Flow(nodes, tuple(_reversed(trace.recording, chart, found)))
    title = f"The backward pass in {chart.under}" if chart.under else "The backward pass"
    note = "Each step shows its gradient and its largest entry by magnitude. Trained parameters are marked with *."
    return Figure("backward", title, data, _in_words(data), joined_notes(chart.note, note))


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


def _gradient(trace: Trace, node: FlowNode, part: ChartPart, step: Step, learning: set[str]) -> FlowGradient:
    recording, notation = trace.recording, trace.style.notation
    own = name_of(recording, part.result, notation)  # before it may be what it lies in: head1.context
    before = f"{node.name}." if part.module else node.name[: len(node.name) - len(own)]
    largest = _largest(trace, step)
    learns = part.leaf and any(one.id in learning for one in part.steps)
    name = before + name_of(recording, step, notation)
    return FlowGradient(step.id, name, notation.entry("", largest.index), largest, learns)


def _largest(trace: Trace, step: Step) -> Number:
    array = trace.recording.value(step.id)
    return number_at(step, array, largest_in(array), style_for(trace.recording, step, trace.style))


def _reversed(recording: Recording, chart: FlowChart, gradients: Sequence[Step | None]) -> Iterable[FlowEdge]:
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
    """Where it begins, then from the result upward where each gradient comes from; what learns; what gets none."""
    sentences = []
    for place in sorted(range(len(flow.nodes)), key=lambda place: -flow.nodes[place].row):
        gradient = flow.nodes[place].gradient
        if gradient is not None:
            inputs = [flow.nodes[edge.start].gradient for edge in flow.edges if edge.end == place]
            names = ", ".join(one.name for one in inputs if one is not None)
            largest = f"{gradient.name}{gradient.place} = {gradient.largest.text}"
            comes = f"{gradient.name} comes from {names}; largest: {largest}."
            sentences.append(comes if inputs else f"It starts with {largest}.")
    learns = _names(node for node in flow.nodes if node.gradient is not None and node.gradient.learns)
    without = _names(node for node in flow.nodes if node.gradient is None)
    sentences += [f"Trained: {learns}."] if learns else []
    sentences += [f"No gradient: {without}."] if without else []
    return " ".join(sentences)


def _names(nodes: Iterable[FlowNode]) -> str:
    return ", ".join(dict.fromkeys(node.name for node in nodes))


backward = BackwardPage()
