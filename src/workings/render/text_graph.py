"""Computational graphs in monospaced text: each value as what it is computed from, with its number or shape."""

from __future__ import annotations

from ..explain import document as d
from .lines import Plain, shape_text
from .text_backward import columns


def graph_rows(flow: d.Flow, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""A line for each value, in the order in which they can be worked out.

    >>> a = d.FlowNode("1", "a", "given", (), (), 0, 0.5, True, value=d.Number("2.0", 2.0, "1", ()))
    >>> by = d.FlowNode("2", "", "exp", (), (), 1, 0.5, False, sign="exp")
    >>> b = d.FlowNode("2", "b", "exp", (), (), 2, 0.5, False, value=d.Number("7.389", 7.389, "2", ()))
    >>> edges = d.FlowEdge(0, 1, False), d.FlowEdge(1, 2, False)
    >>> print("\n".join(graph_rows(d.Flow((a, by, b), edges), 60)))
    a           2.0
    b = exp(a)  7.389
    """
    cells = [[plain(text) for text in _cells(flow, n)] for n, node in enumerate(flow.nodes) if not node.sign]
    return [row for rows in columns(cells, width, fine) for row in rows]


def _cells(flow: d.Flow, place: int) -> list[str]:
    node = flow.nodes[place]
    value = node.value.text if node.value is not None else shape_text(node.axes, node.shape)
    back = node.gradient
    line = node.name
    for circle in (edge.start for edge in flow.edges if edge.end == place):
        read = ", ".join(flow.nodes[edge.start].name for edge in flow.edges if edge.end == circle)
        line += f" = {flow.nodes[circle].op}({read})"
    return [line, value, f"{back.name} = {back.largest.text}" if back is not None else ""]
