"""A figure within a page: its SVG, whose ids are its own."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

from ...document.blocks import Figure
from ...figures import picture
from .tags import Markup

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
NAMED = re.compile(r"#([\w.:-]+)")
LISTS_OF_IDS = {"aria-labelledby", "aria-describedby"}

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def drawn(figure: Figure, mark: str) -> Markup | None:
    """The figure as SVG, or None where the package that draws it is missing. Its ids begin with `mark`."""
    try:
        source = picture(replace(figure, title="", note=""), "svg").decode()  # the page says those
    except ModuleNotFoundError as error:
        if error.name != "vl_convert":
            raise
        return None
    return own_ids(source, mark, figure.alternative)


def own_ids(svg: str, mark: str, alternative: str) -> Markup:
    """The picture with its ids, and all that leads to them, under names that no other picture has.

    >>> own_ids('<svg xmlns="http://www.w3.org/2000/svg"><g id="a"/><use href="#a"/></svg>', "f1-", "in words")
    '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="in words"><g id="f1-a" /><use href="#f1-a" /></svg>'
    """
    root = ElementTree.fromstring(svg)
    ids = {part.get("id") for part in root.iter()} - {None}
    for part in root.iter():
        for key, value in part.attrib.items():
            if key == "id":
                part.set(key, mark + value)
            elif key in LISTS_OF_IDS:
                part.set(key, " ".join(mark + name for name in value.split()))
            elif "#" in value:
                part.set(key, NAMED.sub(lambda found: f"#{mark}{found[1]}" if found[1] in ids else found[0], value))
    if (root.get("class") or "").startswith("workings") and (width := root.get("width")):
        root.set("style", f"--wide:{width}px")  # its letters must not become too small
    root.set("role", "img")
    root.set("aria-label", alternative)
    return Markup(ElementTree.tostring(root, encoding="unicode"))
