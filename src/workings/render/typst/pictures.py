"""Figures: as SVG, or in letters where the package that draws them is missing."""

from __future__ import annotations

import re
from dataclasses import replace

from ...explain.document import Figure
from ..figure_text import figure_rows
from ..svg import picture
from .code import call, optional_words, string

COLUMNS = 88  # of a figure in letters
POINTS = 0.75  # of a unit of SVG, on paper
_WIDTH = re.compile(r'<svg[^>]*?\bwidth="([\d.]+)')


def figure(block: Figure) -> str:
    about = {"title": optional_words(block.title), "note": optional_words(block.note)}
    alternative = string(block.alternative or block.title)
    try:
        source = picture(replace(block, title="", note=""), "svg").decode()  # the page says those
    except ModuleNotFoundError as error:
        if error.name != "vl_convert":
            raise
        rows = "\n".join(figure_rows(block, COLUMNS))
        return call("picture-in-letters", string(rows), alternative, **about)
    found = _WIDTH.search(source)
    wide = float(found[1]) * POINTS if found else 1000.0
    return call("picture", string(source), alternative, f"{wide:.1f}", **about)
