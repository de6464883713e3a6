"""Flow charts that are read backwards, in monospaced text: from the result on, where each gradient comes from."""

from __future__ import annotations

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain, shape_text
from .text_flow import ARROW, ASCII_ARROW, INDENT
from .text_labels import fit

FROM, ASCII_FROM = "←", "<-"
GAP = 2


def backward_rows(flow: d.Flow, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""Each gradient with those that it comes from, its shape, and its largest entry.

    >>> seed = d.FlowGradient("3", "dy", "", d.Number("1.0", 1.0, "3", ()))
    >>> back = d.FlowGradient("4", "dx", "[0]", d.Number("0.5", 0.5, "4", (0,)), True)
    >>> x = d.FlowNode("1", "x", "given", ("token",), (2,), 0, 0.5, True, gradient=back)
    >>> y = d.FlowNode("2", "y", "sum", (), (), 1, 0.5, False, gradient=seed)
    >>> print("\n".join(backward_rows(d.Flow((x, y), (d.FlowEdge(1, 0, False),)), 60)))
    dy                  1.0
      ↓
    dx * ← dy  token 2  [0] = 0.5
    """
    nodes = flow.nodes
    told = [place for place in range(len(nodes)) if nodes[place].gradient is not None]
    told.sort(key=lambda place: (-nodes[place].row, nodes[place].beside, nodes[place].column))
    cells = [[plain(text) for text in _cells(flow, place, fine)] for place in told]
    rows: list[str] = []
    for n, (place, lines) in enumerate(zip(told, columns(cells, width, fine), strict=True)):
        if n and nodes[place].row != nodes[told[n - 1]].row:
            rows.append(f"  {ARROW if fine else ASCII_ARROW}")
        rows += lines
    return rows


def columns(cells: list[list[str]], width: int, fine: bool) -> list[list[str]]:
    """Three texts beside each other; where that is too wide, the last two below the first."""
    widths = [max(cell_len(row[n]) for row in cells) + GAP for n in range(3)]
    if sum(widths) - GAP <= width:
        return [
            ["".join(_filled(text, wide) for text, wide in zip(texts, widths, strict=True)).rstrip()] for texts in cells
        ]
    return [
        [fit(texts[0], width, fine), *(" " * INDENT + fit(text, width - INDENT, fine) for text in texts[1:] if text)]
        for texts in cells
    ]


def largest_entry(gradient: d.FlowGradient) -> str:
    """
    >>> largest_entry(d.FlowGradient("4", "dx", "[0]", d.Number("0.5", 0.5, "4", (0,))))
    '[0] = 0.5'
    """
    return f"{gradient.place} = {gradient.largest.text}" if gradient.place else gradient.largest.text


def marked_name(gradient: d.FlowGradient) -> str:
    """The name of a gradient, with a mark where it changes its node."""
    return f"{gradient.name} *" if gradient.learns else gradient.name


def _cells(flow: d.Flow, place: int, fine: bool) -> list[str]:
    node = flow.nodes[place]
    assert node.gradient is not None
    sources = [flow.nodes[edge.start].gradient for edge in flow.edges if edge.end == place]
    names = ", ".join(source.name for source in sources if source is not None)
    name = marked_name(node.gradient)
    line = f"{name} {FROM if fine else ASCII_FROM} {names}" if names else name
    return [line, shape_text(node.axes, node.shape), largest_entry(node.gradient)]


def _filled(text: str, wide: int) -> str:
    return text + " " * (wide - cell_len(text))
