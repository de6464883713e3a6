"""Figures in monospaced text: which file draws which form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..explain import document as d
from .lines import Plain
from .plot import plot_rows
from .text_backward import backward_rows
from .text_bars import bars_rows
from .text_chain import chain_rows
from .text_flow import flow_rows
from .text_graph import graph_rows
from .text_grid import heatmap_rows, mask_rows
from .text_heads import heads_rows
from .text_links import links_rows
from .text_plane import plane_rows
from .text_treemap import treemap_rows
from .text_vectors import vectors_rows
from .text_windows import windows_rows


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
    return FORMS[figure.form](figure.data, width, fine, plain)


FORMS: dict[str, Callable[[Any, int, bool, Plain], list[str]]] = {
    "lines": plot_rows,
    "heatmap": heatmap_rows,
    "mask": mask_rows,
    "bars": bars_rows,
    "flow": flow_rows,
    "backward": backward_rows,
    "graph": graph_rows,
    "treemap": treemap_rows,
    "plane": plane_rows,
    "links": links_rows,
    "windows": windows_rows,
    "vectors": vectors_rows,
    "chain": chain_rows,
    "heads": heads_rows,
}


def remarks(figure: d.Figure) -> list[str]:
    """What belongs under the rows of a figure. A curve or a plane shows no numbers: they are told in words."""
    told = figure.alternative if isinstance(figure.data, d.Lines | d.Plane) else ""
    return [text for text in (told, figure.note) if text]
