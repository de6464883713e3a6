"""Several heads of attention as a diagram: what goes in, each head with its weights, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData, Index, Number
from ..document.monospace import Plain, shape_text
from ..engine.steps import Step
from ..explain.trace import Trace
from .parts.attention_heads import heads_joined_by, inputs_of, joining_step, module_of, projected
from .parts.colors import color, hexadecimal
from .parts.flow_chart import ARROW, ASCII_ARROW, FlowNode
from .parts.grid import Grid, grid_of, scale_of
from .parts.matrix_cells import ASCII_SHADES, SHADES, color_key, key_ticks, shade, shades_of
from .parts.matrix_window import Labels, MatrixWindow, window_of
from .parts.numbers import joined_notes, largest_of, only_first
from .parts.options import NoOptions
from .parts.page import FigureExample, FigureRequest, RunFigurePage
from .parts.svg import CELL_EDGE, COLORS, SIZE, SMALL, Attributes, cut, element, pointed_at, sheet, text, wide
from .parts.text_labels import fit, padded

MAX_HEADS = 16
MAX_WORDS = 12  # rows and columns of the weights of a head
# Of the SVG:
TINY = 8.5  # size of texts in a head
MIN_HEAD, GAP = 62.0, 10.0  # width of a head, and to the next one
PICTURE = 48.0  # of the weights
LEVEL = 44.0  # from box to box
BOX = 40.0  # height of a step
BETWEEN, TO_WEIGHT = 24.0, 34.0  # between inputs, and from the result to its weight
MAX_NAME_CHARS = 14
KEY_SHADES, KEY_WIDTH, KEY_HEIGHT = 20, 90.0, 8.0
# Of the text:
TEXT_GAP = 3  # columns between heads
MAX_TEXT_CHARS = 16  # of the name of a head


@dataclass(frozen=True)
class Heads(FigureData):
    """The form `heads`: what goes into several heads of attention, the heads side by side, and what is made of
    them together. `weight` is what mixes them; there may be none.
    """

    inputs: tuple[FlowNode, ...]
    heads: tuple[HeadBox, ...]
    joined: FlowNode
    weight: FlowNode | None
    result: FlowNode | None


@dataclass(frozen=True)
class HeadBox:
    """One head: the axes and sizes of its context, which lies in `step`, and its weights as a small picture."""

    name: str
    step: str
    axes: tuple[str, ...]
    shape: Index
    weights: Grid


class HeadsPage(RunFigurePage[Heads, NoOptions]):
    """`heads` shows the attention heads of a module side by side, each with its attention weights as a small heatmap.
    They may be computed together, or have matrices of their own. `heads:block2.attention` names a module; otherwise the
    first one with several heads is drawn.
    """

    name = "heads"
    summary = "attention heads side by side, each with its attention weights"
    data = Heads
    example = FigureExample("cat-sat-encoder")

    def build(self, request: FigureRequest, options: NoOptions) -> Figure:
        return heads_of(request.trace, request.names[0] if request.names else "", request.labels)

    def svg(self, figure: Figure, data: Heads) -> str:
        return _HeadsDrawing(figure, data).svg()

    def text(self, data: Heads, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""What goes in, the heads with their weights as shades, and what is made of them.

        >>> from workings.figures.parts.axes import Axis, Tick
        >>> one = Number("1.0", 1.0, "1", (0, 0))
        >>> grid = Grid("1", "query", "key", (), (), ((one, one),), Axis("", 0, 1, (Tick(0, "0"), Tick(1, "1"))))
        >>> boxes = tuple(HeadBox(f"head{n}", "2", ("query", "head_size"), (1, 2), grid) for n in (1, 2))
        >>> joined = FlowNode("3", "joined", "concat", ("token", "model"), (1, 4), 2, 0.0, False)
        >>> print("\n".join(heads.text(Heads((), boxes, joined, None, None), 40)))
        head1   head2
        ████    ████
        query 1 × head_size 2
          ↓
        joined  token 1 × model 4
        <BLANKLINE>
        0 ░▒▓█ 1
        """
        arrow = f"  {ARROW if fine else ASCII_ARROW}"
        rows = [_step_row(node, width, fine, plain) for node in data.inputs]
        rows += [arrow] if rows else []
        rows += _head_rows(data.heads, width, fine, plain)
        rows += [arrow, _step_row(data.joined, width, fine, plain)]
        if data.result is not None:
            rows += [arrow, _step_row(data.result, width, fine, plain)]
        if data.weight is not None:
            rows.append(f"    {_step_row(data.weight, width - 4, fine, plain)}")
        first, last = (data.heads[0].weights.scale.ticks[place].text for place in (0, -1))
        shades = (SHADES if fine else ASCII_SHADES)[1:]
        return [*rows, "", f"{plain(first)} {shades} {plain(last)}"]


