"""Figures in monospaced text: which file draws which form."""

from __future__ import annotations

from ..explain import document as d
from .lines import Plain
from .plot import plot_rows
from .text_bars import bars_rows
from .text_flow import flow_rows
from .text_grid import heatmap_rows, mask_rows
from .text_plane import plane_rows


def figure_rows(figure: d.Figure, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""The rows of a figure without its title, at most so wide; `fine` says whether the target has the signs for it.

    >>> numbers = tuple(d.Number(text, value, "1", (n,)) for n, (text, value) in enumerate([("0.25", 0.25), ("1", 1)]))
    >>> scale = d.Axis("", 0, 1, (d.Tick(0, "0"), d.Tick(1, "1")))
    >>> grid = d.Grid("1", "", "key", (), ("The", "cat"), (numbers,), scale)
    >>> print("\n".join(figure_rows(d.Figure("heatmap", "weights", grid, "in words"), 40)))
    key      The   cat
         ░░ 0.25  ██ 1
    <BLANKLINE>
    0 ░▒▓█ 1
    """
    data = figure.data
    if isinstance(data, d.Lines):
        return plot_rows(data, width, fine, plain)
    if isinstance(data, d.Grid):
        return (mask_rows if data.seen else heatmap_rows)(data, width, fine, plain)
    if isinstance(data, d.Bars):
        return bars_rows(data, width, fine, plain)
    if isinstance(data, d.Flow):
        return flow_rows(data, width, fine, plain)
    return plane_rows(data, width, fine, plain)


def remarks(figure: d.Figure) -> list[str]:
    """What belongs under the rows of a figure. A curve or a plane shows no numbers: they are told in words."""
    told = figure.alternative if isinstance(figure.data, d.Lines | d.Plane) else ""
    return [text for text in (told, figure.note) if text]
