"""What is beside a Markdown or LaTeX file: its figures as pictures, and the chapters of a book."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ..document import blocks as d
from ..figures import picture

CHAPTER = 2  # the level of its heading in a book
POINTS = 0.75  # of a unit of SVG, on paper
LARGE = 1000.0  # points: what does not say how large it is fills the page
_SIZES = [re.compile(rf'<svg[^>]*?\b{side}="([\d.]+)') for side in ("width", "height")]


@dataclass(frozen=True)
class Picture:
    """Where a picture is, as the page beside it writes it, and how wide it is, in points."""

    path: str
    width: float


@dataclass
class ExtraFiles:
    """Files that a page names, in the folder `folder` beside it; `kind` is that of its pictures, svg or pdf."""

    folder: str
    kind: str
    files: dict[str, bytes] = field(default_factory=dict)

    def figure(self, block: d.Figure) -> Picture | None:
        """A figure as a file; nothing where figures cannot be drawn."""
        drawn = replace(block, title="", note="")  # the page says those
        try:
            content, svg = picture(drawn, self.kind), picture(drawn, "svg").decode()
        except ModuleNotFoundError as error:
            if error.name != "vl_convert":
                raise
            return None
        return self._added(content, self.kind, size_of(svg)[0])

    def image(self, block: d.Image) -> Picture:
        """An author's own picture as a file. LaTeX takes PNG and JPEG as they are, and an SVG as PDF."""
        content, ending = block.content, block.ending
        if self.kind == "pdf" and ending == "svg":
            import vl_convert  # it takes a while to load

            content, ending = bytes(vl_convert.svg_to_pdf(content.decode())), "pdf"
        return self._added(content, ending, LARGE)

    def _added(self, content: bytes, ending: str, width: float) -> Picture:
        number = 1 + sum(1 for name in self.files if name.startswith("figure-"))
        name = f"figure-{number:03}.{ending}"
        self.files[name] = content
        return Picture(name if self.folder == "." else f"{self.folder}/{name}", width)


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a picture on paper, in points.

    >>> size_of('<svg width="400" height="200">')
    (300.0, 150.0)
    """
    found = [side.search(svg) for side in _SIZES]
    width, height = (float(size[1]) * POINTS if size else LARGE for size in found)
    return width, height


def chapters_of(document: d.Document) -> dict[str, tuple[d.Block, ...]]:
    """Each chapter of a book under the name of its file.

    >>> book = d.Document("x", (d.Heading(1, "Theory", "t"), d.Heading(2, "1 Why", "why"), d.Text(())), form="book")
    >>> chapters_of(book)
    {'01-why': (Heading(level=2, text='1 Why', anchor='why', kind='heading'), Text(spans=(), kind='text'))}
    """
    chapters: dict[str, list[d.Block]] = {}
    into: list[d.Block] = []
    for block in document.blocks:
        if isinstance(block, d.Heading) and block.level <= CHAPTER:
            into = []
            if block.level == CHAPTER:
                chapters[f"{len(chapters) + 1:02}-{block.anchor}"] = into
        into.append(block)
    return {name: tuple(blocks) for name, blocks in chapters.items()}