def heads_of(trace: Trace, under: str = "", labels: Labels | None = None) -> Figure:
    """The heads of the module that is named, or of the first one that has several: packed in one array with an axis
    `head`, or computed one by one and joined.

    >>> import workings as w
    >>> print(heads_of(w.scenario("hello-world").trace(), labels={"query": ("a", "b"), "key": ("a", "b")}).alternative)
    X goes into 2 heads. head1: query 2 × head_size 2, its largest attention weight is 0.5789, from a to a. head2: \
query 2 × head_size 2, its largest attention weight is 0.6475, from a to b. They are concatenated into joined: \
token 2 × head_size 4. The output projection with W_O: joined 4 × model 4 gives attended: token 2 × model 4.
    """
    joined, more = joining_step(trace, under)
    heads = list(heads_joined_by(trace, joined))
    drawn = heads[:MAX_HEADS]
    windows = [window_of(trace, one.weights, labels, most=(MAX_WORDS,) * 2, follow_convention=False) for one in drawn]
    scale = max((scale_of(window) for window in windows), key=lambda one: one.high)
    boxes = tuple(
        HeadBox(one.name, one.context.id, one.axes, one.shape, grid_of(window, scale))
        for one, window in zip(drawn, windows, strict=True)
    )
    weight, result = projected(trace.recording, joined)
    data = Heads(
        tuple(_node(step, 0, place) for place, step in enumerate(inputs_of(trace.recording, joined))),
        boxes,
        _node(joined, 2),
        None if weight is None else _node(weight, 3, at_side=True),
        None if result is None else _node(result, 3),
    )
    module = module_of(joined)
    title = f"The heads of {module}" if module else "Attention heads"
    note = joined_notes(windows[0].note, more, only_first(MAX_HEADS, len(heads)))
    return Figure("heads", title, data, _in_words(data, windows), note)


def _node(step: Step, row: int, place: int = 0, at_side: bool = False) -> FlowNode:
    form, leaf = step.form, step.leaf is not None
    return FlowNode(step.id, step.name, step.op_name, form.axes, form.shape, row, float(place), leaf, at_side)


def _in_words(data: Heads, windows: list[MatrixWindow]) -> str:
    names = ", ".join(node.name for node in data.inputs)
    sentences = [f"{names} goes into {len(data.heads)} heads."]
    for box, window in zip(data.heads, windows, strict=True):
        row, column, largest = _largest(window)
        weight = f"its largest attention weight is {largest.text}, from {row} to {column}"
        sentences.append(f"{box.name}: {shape_text(box.axes, box.shape)}, {weight}.")
    sentences.append(f"They are concatenated into {_sized(data.joined)}.")
    if data.weight is not None and data.result is not None:
        result = shape_text(data.result.axes, data.result.shape)
        sentences.append(f"The output projection with {_sized(data.weight)} gives {data.result.name}: {result}.")
    return " ".join(sentences)


def _sized(node: FlowNode) -> str:
    return f"{node.name}: {shape_text(node.axes, node.shape)}"


def _largest(window: MatrixWindow) -> tuple[str, str, Number]:
    row, column = divmod(largest_of(window.numbers) or 0, len(window.column_names))
    return window.row_names[row], window.column_names[column], window.rows[row][column]


