"""Figures: as SVG, or in letters where the package that draws them is missing."""

from __future__ import annotations

import re
from dataclasses import replace

from ...document.blocks import Figure
from ...figures import figure_rows, picture
from ...formula.typst import string
from .code import NONE, call, optional_words

COLUMNS = 88  # of a figure in letters
POINTS = 0.75  # of a unit of SVG, on paper
LARGE = 1000.0  # what does not say how large it is fills the page
_SIZES = [re.compile(rf'<svg[^>]*?\b{side}="([\d.]+)') for side in ("width", "height")]


def figure(block: Figure, caption: str = NONE) -> str:
    """`caption` is already Typst."""
    about = {"title": optional_words(block.title), "note": optional_words(block.note), "caption": caption}
    alternative = string(block.alternative or block.title)
    try:
        source = picture(replace(block, title="", note=""), "svg").decode()  # the page says those
    except ModuleNotFoundError as error:
        if error.name != "vl_convert":
            raise
        rows = "\n".join(figure_rows(block, COLUMNS))
        return call("picture-in-letters", string(rows), alternative, **about)
    found = [side.search(source) for side in _SIZES]
    sizes = [f"{float(size[1]) * POINTS if size else LARGE:.1f}pt" for size in found]
    return call("picture", string(source), alternative, *sizes, **about)
