"""Documents with their figures drawn: pictures are made in one place, for the lab as for every other page."""

from __future__ import annotations

from ...document.blocks import Document, Figure, all_blocks
from ...render.page.inlined import drawn
from ..answers.trace import Page


def page_of(document: Document) -> Page:
    """The document, and one SVG for each of its figures, in their order; empty where a package that draws is missing.

    >>> from workings.lessons.lesson import lesson
    >>> [svg[:4] for svg in page_of(lesson("example-1").document).drawings]
    ['<svg', '<svg']
    """
    figures = [block for block in all_blocks(document.blocks) if isinstance(block, Figure)]
    return Page(document, tuple(str(drawn(figure, f"f{n}-") or "") for n, figure in enumerate(figures, 1)))
