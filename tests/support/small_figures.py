"""Small figures that the tests of several renderers share."""

from __future__ import annotations

from workings.document.blocks import Number
from workings.figures.bars import Bar, BarGroup, Bars
from workings.figures.parts.axes import Axis, Tick


def small_bars(label: str) -> Bars:
    """One bar, of three quarters."""
    axis = Axis("P", 0.0, 1.0, (Tick(0.0, "0"), Tick(1.0, "1")))
    return Bars(axis, (BarGroup("", (Bar(label, Number("0.75", 0.75, "1", (0,))),)),))
