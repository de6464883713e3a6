"""Treemaps as SVG: areas with their names and numbers, and thicker lines around modules."""

from __future__ import annotations

from xml.sax.saxutils import escape

from ..explain import document as d
from .colours import hexadecimal
from .drawing import COLOURS, SMALL, element, number, sheet, text, wide

WIDTH, HEIGHT = 640.0, 420.0
LINE = 14.0
BETWEEN = "#8f97a3"  # the line between two areas
# Light enough for dark letters, and of different lightness, so that they differ in grey print.
SHADES = ((207, 224, 245), (243, 227, 195), (185, 207, 159), (238, 240, 242), (227, 185, 201))


def treemap_svg(figure: d.Figure, treemap: d.Treemap) -> str:
    leaves = [area for area in treemap.areas if not area.is_group]
    modules = [area for area in treemap.areas if area.is_group]
    # The lines of what lies outside are thicker, and lie above.
    frames = [_frame(area) for area in sorted(modules, key=lambda area: -area.level)]
    return sheet(figure, [*(_leaf(area) for area in leaves), *frames], WIDTH, HEIGHT)


def _place(area: d.Area) -> dict[str, float]:
    return {
        "x": area.left * WIDTH,
        "y": area.top * HEIGHT,
        "width": area.width * WIDTH,
        "height": area.height * HEIGHT,
    }


def _leaf(area: d.Area) -> str:
    box = _place(area)
    fill = hexadecimal(SHADES[area.shade % len(SHADES)])
    parts = element("title", escape(f"{area.path or area.label} {area.number.text}"))
    parts += element("rect", **box, class_="cell", fill=fill, stroke=BETWEEN, stroke_width=0.8)
    lines = [line for line in _lines(area) if wide(line, SMALL) + 6 <= box["width"]]
    room = int(box["height"] / LINE)
    middle = box["x"] + box["width"] / 2
    top = box["y"] + box["height"] / 2 - LINE * (min(len(lines), room) - 1) / 2 + SMALL * 0.35
    for n, line in enumerate(lines[:room]):
        look = {"look": "on-cell", "size": SMALL, "fill": COLOURS["ink"], "text_anchor": "middle"}
        if line == area.number.text:
            parts += number(middle, top + LINE * n, area.number, **look)
        else:
            parts += text(middle, top + LINE * n, line, font_weight="bold", **look)
    return element("g", parts, class_="node")


def _lines(area: d.Area) -> list[str]:
    """The name, in several lines where one has no room for it, and the number."""
    wide_enough = wide(area.label, SMALL) + 6 <= area.width * WIDTH
    return [*([area.label] if wide_enough else area.label.split(".")), area.number.text]


def _frame(area: d.Area) -> str:
    thick = max(3.0 - area.level, 1.0)
    # The areas are light on a dark page too, and so the lines around them stay dark.
    return element("rect", **_place(area), fill="none", class_="on-cell", stroke=COLOURS["ink"], stroke_width=thick)
