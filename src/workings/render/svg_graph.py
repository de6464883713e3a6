"""Computational graphs as SVG: a box for each value, a circle for each op between them."""

from __future__ import annotations

from ..explain import document as d
from .drawing import COLOURS, SIZE, SMALL, element, text, wide
from .lines import shape_text
from .svg_flow import FlowSheet, Said, gradient_in

CIRCLE = 26.0  # high
BETWEEN = 22.0  # from row to row
ROUND = CIRCLE / 2


def graph_svg(figure: d.Figure, flow: d.Flow) -> str:
    return _Graph(figure, flow).svg()


class _Graph(FlowSheet):
    """Boxes stand in even rows, circles in odd ones."""

    def top(self, row: int) -> float:
        return row // 2 * (self.box + CIRCLE + 2 * BETWEEN) + row % 2 * (self.box + BETWEEN)

    def height_of(self, row: int) -> float:
        return CIRCLE if row % 2 else self.box

    def lines(self, node: d.FlowNode) -> list[Said]:
        if node.sign:
            return [(node.sign, "ink", SIZE)]
        value = node.value.text if node.value is not None else shape_text(node.axes, node.shape)
        back = node.gradient
        below = [(f"{back.name} = {back.largest.text}", "accent", SMALL)] if back is not None else []
        return [(node.name, "faint", SMALL), (value, "ink", SIZE if node.value is not None else SMALL), *below]

    def number(self, node: d.FlowNode, line: int, style: str) -> d.Number | None:
        return node.value if line == 1 else gradient_in(node, style)

    def node(self, node: d.FlowNode, lines: list[Said]) -> str:
        if not node.sign:
            return self.boxed(node, lines)
        x, y = node.column * self.unit, self.top(node.row)
        width = max(CIRCLE, wide(node.sign) + 14)
        look = {"class_": "paper", "fill": COLOURS["paper"], "stroke": COLOURS["ink"]}
        frame = element("rect", x=x - width / 2, y=y, width=width, height=CIRCLE, rx=ROUND, **look)
        words = text(x, y + ROUND + SIZE * 0.35, node.sign, text_anchor="middle")
        return element("g", frame + words, class_="node", data_step=node.step)
