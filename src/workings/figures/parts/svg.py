"""SVG by hand: elements with escaped texts, colors by class, and nothing that could clash where it is inlined.

Every part has one of a few classes: `ink` (texts and lines), `faint` (what matters less), `paper` (the ground), `leaf`
(what is given), `accent` (what stands out). Its color is in the element as well, where any style sheet of a
page may overrule it. There are no ids, and no style that could reach other parts of a page.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

from rich.cells import cell_len

from ...document.blocks import Figure, Number

COLORS = {"ink": "#1c1c1c", "faint": "#6a6a6a", "paper": "#ffffff", "accent": "#0b3c8c"}
CELL_EDGE = "#c9ccd3"  # the line around a cell of a matrix
SIZE, SMALL, TITLE = 12.0, 12.0, 14.0  # of texts
EDGE = 12.0  # around a picture
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML, even if escaped

Attribute: TypeAlias = str | float | None
Attributes: TypeAlias = dict[str, Attribute]


def element(tag: str, content: str = "", /, **attributes: Attribute) -> str:
    """One element; `_` in the name of an attribute becomes `-`. The content is XML already.

    >>> element("rect", x=1.5, data_step="a<b")
    '<rect x="1.5" data-step="a&lt;b"/>'
    """
    pairs = "".join(
        f" {name.rstrip('_').replace('_', '-')}={quoteattr(clean(_value(value)))}"
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{pairs}>{content}</{tag}>" if content else f"<{tag}{pairs}/>"


def text(x: float, y: float, words: str, look: str = "ink", size: float = SIZE, /, **attributes: Attribute) -> str:
    """
    >>> text(1, 2, "a < b", "faint", 10)
    '<text x="1" y="2" class="faint" fill="#6a6a6a" font-size="10">a &lt; b</text>'
    """
    looks: Attributes = {"class_": look, "fill": COLORS.get(look), "font_size": size}
    return element("text", escape(clean(words)), x=x, y=y, **{**looks, **attributes})


def number(x: float, y: float, one: Number, look: str = "ink", size: float = SMALL, /, **attributes: Attribute) -> str:
    """A number that says which entry of which step it is."""
    return text(x, y, one.text, look, size, **entry_of(one), **attributes)


def pointed_at(one: Number, shape: str) -> str:
    """A shape for an entry, whose number appears when a reader points at it."""
    return element("g", title(one.text) + shape, **entry_of(one))


def title(words: str) -> str:
    """What appears when a reader points at the element around it."""
    return element("title", escape(clean(words)))


def entry_of(one: Number) -> Attributes:
    """Which entry a number is."""
    return {"data_step": one.step, "data_index": ",".join(map(str, one.index))}


def sheet(figure: Figure, parts: Iterable[str], width: float, height: float) -> str:
    """The whole picture: its title and note above, the parts below them, and in words what it shows."""
    width = max(width, 240.0, min(wide(figure.title, TITLE), 480.0))
    head, top = [], 0.0
    for words, look, size in ((figure.title, "ink", TITLE), (figure.note, "faint", SMALL)):
        for line in textwrap.wrap(words, max(int(width / (size * 0.56)), 20)):
            top += size * 1.35
            weight = "bold" if look == "ink" else None
            head.append(text(0, top - size * 0.3, line, look, size, font_weight=weight))
    top += EDGE if head else 0.0
    inside = "".join(head) + element("g", "".join(parts), transform=f"translate(0,{_value(top)})")
    whole = width + 2 * EDGE, height + top + 2 * EDGE
    ground = element("rect", width=whole[0], height=whole[1], class_="paper", fill=COLORS["paper"])
    return element(
        "svg",
        element("desc", escape(clean(figure.alternative)))
        + ground
        + element("g", inside, transform=f"translate({_value(EDGE)},{_value(EDGE)})"),
        xmlns="http://www.w3.org/2000/svg",
        class_=f"workings {figure.form}",
        width=whole[0],
        height=whole[1],
        viewBox=f"0 0 {_value(whole[0])} {_value(whole[1])}",
        font_family="sans-serif",
        role="img",
    )


def wide(words: str, size: float = SIZE) -> float:
    """About how wide a text is."""
    return cell_len(words) * size * 0.6


def cut(words: str, most: int) -> str:
    """
    >>> cut("attention", 5), cut("cat", 5)
    ('atte…', 'cat')
    """
    return words if len(words) <= most else words[: most - 1] + "…"


def _value(value: Attribute) -> str:
    return f"{round(value, 2):g}" if isinstance(value, float) else str(value)


def clean(words: str) -> str:
    """A text without the signs that XML forbids."""
    return FORBIDDEN.sub("�", words)
