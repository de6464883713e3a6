"""Figures: as SVG, or in letters where the package that draws them is missing."""

from __future__ import annotations

from dataclasses import replace

from ...document.blocks import Figure
from ...figures import figure_rows, picture
from ...formula.typst import string
from ..extra_files import size_of
from .code import NONE, call, optional_words

COLUMNS = 88  # of a figure in letters


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
    sizes = [f"{side:.1f}pt" for side in size_of(source)]
    return call("picture", string(source), alternative, *sizes, **about)
