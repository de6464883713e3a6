"""Small figures that the tests of several renderers share."""

from __future__ import annotations

from workings.explain import document as d


def small_bars(label: str) -> d.Bars:
    """One bar, of three quarters."""
    axis = d.Axis("P", 0.0, 1.0, (d.Tick(0.0, "0"), d.Tick(1.0, "1")))
    return d.Bars(axis, (d.BarGroup("", (d.Bar(label, d.Number("0.75", 0.75, "1", (0,))),)),))
