"""Figures as pictures: SVG, PNG and PDF.

What has no axes is drawn by a file of its own, svg_NAME.py. What has them is a Vega-Lite specification,
one file for each form of figure, in `charts/`. A text in it that begins with $ is the path of a value in the figure:
"$data.up.title". A part with "$several" is there only if the list at that path has several entries. The package
vl_convert draws these, and makes PNG and PDF of all; it is loaded when it is first needed, and nothing comes from a
network.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any
from xml.sax.saxutils import escape

from ..explain import document as d
from .svg_chain import chain_svg
from .svg_flow import flow_svg
from .svg_graph import graph_svg
from .svg_grid import grid_svg
from .svg_heads import heads_svg
from .svg_links import links_svg
from .svg_treemap import treemap_svg
from .svg_vectors import vectors_svg
from .svg_windows import windows_svg

CHARTS = resources.files(__package__) / "charts"
SEVERAL = "$several"
KINDS = ("svg", "png", "pdf")
PIXELS = 2.0  # of a PNG, for each unit of the chart
# The forms that we draw ourselves; all others are charts.
DRAWN: dict[str, Callable[[d.Figure, Any], str]] = {
    "heatmap": grid_svg,
    "mask": grid_svg,
    "flow": flow_svg,
    "backward": flow_svg,
    "graph": graph_svg,
    "treemap": treemap_svg,
    "links": links_svg,
    "windows": windows_svg,
    "vectors": vectors_svg,
    "chain": chain_svg,
    "heads": heads_svg,
}


def picture(figure: d.Figure, kind: str) -> bytes:
    """The figure as a file of one of these kinds. An SVG says in words what it shows, for those who cannot see it."""
    svg = svg_of(figure)
    if kind == "svg":
        return svg.encode()
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=PIXELS) if kind == "png" else vl_convert.svg_to_pdf(svg))


def svg_of(figure: d.Figure) -> str:
    """The figure as SVG."""
    if figure.form in DRAWN:
        return DRAWN[figure.form](figure, figure.data)
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(specification(figure), allowed_base_urls=[])
    return svg.replace(">", f"><desc>{escape(figure.alternative)}</desc>", 1)


def specification(figure: d.Figure) -> dict[str, Any]:
    """The figure in Vega-Lite.

    >>> axis = d.Axis("step", 1.0, 2.0, (d.Tick(1.0, "1"),))
    >>> point = d.Point(1.0, 1.5, 1.5, 1.5, 0, 0)
    >>> chart = specification(d.Figure("lines", "Loss", d.Lines(axis, axis, (d.Line("a", "a", (point,)),)), "in words"))
    >>> chart["title"]["text"], chart["data"]["values"][0]["points"][0]["value"]
    ('Loss', 1.5)
    """
    chart = json.loads((CHARTS / f"{figure.form}.json").read_text(encoding="utf-8"))
    filled: dict[str, Any] = _filled(chart, d.to_data(figure))
    return filled


def _filled(part: Any, figure: dict[str, Any]) -> Any:
    """The same with every path replaced by the value that it leads to."""
    if isinstance(part, dict):
        if SEVERAL in part and len(_at(part[SEVERAL], figure)) < 2:
            return None
        return {key: _filled(inner, figure) for key, inner in part.items() if key != SEVERAL}
    if isinstance(part, list):
        return [_filled(inner, figure) for inner in part]
    return _at(part[1:], figure) if isinstance(part, str) and part.startswith("$") else part


def _at(path: str, figure: dict[str, Any]) -> Any:
    value: Any = figure
    for key in path.split("."):
        value = value[key]
    return value
