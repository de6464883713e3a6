"""The output of a notebook cell: HTML, a picture, and plain text where neither can be shown.

Notebooks are light or dark, and do not say which. So texts have the color of the notebook; pictures are on white.
"""

from __future__ import annotations

import io
import re
from functools import cache
from importlib import resources

from ...document import blocks as d
from ...figures import picture
from ..html import blocks_html
from ..page.tags import Markup, tag
from ..terminal import show

WIDTH = 88  # columns of plain text
PLAIN, HTML, SVG = "text/plain", "text/html", "image/svg+xml"
COLORS = re.compile("\x1b\\[[0-9;]*m")  # which a kernel asks of all programs
# Step ids differ on a page of several runs, and nothing here is linked.
FOR_PAGES = re.compile(r' (?:data-(?:step|index|role|mistake)="[^"]*"|id="s-[^"]*")')


def bundle(document: d.Document) -> dict[str, str]:
    """A document by media type. A figure alone is a picture: an untrusted notebook shows no pictures within HTML.

    >>> bundle(d.Document("", (d.Text((d.Words("2 < 3"),)),)))["text/plain"]
    '2 < 3'
    """
    shown = {PLAIN: plain(document)}
    match document.blocks:
        case [d.Figure() as figure] if not document.title:
            drawn = _drawn(figure)
            return {**shown, SVG: drawn} if drawn else shown
    return {**shown, HTML: fragment(document)}


def plain(document: d.Document) -> str:
    """As in a terminal, without empty lines around it."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    show(document, stream, width=WIDTH)
    stream.seek(0)
    lines = COLORS.sub("", stream.read()).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def fragment(document: d.Document) -> str:
    """HTML for the page of a notebook that changes nothing around it.

    >>> fragment(d.Document("", (d.Text((d.Words("2 < 3"),)),))).endswith('<p class="text">2 &lt; 3</p></div>')
    True
    """
    title = tag.p(tag.strong(document.title)) if document.title else Markup()
    inside = Markup(FOR_PAGES.sub("", blocks_html(document.blocks)))
    return tag.div(tag.style(_style()), title, inside, class_="workings")


@cache
def _style() -> Markup:
    text = (resources.files(__package__) / "output.css").read_text(encoding="utf-8")
    return Markup(re.sub(r"\s*\n\s*", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)).strip())


def _drawn(figure: d.Figure) -> str | None:
    """The picture on white, or None where the package that draws it is missing."""
    try:
        svg = picture(figure, "svg").decode()
    except ModuleNotFoundError as error:
        if error.name != "vl_convert":
            raise
        return None
    return re.sub(r"<svg\b", '<svg style="background:#fff"', svg, count=1)
