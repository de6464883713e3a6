"""A figure for its reader: as SVG, PNG or PDF, and in monospaced text."""

from __future__ import annotations

from typing import Any

from ...document.blocks import Figure
from ...document.monospace import Plain
from .page import PAGES, FigurePage

KINDS = ("svg", "png", "pdf")
PIXELS = 2.0  # of a PNG, for each unit of the SVG


def page_of(figure: Figure) -> FigurePage[Any, Any]:
    """The page that a figure was made by."""
    return next(page for page in PAGES.values() if page.form == figure.form)


def svg_of(figure: Figure) -> str:
    """The figure as SVG, which says in words what it shows, for those who cannot see it."""
    return page_of(figure).svg(figure, figure.data)


def picture(figure: Figure, kind: str) -> bytes:
    """The figure as a file of one of these kinds."""
    svg = svg_of(figure)
    if kind == "svg":
        return svg.encode()
    import vl_convert  # it takes a while to load

    return bytes(vl_convert.svg_to_png(svg, scale=PIXELS) if kind == "png" else vl_convert.svg_to_pdf(svg))


def figure_rows(figure: Figure, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""The rows of a figure without its title, at most so wide; `fine` says whether the target has the signs for it.

    >>> import workings as w
    >>> from workings.figures.heatmap import heatmap_of
    >>> print("\n".join(figure_rows(heatmap_of(w.scenario("example-1").trace(), "weights"), 40)))
    query \ key
                 ▓▓ 0.5018  ▒▒ 0.4982
                 ▒▒ 0.4982  ▓▓ 0.5018
    <BLANKLINE>
    0.0 ░▒▓█ 1.0
    """
    return page_of(figure).text(figure.data, width, fine, plain)


def remarks(figure: Figure) -> list[str]:
    """What belongs under the rows of a figure: numbers that the rows do not show, and its note."""
    numbers = "" if page_of(figure).text_has_numbers else figure.alternative
    return [text for text in (numbers, figure.note) if text]
