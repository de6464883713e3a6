"""Several heads of attention as a diagram: what goes in, each head with its weights, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ..document.blocks import Figure, Number
from ..document.monospace import Plain, shape_text
from ..engine.steps import Step
from ..explain.trace import Trace
from .parts.attention_boxes import HeadBox, Heads, strongest_in
from .parts.attention_heads import heads_joined_by, inputs_of, joining_step, module_of, projected
from .parts.flow_chart import ARROW, ASCII_ARROW, FlowNode
from .parts.grid import Grid, grid_of, scale_of
from .parts.heads_drawing import HeadsDrawing
from .parts.matrix_cells import ASCII_SHADES, SHADES, shade
from .parts.matrix_window import Labels, MatrixWindow, window_of
from .parts.numbers import joined_notes, only_first
from .parts.options import NoOptions
from .parts.page import FigureExample, FigureRequest, RunFigurePage
from .parts.text_labels import fit, padded

MAX_HEADS = 16
MAX_WORDS = 12  # rows and columns of the weights of a head
# Of the text:
TEXT_GAP = 3  # columns between heads
MAX_TEXT_CHARS = 16  # of the name of a head


class HeadsPage(RunFigurePage[Heads, NoOptions]):
    """`heads` shows the attention heads of a module side by side, each with its attention weights as a heatmap, and
    below it what it attends to most. They may be computed together, or have matrices of their own.
    `heads:block2.attention` names a module; otherwise the first one with several heads is drawn.
    """

    name = "heads"
    summary = "attention heads side by side, each with its attention weights"
    data = Heads
    example = FigureExample("cat-sat-encoder")

    def build(self, request: FigureRequest, options: NoOptions) -> Figure:
        return heads_of(request.trace, request.names[0] if request.names else "", request.labels)

    def svg(self, figure: Figure, data: Heads) -> str:
        """The largest attention weight of each head has a frame."""
        return HeadsDrawing(figure, data).svg()

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
    row, column = strongest_in(window.rows)
    return window.row_names[row], window.column_names[column], window.rows[row][column]


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
