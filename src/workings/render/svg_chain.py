"""A chain of states as SVG: boxes in a row with arrows between them, and above each a bar for its number."""

from __future__ import annotations

from collections.abc import Iterator

from ..explain import document as d
from .colours import strength
from .drawing import COLOURS, SIZE, SMALL, cut, element, number, sheet, text, wide

WIDTH = 700.0  # of a row; the chain goes on below
BAR, BOX, BELOW = 56.0, 28.0, 40.0  # heights of the highest bar, of a box, and of what stands below it
GAP = 26.0  # for an arrow
NARROWEST = 44.0  # box
LONGEST = 12  # signs of a name and of a word
THINNEST, THICKEST = 0.8, 6.0
FAINTEST = 0.35


def chain_svg(figure: d.Figure, chain: d.Chain) -> str:
    """The smaller a number, the lower its bar, and the thinner and fainter the arrow from its state to the next."""
    return _Sheet(figure, chain).svg()


class _Sheet:
    def __init__(self, figure: d.Figure, chain: d.Chain) -> None:
        self.figure, self.chain = figure, chain
        widths = [
            max(wide(cut(state.name, LONGEST)), wide(cut(state.word, LONGEST)), wide(state.number.text, SMALL))
            for state in chain.states
        ]
        self.box = max(NARROWEST, *widths) + 8
        self.shares = [_share(chain.scale, state.number) for state in chain.states]
        self.in_row = max(int(WIDTH / (self.box + GAP)), 2)

    def svg(self) -> str:
        """Row by row; a row is as high as its highest bar."""
        count, top = len(self.chain.states), 0.0
        parts: list[str] = []
        for first in range(0, count, self.in_row):
            places = range(first, min(first + self.in_row, count))
            top += SMALL * 1.5 + BAR * max(self.shares[place] for place in places)
            for place in places:
                parts += self._state(place, (place - first) * (self.box + GAP), top)
            top += BOX + BELOW
        return sheet(self.figure, parts, min(count, self.in_row) * (self.box + GAP), top)

    def _state(self, place: int, x: float, y: float) -> Iterator[str]:
        """The box of a state begins here, and what belongs to it stands above and below."""
        state, share = self.chain.states[place], self.shares[place]
        height = BAR * share
        bar = {"x": x + self.box / 2 - 9, "y": y - height, "width": 18.0, "height": height}
        if share:
            yield element("rect", **bar, class_="accent", fill=COLOURS["accent"])
        middle = x + self.box / 2
        yield number(middle, y - height - 5, state.number, look="ink", size=SMALL, text_anchor="middle")
        look = {"class_": "paper", "fill": COLOURS["paper"], "stroke": COLOURS["ink"]}
        yield element("rect", x=x, y=y, width=self.box, height=BOX, rx=8, **look)
        yield text(middle, y + BOX / 2 + SIZE * 0.35, cut(state.name, LONGEST), text_anchor="middle")
        yield text(middle, y + BOX + SIZE * 1.3, cut(state.word, LONGEST), "faint", text_anchor="middle")
        if place + 1 < len(self.chain.states):
            yield from self._arrow(x + self.box, y + BOX / 2, share)

    def _arrow(self, x: float, y: float, share: float) -> Iterator[str]:
        """To the next state; at the end of a row it says that the chain goes on."""
        look = {"class_": "accent", "stroke_opacity": FAINTEST + (1 - FAINTEST) * share}
        thick = THINNEST + (THICKEST - THINNEST) * share
        yield element("line", x1=x, y1=y, x2=x + GAP - 8, y2=y, stroke=COLOURS["accent"], stroke_width=thick, **look)
        half = 3 + thick / 2
        head = f"M{x + GAP - 1:.1f},{y:.1f}l-8,{-half:.1f}v{2 * half:.1f}z"
        yield element("path", d=head, class_="accent", fill=COLOURS["accent"], fill_opacity=look["stroke_opacity"])


def _share(scale: d.Axis, one: d.Number) -> float:
    return 0.0 if isinstance(one.value, str) else abs(strength(scale, one.value))
