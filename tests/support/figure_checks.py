"""What holds for every figure: its numbers are entries of the trace."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from xml.etree import ElementTree

from workings.document.blocks import Figure, Number
from workings.engine.file import plain
from workings.figures import svg_of


def numbers_in(item: object) -> Iterator[Number]:
    if isinstance(item, Number):
        yield item
    elif dataclasses.is_dataclass(item):
        for field in dataclasses.fields(item):
            yield from numbers_in(getattr(item, field.name))
    elif isinstance(item, tuple):
        for part in item:
            yield from numbers_in(part)


def check_numbers(trace, figure: Figure) -> None:
    """Every number of a figure is the entry of the step that it names."""
    found = list(numbers_in(figure.data))
    assert found
    for number in found:
        assert number.value == plain(trace.recording.value(number.step)[number.index].item())
        assert number.role == "entry"


def drawn_width(figure: Figure) -> float:
    """How wide its SVG is; print would shrink one of more than 600."""
    return float(ElementTree.fromstring(svg_of(figure)).attrib["width"])


TEXT_BLOCK = 160 / 25.4 * 72  # points, of a page of the book
POINTS = 0.75  # of a unit of SVG on paper


def smallest_label(figure: Figure) -> tuple[float, float]:
    """The smallest letters of its SVG where a page shows it: in points on paper, and in pixels on a screen of 600."""
    root = ElementTree.fromstring(svg_of(dataclasses.replace(figure, title="", note="")))
    width = float(root.attrib["width"])
    sizes = [float(node.attrib["font-size"].removesuffix("px")) for node in root.iter() if "font-size" in node.attrib]
    least = min(sizes)
    return least * min(POINTS, TEXT_BLOCK / width), least * min(1.0, 600 / width)
