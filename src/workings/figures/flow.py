"""Which step leads to which: a flow chart of the steps that have a name of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from ..document.blocks import Figure
from ..document.monospace import Plain, shape_text
from ..explain.trace import Trace
from .parts.flow_chart import ARROW, ASCII_ARROW, INDENT, Flow, FlowNode, StepBoxes
from .parts.options import NAME, option
from .parts.page import FigureExample, FigureRequest, RunFigurePage, Takes
from .parts.step_graph import MAX_NODES, chart_of
from .parts.text_labels import fit


@dataclass(frozen=True)
class ModuleOptions:
    under: str = option(NAME, "The module whose steps are drawn, instead of the whole forward pass.", "")


class FlowPage(RunFigurePage[Flow, ModuleOptions]):
    """A flow chart shows which step leads to which, with the weights next to the step that reads them. A large model is
    drawn module by module; name a module to see inside. In a lesson, you can name the steps to draw after `flow`.
    """

    name = "flow"
    summary = "which step leads to which, in the whole model or in one module"
    takes = Takes.ANY_STEPS
    data = Flow
    options = ModuleOptions
    module_option = "under"
    example = FigureExample("example-1", "attention")

    def build(self, request: FigureRequest, options: ModuleOptions) -> Figure:
        return flow_of(request.trace, options.under, request.names or None)

    def svg(self, figure: Figure, data: Flow) -> str:
        return StepBoxes(figure, data).svg()

    def text(self, data: Flow, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""Each step as what it is computed from, with its shape, row by row. Its leaves follow it.

        >>> from workings.figures.parts.flow_chart import FlowEdge
        >>> tokens = FlowNode("1", "x", "given", ("token",), (2,), 0, 0.5, True)
        >>> weight = FlowNode("2", "W", "parameter", ("token", "model"), (2, 3), 1, 0.0, True, beside=True)
        >>> result = FlowNode("3", "y", "matmul", ("model",), (3,), 1, 1.0, False)
        >>> edges = (FlowEdge(0, 2, False), FlowEdge(1, 2, False))
        >>> print("\n".join(flow.text(Flow((tokens, weight, result), edges), 60)))
        x                 token 2
          ↓
        y = matmul(x, W)  model 3
            W             token 2 × model 3
        """
        listed = list(_listed(data))
        shapes = [plain(shape_text(node.axes, node.shape)) for node, _ in listed]
        indents = [INDENT if node.beside else 0 for node, _ in listed]
        lines = [
            " " * indent + fit(plain(line), width - indent, fine)
            for indent, (_, line) in zip(indents, listed, strict=True)
        ]
        room = max((cell_len(line) for line in lines), default=0)
        widest = max((cell_len(shape) for shape in shapes), default=0)
        column = min(room + 2, max(width - widest, INDENT))
        rows: list[str] = []
        row = 0
        for (node, _), line, shape in zip(listed, lines, shapes, strict=True):
            if node.row != row:
                rows.append(f"  {ARROW if fine else ASCII_ARROW}")
                row = node.row
            if cell_len(line) + 2 <= column:
                rows.append(f"{line}{' ' * (column - cell_len(line))}{shape}".rstrip())
            else:
                indent = min(column, max(width - cell_len(shape), 0))
                rows += [line, f"{' ' * indent}{fit(shape, width, fine)}"] if shape else [line]
        return rows


def flow_of(trace: Trace, under: str = "", steps: Sequence[str] | None = None, most: int = MAX_NODES) -> Figure:
    """How the steps of the forward pass lead to each other: all of them, those of the module `under` which they lie, or
    just the named ones. Where there are more than `most`, each module is drawn as one.

    >>> import workings as w
    >>> figure = flow_of(w.scenario("cat-sat").trace())
    >>> [(node.name, node.row) for node in figure.data.nodes]
    [('scores', 0), ('scaled', 1), ('weights', 2), ('V', 3), ('context', 3)]
    >>> print(figure.alternative)
    Given: scores, V. scaled comes from scores by divide_by_root. weights comes from scaled by softmax. context comes \
from weights, V by matmul.
    """
    chart = chart_of(trace, under, steps, most)
    title = f"The forward pass in {chart.under}" if chart.under else "The forward pass"
    return Figure("flow", title, chart.flow, _in_words(chart.flow), chart.note)


def _in_words(data: Flow) -> str:
    given = dict.fromkeys(node.name for node in data.nodes if node.leaf)
    sentences = [f"Given: {', '.join(given)}."] if given else []
    for place, node in enumerate(data.nodes):
        inputs = [data.nodes[edge.start].name for edge in data.edges if edge.end == place]
        if inputs:
            sentences.append(f"{node.name} comes from {', '.join(inputs)} by {node.op}.")
    return " ".join(sentences)


def _listed(flow: Flow) -> Iterator[tuple[FlowNode, str]]:
    """The nodes in the order of their rows, each with its line."""
    order = sorted(range(len(flow.nodes)), key=lambda place: (flow.nodes[place].row, flow.nodes[place].column))
    for place in order:
        node = flow.nodes[place]
        if node.beside:
            continue
        inputs = [edge.start for edge in flow.edges if edge.end == place]
        if inputs:
            read = ", ".join(flow.nodes[one].name for one in inputs)
            yield node, f"{node.name} = {node.op}({read})"
        else:
            yield node, node.name
        for one in inputs:
            if flow.nodes[one].beside:
                yield flow.nodes[one], flow.nodes[one].name


flow = FlowPage()
