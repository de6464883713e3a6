"""Flow charts in monospaced text: row by row, each step as what it is computed from, with its shape beside it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain, shape_text
from .text_labels import fit

ARROW, ASCII_ARROW = "↓", "|"
INDENT = 4  # of a leaf below its reader, and of a shape that has no room beside its step


def flow_rows(flow: d.Flow, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""The steps of a row below each other, and an arrow to the next row. What stands beside a step follows it.

    >>> tokens = d.FlowNode("1", "x", "given", ("token",), (2,), 0, 0.5, True)
    >>> weight = d.FlowNode("2", "W", "parameter", ("token", "model"), (2, 3), 1, 0.0, True, beside=True)
    >>> result = d.FlowNode("3", "y", "matmul", ("model",), (3,), 1, 1.0, False)
    >>> edges = (d.FlowEdge(0, 2, False), d.FlowEdge(1, 2, False))
    >>> print("\n".join(flow_rows(d.Flow((tokens, weight, result), edges), 60)))
    x                 token 2
      ↓
    y = matmul(x, W)  model 3
        W             token 2 × model 3
    """
    told = list(_told(flow))
    shapes = [plain(shape_text(node.axes, node.shape)) for node, _ in told]
    indents = [INDENT if node.beside else 0 for node, _ in told]
    lines = [
        " " * indent + fit(plain(line), width - indent, fine) for indent, (_, line) in zip(indents, told, strict=True)
    ]
    room = max((cell_len(line) for line in lines), default=0)
    widest = max((cell_len(shape) for shape in shapes), default=0)
    column = min(room + 2, max(width - widest, INDENT))
    rows: list[str] = []
    row = 0
    for (node, _), line, shape in zip(told, lines, shapes, strict=True):
        if node.row != row:
            rows.append(f"  {ARROW if fine else ASCII_ARROW}")
            row = node.row
        if cell_len(line) + 2 <= column:
            rows.append(f"{line}{' ' * (column - cell_len(line))}{shape}".rstrip())
        else:
            indent = min(column, max(width - cell_len(shape), 0))
            rows += [line, f"{' ' * indent}{fit(shape, width, fine)}"] if shape else [line]
    return rows


def _told(flow: d.Flow) -> Iterator[tuple[d.FlowNode, str]]:
    """The nodes in the order in which they are told, each with its line."""
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
