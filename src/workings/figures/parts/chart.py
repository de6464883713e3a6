"""Figures that are charts: a page says what to draw in Vega-Lite, and the package vl_convert draws it.

The package is loaded when it is first needed, and nothing comes from a network.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

from ...document.blocks import Figure, to_data
from .axes import Axis
from .page import Data, FigurePage, Options
from .svg import clean

Chart: TypeAlias = dict[str, Any]

BAR_COLOR, INK, TRAIL_COLOR = "#3577c8", "#1c1c1c", "#8a8f99"
# Seen on light and on dark ground.
CATEGORIES = ("#3577c8", "#c8650a", "#2a8f5c", "#a056c8", "#d5405f", "#17899a", "#8a7510", "#7d838c")


class ChartPage(FigurePage[Data, Options]):
    """A page whose picture is a chart."""

    @abstractmethod
    def chart(self, figure: Figure, data: Data) -> Chart:
        """What to draw, without what all charts have in common."""

    def svg(self, figure: Figure, data: Data) -> str:
        import vl_convert

        chart = _cleaned(self.specification(figure, data))
        svg: str = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
        return svg.replace(">", f"><desc>{escape(clean(figure.alternative))}</desc>", 1)

    def specification(self, figure: Figure, data: Data) -> Chart:
        """The whole chart in Vega-Lite."""
        return {
            "title": {"text": figure.title, "subtitle": figure.note},
            "padding": 12,
            "background": "white",
            **self.chart(figure, data),
            "config": {
                "font": "sans-serif",
                "range": {"category": list(CATEGORIES)},
                "title": {
                    "anchor": "start", "fontSize": 14, "subtitleFontSize": 12, "subtitleColor": "#444444", "offset": 10
                },
                "axis": {
                    "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
                    "domainColor": "#333333", "tickColor": "#333333", "gridColor": "#dddddd",
                },
                "view": {"stroke": None},
            },
        }  # fmt: skip


def _cleaned(part: Any) -> Any:
    """The same chart without signs that XML forbids."""
    if isinstance(part, dict):
        return {key: _cleaned(inner) for key, inner in part.items()}
    if isinstance(part, list):
        return [_cleaned(inner) for inner in part]
    return clean(part) if isinstance(part, str) else part


def parameters(**values: object) -> list[Chart]:
    """Data that expressions of a chart refer to by name."""
    return [{"name": name, "value": to_data(value)} for name, value in values.items()]


def along(axis: Axis, name: str, **more: object) -> Chart:
    """How an axis is drawn: it ends where its data says, with its own ticks. `name` is that of its parameter."""
    ticks = f"{name}.ticks"
    return {
        "type": "quantitative",
        "title": axis.title,
        "scale": {"type": axis.scale, "domainMin": axis.low, "domainMax": axis.high, "zero": False, "nice": False},
        "axis": {
            "values": {"expr": f"pluck({ticks}, 'value')"},
            "labelExpr": f"{ticks}[indexof(pluck({ticks}, 'value'), datum.value)].text",
            **more,
        },
    }