class _HeadsDrawing:
    """`top` and `bottom` are where the heads begin and end; everything else is in the middle of them."""

    def __init__(self, figure: Figure, heads: Heads) -> None:
        self.figure, self.data = figure, heads
        lines = [line for box in heads.heads for line in (*_sizes(box), cut(box.name, MAX_NAME_CHARS))]
        self.box = max(MIN_HEAD, *(wide(line, TINY) + 10 for line in lines))
        count = len(heads.heads)
        self.width = max(count * (self.box + GAP) - GAP, self._widest())
        self.middle = self.width / 2
        self.top = BOX + LEVEL
        self.bottom = self.top + 18 + PICTURE + 12 * max(len(_sizes(box)) for box in heads.heads) + 8

    def _widest(self) -> float:
        """How wide it must be without the heads: a weight is at the right of the result, which is in the middle."""
        result, weight = self.data.result, self.data.weight
        inputs = len(self.data.inputs) * (max(map(_width, self.data.inputs), default=0.0) + BETWEEN)
        right = _width(result) / 2 if result is not None else 0.0
        right += TO_WEIGHT + _width(weight) if weight is not None else 0.0
        return max(inputs, _width(self.data.joined), 2 * right)

    def svg(self) -> str:
        parts = [*self._inputs(), *self._heads(), *self._below(), *self._key()]
        levels = 2 if self.data.result is not None else 1
        return sheet(self.figure, parts, self.width, self.bottom + levels * (LEVEL + BOX) + 26)

    def _center(self, place: int) -> float:
        count = len(self.data.heads)
        first = (self.width - (count * (self.box + GAP) - GAP)) / 2
        return first + place * (self.box + GAP) + self.box / 2

    def _inputs(self) -> Iterator[str]:
        """What goes in, side by side; each leads to every head."""
        nodes = self.data.inputs
        room = max((_width(node) for node in nodes), default=0.0) + BETWEEN
        for place, node in enumerate(nodes):
            x = self.middle + (place - (len(nodes) - 1) / 2) * room
            for head in range(len(self.data.heads)):
                yield from _way(x, BOX, self._center(head), self.top)
            yield from _step(node, x, 0.0)

    def _heads(self) -> Iterator[str]:
        for place, box in enumerate(self.data.heads):
            x = self._center(place)
            corner = {"x": x - self.box / 2, "y": self.top, "width": self.box, "height": self.bottom - self.top}
            yield element("rect", **corner, class_="paper", fill=COLORS["paper"], stroke=COLORS["ink"], rx=6)
            name = cut(box.name, MAX_NAME_CHARS)
            yield text(x, self.top + 13, name, "ink", SMALL, text_anchor="middle", font_weight="bold")
            yield from self._weights(box.weights, x, self.top + 18)
            for line, words in enumerate(_sizes(box)):
                y = self.top + 18 + PICTURE + 12 * (line + 1)
                yield text(x, y, words, "faint", TINY, text_anchor="middle")
            yield from _way(x, self.bottom, self._joined_at(place + 0.5), self.bottom + LEVEL)

    def _weights(self, grid: Grid, x: float, y: float) -> Iterator[str]:
        """Each weight as a small square."""
        rows, columns = len(grid.rows), len(grid.rows[0])
        side = min(PICTURE / rows, PICTURE / columns, 20.0)
        for row, numbers in enumerate(grid.rows):
            for column, one in enumerate(numbers):
                is_number = not isinstance(one.value, str)
                fill = hexadecimal(color(grid.scale, float(one.value))) if is_number else COLORS["paper"]
                place = {"x": x + (column - columns / 2) * side, "y": y + PICTURE / 2 + (row - rows / 2) * side}
                look: Attributes = {"class_": "cell" if is_number else "paper", "fill": fill, "stroke": CELL_EDGE}
                square = element("rect", **place, width=side, height=side, stroke_width=0.6, **look)
                yield pointed_at(one, square)

    def _joined_at(self, place: float) -> float:
        """Where the part of a head lies in what was joined."""
        room = _width(self.data.joined)
        return self.middle - room / 2 + room * place / len(self.data.heads)

    def _below(self) -> Iterator[str]:
        """What was joined, with a mark for each head, and what its weight makes of it."""
        y = self.bottom + LEVEL
        yield from _step(self.data.joined, self.middle, y)
        for place in range(1, len(self.data.heads)):
            x = self._joined_at(place)
            yield element("line", x1=x, y1=y, x2=x, y2=y + 4, class_="ink", stroke=COLORS["ink"])
        result, weight = self.data.result, self.data.weight
        if result is None:
            return
        below = y + BOX + LEVEL
        yield from _way(self.middle, y + BOX, self.middle, below)
        yield from _step(result, self.middle, below)
        if weight is not None:
            x = self.middle + _width(result) / 2 + TO_WEIGHT + _width(weight) / 2
            yield from _step(weight, x, below)
            start, end = x - _width(weight) / 2, self.middle + _width(result) / 2
            yield element("line", x1=start, y1=below + BOX / 2, x2=end + 6, y2=below + BOX / 2, **_line())
            yield element("path", d=f"M{end:.1f},{below + BOX / 2:.1f}l7,-4v8z", **_fill())

    def _key(self) -> Iterator[str]:
        """Which color means what."""
        scale, levels = self.data.heads[0].weights.scale, 2 if self.data.result is not None else 1
        x, y = self.middle - KEY_WIDTH / 2, self.bottom + levels * (LEVEL + BOX) + 6
        yield from color_key(scale, x, y, shades_of(scale, KEY_SHADES), KEY_WIDTH, KEY_HEIGHT)
        yield from key_ticks(scale, x, y + KEY_HEIGHT + 10, KEY_WIDTH, TINY)


