"""A transformer block as SVG: the residual stream from above to below, and its sublayers as branches beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from ...document.blocks import Figure
from ...document.monospace import shape_text
from .drawn import BOX_LOOK, HUES, Box, area_look, arrow_along, arrow_to, corners, line_look, words_at
from .svg import COLORS, SIZE, clean, element, sheet, text, wide
from .transformer_block import BlockPart, BlockSublayer

WIDTH = 540.0
STREAM = 108.0  # where the stream is
LEFT, RIGHT = 186.0, 524.0  # of a sublayer
CENTER = (LEFT + RIGHT) / 2
WIDEST, NARROWEST = 300.0, 148.0  # of a layer: as wide as what enters and leaves it
HEIGHT, LINK = 30.0, 22.0  # of an operation, and to the next one
THICK = 5.0  # the stream
RADIUS = 11.0  # of a sum
PROJECTED = ("query", "key", "value")
PROJECTION, BETWEEN = 92.0, 12.0  # width of Q, K and V, and between them
TOP = 28.0  # above the block, for what enters it


class BlockDrawing:
    """Every method draws a part from a height on, and says where it ends."""

    def __init__(
        self,
        figure: Figure,
        name: str,
        axes: tuple[str, ...],
        shape: tuple[int, ...],
        path: str,
        count: int,
    ) -> None:
        self.figure, self.name = figure, name
        self.shape = shape_text(axes, shape)
        self.place = f"{path}, one of {count}" if count > 1 else path
        self.under: list[str] = []  # frames and the stream
        self.over: list[str] = []
        self.stream_starts = TOP

    def svg(self, sublayers: Sequence[BlockSublayer]) -> str:
        widest = max((float(part.leaves.value) for one in sublayers for part in one.parts), default=1.0)
        self.scale = WIDEST / max(widest, 1.0)
        y = TOP + 30
        for sublayer in sublayers:
            y = self._sublayer(sublayer, y) + 24
        bottom = y + 2
        self._flows(bottom + 22, tip=True)
        self.over.append(_named((STREAM + 16, 8), self.name, self.shape))
        self.over.append(_named((STREAM + 16, bottom + 18), "contextualized embeddings", self.shape))
        for line, words in enumerate(("residual", "stream")):
            at = STREAM - 14, TOP + 18 + 15 * line
            self.over.append(text(*at, words, "accent", SIZE, text_anchor="end", font_weight="bold"))
        frame = element("rect", x=0.5, y=TOP, width=WIDTH - 1, height=bottom - TOP, rx=12, **frame_look("ink"))
        self.over.append(text(WIDTH - 14, TOP + 20, self.place, "ink", SIZE, text_anchor="end", font_weight="bold"))
        return sheet(self.figure, [frame, *self.under, *self.over], WIDTH, bottom + 30)

    def _flows(self, y: float, tip: bool = False) -> None:
        """The stream from where it starts down to here."""
        start = self.stream_starts if self.stream_starts > TOP else 0.0
        end = y - 9 if tip else y
        look = line_look("accent", THICK)
        self.under.append(element("path", d=f"M{STREAM:.1f},{start:.1f}V{end:.1f}", **look))
        if tip:
            head = f"M{STREAM:.1f},{y:.1f}l-8,-12h16z"
            self.under.append(element("path", d=head, class_="accent", fill=COLORS["accent"]))
        self.stream_starts = y

    def _sublayer(self, sublayer: BlockSublayer, top: float) -> float:
        read = top + 28
        branches = [part for part in sublayer.parts if part.role in PROJECTED]
        rest = [part for part in sublayer.parts if part not in branches]
        self.over.append(text(LEFT + 14, top + 19, sublayer.name, "ink", SIZE, font_weight="bold"))
        self._width_at((STREAM + LEFT) / 2 + 2, read - 9, (sublayer.norm or sublayer.parts[0]).enters.text)
        if not sublayer.residual:
            self._flows(read + THICK / 2)
        # What reads the encoder's output leaves the middle to it.
        x = _middles(branches)[0] if sublayer.memory else CENTER
        y = read + 18
        if sublayer.norm is not None and not sublayer.norm_after:
            self.over += arrow_along(((STREAM, read), (x, read), (x, y)))
            y = self._norm(sublayer.norm, x, y)
            if branches:
                self._width_at(x + 8, y + 9, sublayer.norm.leaves.text, anchor="start")
                self.over.append(_line((x, y), (x, y + 18)))
                y += 18
            else:
                y = self._link(y, sublayer.norm.leaves.text)
        elif branches:
            self.over += [_line((STREAM, read), (x, read)), _line((x, read), (x, y))]
        else:
            self.over += arrow_along(((STREAM, read), (x, read), (x, y)))
        if branches:
            y = self._projections(branches, x, y, sublayer.memory)
        for place, part in enumerate(rest):
            y = self._part(part, y)
            if place + 1 < len(rest):
                y = self._link(y, part.leaves.text)
        return self._adds(sublayer, rest[-1].leaves.text, (top, read, y))

    def _adds(self, sublayer: BlockSublayer, width: str, heights: tuple[float, float, float]) -> float:
        """The way back to the stream, from below the last part; then the norm, if it is there."""
        top, read, y = heights
        end = y + 18
        frame = Box(LEFT, top, RIGHT - LEFT, end + 12 - top)
        self.under.append(element("rect", **corners(frame), rx=9, **frame_look("faint")))
        self._width_at((STREAM + LEFT) / 2 + 4, end - 9, width)
        if sublayer.residual:
            self._flows(end)
            self.over += arrow_along(((CENTER, y), (CENTER, end), (STREAM + RADIUS, end)))
            self.over += _sum_sign(STREAM, end)
            self.over.append(text(STREAM - RADIUS - 8, end + 4, "add", "accent", SIZE, text_anchor="end"))
        else:
            self.over += arrow_along(((CENTER, y), (CENTER, end), (STREAM, end)))
            self.stream_starts = end - THICK / 2
            for place, words in enumerate(("no", "residual")):
                at = STREAM - 14, (read + end) / 2 + 15 * place
                self.over.append(text(*at, words, "faint", SIZE, text_anchor="end"))
        end += 12
        if sublayer.norm is not None and sublayer.norm_after:
            self._flows(end + 10)
            end = self._norm(sublayer.norm, STREAM, end + 10)
            self.stream_starts = end
        self.over.append(text(STREAM - 14, end + 18, width, "accent", SIZE, text_anchor="end"))
        return end

    def _projections(self, parts: list[BlockPart], x: float, bar: float, memory: bool) -> float:
        """Queries, keys and values side by side, and a line to each of them from what they read."""
        middles, boxes = _middles(parts), bar + 16
        fed = middles[:1] if memory else middles
        if len(fed) > 1:
            self.over.append(_line((min(fed), bar), (max(fed), bar)))
        if memory:
            self.over += [_line((middles[1], bar), (WIDTH, bar))]
            self.over.append(text(RIGHT - 8, bar - 8, "from the encoder", "ink", SIZE, text_anchor="end"))
        for middle, part in zip(middles, parts, strict=True):
            self.over += arrow_to(middle, bar, middle, boxes)
            box = Box(middle - PROJECTION / 2, boxes, PROJECTION, HEIGHT)
            shape = element("rect", **corners(box), rx=6, **area_look(part.role))
            shape += _named((middle, box.center), part.name, part.detail, "middle", part.role)
            self.over.append(_step(part.step, shape))
            self.over += arrow_to(middle, box.bottom, middle, box.bottom + LINK)
            self._width_at(middle + 8, box.bottom + LINK / 2 - 2, part.leaves.text, anchor="start")
        return boxes + HEIGHT + LINK

    def _part(self, part: BlockPart, y: float) -> float:
        if part.role == "attention":
            return self._heads(part, y)
        before, after = (self._across(float(one.value)) for one in (part.enters, part.leaves))
        if part.role == "layer":
            name, words = part.name, f"{part.enters.text} → {part.leaves.text}"
            path = f"M{CENTER - before / 2:.1f},{y:.1f}h{before:.1f}"
            path += f"L{CENTER + after / 2:.1f},{y + HEIGHT:.1f}h{-after:.1f}z"
            shape = element("path", d=path, stroke_linejoin="round", **area_look("parameter"))
        else:
            name, words = part.name, ""
            shape = element("rect", **corners(Box(CENTER - after / 2, y, after, HEIGHT)), rx=6, **BOX_LOOK)
        shape += _named((CENTER, y + HEIGHT / 2), name, words, "middle")
        self.over.append(_step(part.step, shape))
        return y + HEIGHT

    def _across(self, size: float) -> float:
        return max(size * self.scale, NARROWEST)

    def _heads(self, part: BlockPart, y: float) -> float:
        """The heads as sheets that lie behind each other."""
        assert part.heads is not None
        assert part.head_size is not None
        behind = min(int(float(part.heads.value)), 4) - 1
        box = Box(CENTER - 150, y, 300 - 4 * max(behind, 0), 46)
        for place in range(behind, 0, -1):
            moved = Box(box.x + 4 * place, box.y + 4 * place, box.width, box.height)
            self.over.append(element("rect", **corners(moved), rx=6, **BOX_LOOK))
        many = "" if part.heads.text == "1" else "s"
        title = f"{part.heads.text} head{many} of {part.head_size.text}{f', {part.name}' if part.name else ''}"
        shape = element("rect", **corners(box), rx=6, **BOX_LOOK)
        shape += words_at(box.middle, y + 15, title, "ink", SIZE, font_weight="bold")
        shape += words_at(box.middle, y + 32, part.detail, "ink", SIZE)
        self.over.append(_step(part.step, shape))
        return box.bottom + 4 * max(behind, 0)

    def _norm(self, part: BlockPart, x: float, y: float) -> float:
        width = wide(part.name) + 24
        box = Box(x - width / 2, y, width, HEIGHT - 4)
        shape = element("rect", **corners(box), rx=6, **BOX_LOOK)
        self.over.append(_step(part.step, shape + words_at(x, box.center, part.name, "ink", SIZE, font_weight="bold")))
        return box.bottom

    def _link(self, y: float, width: str) -> float:
        """A short arrow down, and how wide what it carries is."""
        self.over += arrow_to(CENTER, y, CENTER, y + LINK)
        self._width_at(CENTER + 8, y + LINK / 2 - 2, width, anchor="start")
        return y + LINK

    def _width_at(self, x: float, y: float, width: str, anchor: str = "middle") -> None:
        self.over.append(words_at(x, y, width, "ink", SIZE, text_anchor=anchor))


def frame_look(stroke: str) -> dict[str, str | float | None]:
    return {"class_": stroke, "fill": "none", "stroke": COLORS[stroke], "stroke_width": 1.0}


def _middles(parts: Sequence[BlockPart]) -> list[float]:
    """Where queries, keys and values are."""
    left = CENTER - (PROJECTION * len(parts) + BETWEEN * (len(parts) - 1)) / 2
    return [left + PROJECTION / 2 + (PROJECTION + BETWEEN) * place for place in range(len(parts))]


def _named(at: tuple[float, float], name: str, words: str, anchor: str = "start", role: str = "ink") -> str:
    """A name, and what belongs to it in lighter letters."""
    strong = HUES[role].strong if role in HUES else COLORS["ink"]
    parts = element("tspan", escape(clean(name)), font_weight="bold", class_="ink", fill=COLORS["ink"])
    parts += element("tspan", escape(clean(words)), dx=8.0, class_=role, fill=strong) if words else ""
    return element("text", parts, x=at[0], y=at[1] + SIZE * 0.35, font_size=SIZE, text_anchor=anchor)


def _step(step: str, content: str) -> str:
    return element("g", content, class_="node", data_step=step)


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = start, end
    return element("path", d=f"M{x:.1f},{y:.1f}L{to_x:.1f},{to_y:.1f}", **line_look("", 1.2))


def _sum_sign(x: float, y: float) -> Iterator[str]:
    yield element("circle", cx=x, cy=y, r=RADIUS, stroke_width=1.6, **BOX_LOOK)
    yield element("path", d=f"M{x - 6:.1f},{y:.1f}h12M{x:.1f},{y - 6:.1f}v12", **line_look("", 1.6))