def _sizes(box: HeadBox) -> list[str]:
    """The sizes of a head, one in each line."""
    return [f"{axis} {size}".strip() for axis, size in zip(box.axes, box.shape, strict=True)]


def _width(node: FlowNode) -> float:
    return max(wide(cut(node.name, MAX_NAME_CHARS)), wide(shape_text(node.axes, node.shape), SMALL)) + 16


def _step(node: FlowNode, x: float, y: float) -> Iterator[str]:
    """A box with the name and the sizes of a step."""
    look, fill = ("leaf", "#eef2f9") if node.leaf else ("paper", COLORS["paper"])
    frame: Attributes = {"x": x - _width(node) / 2, "y": y, "width": _width(node), "height": BOX, "rx": 6}
    yield element("rect", **frame, stroke=COLORS["ink"], class_=look, fill=fill)
    yield text(x, y + 16, cut(node.name, MAX_NAME_CHARS), "ink", SIZE, text_anchor="middle", font_weight="bold")
    yield text(x, y + 32, shape_text(node.axes, node.shape), "ink", SMALL, text_anchor="middle")


def _way(x: float, y: float, to_x: float, to_y: float) -> Iterator[str]:
    """An arrow down to the next level."""
    middle = (y + to_y) / 2
    path = f"M{x:.1f},{y:.1f}C{x:.1f},{middle:.1f} {to_x:.1f},{middle:.1f} {to_x:.1f},{to_y - 6:.1f}"
    yield element("path", d=path, fill="none", **_line())
    yield element("path", d=f"M{to_x:.1f},{to_y:.1f}l-4,-7h8z", **_fill())


def _line() -> Attributes:
    return {"class_": "faint", "stroke": COLORS["faint"], "stroke_width": 1.1}


def _fill() -> Attributes:
    return {"class_": "faint", "fill": COLORS["faint"]}


def _step_row(node: FlowNode, width: int, fine: bool, plain: Plain) -> str:
    name = fit(plain(node.name), width // 2, fine)
    shape = plain(shape_text(node.axes, node.shape))
    return f"{name}  {fit(shape, width - cell_len(name) - 2, fine)}".rstrip()


def _head_rows(boxes: tuple[HeadBox, ...], width: int, fine: bool, plain: Plain) -> Iterator[str]:
    """As many heads in a row as fit, and below them their sizes, once where all are alike."""
    signs = SHADES if fine else ASCII_SHADES
    blocks = [[fit(plain(box.name), MAX_TEXT_CHARS, fine), *_shades(box.weights, signs)] for box in boxes]
    wide = max(cell_len(row) for block in blocks for row in block)
    wide = min(wide, width)
    in_row = max((width + TEXT_GAP) // (wide + TEXT_GAP), 1)
    alike = len({(box.axes, box.shape) for box in boxes}) == 1
    for first in range(0, len(blocks), in_row):
        part = blocks[first : first + in_row]
        for row in range(max(map(len, part))):
            cells = (padded(block[row] if row < len(block) else "", wide, fine) for block in part)
            yield (" " * TEXT_GAP).join(cells).rstrip()
        if not alike or first + in_row >= len(blocks):
            for box in boxes[first : first + (1 if alike else in_row)]:
                name = "" if alike else f"{plain(box.name)}  "
                yield fit(f"{name}{plain(shape_text(box.axes, box.shape))}", width, fine)


def _shades(grid: Grid, signs: str) -> Iterator[str]:
    wide = 2 if len(grid.rows[0]) <= 8 else 1
    for row in grid.rows:
        yield "".join(shade(grid.scale, one, signs) * wide for one in row)


heads = HeadsPage()
