"""Attention as lines between words: from every row of a matrix to every column, the thicker the larger the entry."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ..document.blocks import Figure, Index, Number
from ..document.monospace import Plain
from ..document.numbers import aligned
from ..engine.errors import CallError
from ..explain.step_view import StepView
from ..explain.trace import Trace
from .parts.axes import Axis
from .parts.colors import strength
from .parts.grid import Grid, grid_of, scale_of
from .parts.matrix_window import Labels, MatrixWindow, window_of
from .parts.numbers import can_be_drawn, joined_notes, largest_of, not_drawn
from .parts.options import LabelOptions
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import COLORS, SIZE, SMALL, cut, element, number, pointed_at, sheet, text, wide
from .parts.text_labels import fit, margin_of, padded

MAX_WORDS = 16  # on each side
MAX_LINES_IN_WORDS = 6  # of a row; of more, only the strongest
# Of the SVG:
ROW = 34.0  # from word to word
BETWEEN = 240.0  # the two sides
MAX_LABEL_CHARS = 20
MIN_WIDTH, MAX_WIDTH = 0.7, 9.0  # of a line
MIN_OPACITY = 0.3  # of the weakest line
DOT = 3.0
# Of the text:
MAX_ARROW = 32  # columns
MAX_END_CHARS = 14  # of the word at its end
MAX_ARROWS = 8  # of a row that are all drawn; of more, those that are longer than a head
HEAD_CHARS = 2  # of an arrow that is only a head
ABOVE, BELOW, HEAD = "━", "╌", "▶"  # a line above 0, one below 0
ASCII_ABOVE, ASCII_BELOW, ASCII_HEAD = "=", "-", ">"


class LinksPage(StepFigurePage[Grid, LabelOptions]):
    """`links` draws attention weights as lines between words: each line leads from a query to a key, and the larger the
    weight the thicker the line. In a terminal, the arrows grow longer instead. Any matrix can be drawn:
    `links:head2.weights`, `links:weights[1]`.
    """

    name = "links"
    summary = "attention weights as lines between words: the larger, the thicker"
    data = Grid
    options = LabelOptions
    example = FigureExample("cat-sat", "weights")

    def build(self, step: ShownStep, options: LabelOptions) -> Figure:
        return links_of(step.view.trace, step.view, step.labels_with(options.labels), step.index)

    def svg(self, figure: Figure, data: Grid) -> str:
        """Rows at the left, columns at the right. Next to a row are the end and the number of its strongest line."""
        return _LinksDrawing(figure, data).svg()

    def text(self, data: Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""Row by row, an arrow to the word of each column, and the number; of many, those that can be seen as arrows.

        >>> numbers = tuple(Number(str(value), value, "1", (0, n)) for n, value in enumerate((0.25, 0.75)))
        >>> grid = Grid("1", "query", "key", ("cat",), ("The", "cat"), (numbers,), Axis("", 0, 1, ()))
        >>> print("\n".join(links.text(grid, 30)))
        query → key
        cat  ━━━━▶ The            0.25
             ━━━━━━━━━━▶ cat      0.75
        """
        ends = [fit(plain(name), MAX_END_CHARS, fine) for name in data.column_labels]
        margin = margin_of(data.row_labels, width, plain)
        texts = aligned([plain(one.text) for row in data.rows for one in row])
        numbers = iter(texts)
        taken = margin + 2 + 2 + max(map(cell_len, ends)) + 2 + max(map(cell_len, texts))
        room = max(min(MAX_ARROW, width - taken), 4)
        column = width if taken + room > width else taken + room
        axes = " → ".join(axis for axis in (data.rows_are, data.columns_are) if axis)
        rows = [fit(plain(axes), width, fine)] if axes else []
        for start, row in zip(data.row_labels, data.rows, strict=True):
            label, is_whole = padded(plain(start), margin, fine), True
            for place, one in enumerate(row):
                arrow, value = _arrow(data.scale, one, room, fine), next(numbers)
                if len(row) > MAX_ARROWS and len(arrow) <= HEAD_CHARS:
                    is_whole = False
                    continue
                line = f"{label}  {arrow}{ends[place]}"
                gap = " " * max(column - cell_len(line) - cell_len(value), 1)
                rows.append(f"{line}{gap}{value}".rstrip())
                label = " " * margin
            rows += [] if is_whole else [f"{label}  {plain('…')}"]
        return rows


def links_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """The entries of a matrix as lines, from the word of a row to that of a column.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> print(links_of(trace, "weights", {"query": ("A", "B"), "key": ("A", "B")}).alternative)
    From A to A 0.5018, B 0.4982. From B to A 0.4982, B 0.5018.
    """
    view = trace[step] if isinstance(step, str) else step
    if len(view.shape) < 2:
        raise CallError(
            f"{view.form!s} has no rows and columns to draw lines between.",
            hint="Choose a matrix, such as the attention weights.",
            where=view.path,
        )
    window = window_of(trace, view, labels, at, most=(MAX_WORDS, MAX_WORDS), follow_convention=False)
    title = f"{window.title} as lines"
    return Figure("links", title, grid_of(window, scale_of(window), named=True), _in_words(window), _note(window))


def _in_words(window: MatrixWindow) -> str:
    sentences = []
    for name, row in zip(window.row_names, window.rows, strict=True):
        lines = [(column, one) for column, one in zip(window.column_names, row, strict=True) if can_be_drawn(one)]
        if not lines:
            sentences.append(f"No line starts at {name}.")
        elif len(row) > MAX_LINES_IN_WORDS:
            place = largest_of(row) or 0
            sentences.append(
                f"The strongest line from {name} leads to {window.column_names[place]}: {row[place].text}."
            )
        else:
            ends = ", ".join(f"{column} {one.text}" for column, one in lines)
            sentences.append(f"From {name} to {ends}.")
    return " ".join(sentences)


def _note(window: MatrixWindow) -> str:
    negative = "A dashed line is a negative number." if min(window.finite()) < 0 else ""
    return joined_notes(window.note, not_drawn(len(window.numbers) - len(window.finite())), negative)


class _LinksDrawing:
    """`start` and `end` are where the lines begin and end; the shorter side is in the middle of the longer one."""

    def __init__(self, figure: Figure, grid: Grid) -> None:
        self.figure, self.grid = figure, grid
        self.left = [cut(label, MAX_LABEL_CHARS) for label in grid.row_labels]
        self.right = [cut(label, MAX_LABEL_CHARS) for label in grid.column_labels]
        self.strongest = [largest_of(row) for row in grid.rows]
        found = [(place, row[place]) for place, row in zip(self.strongest, grid.rows, strict=True) if place is not None]
        self.numbers = max((wide(one.text, SMALL) for _, one in found), default=0.0)
        ends = max((wide(self.right[place], SMALL) for place, _ in found), default=0.0)
        self.words = max(*map(wide, self.left), wide(grid.rows_are, SMALL))
        self.start = self.words + 14 + ends + 4 + self.numbers + 10
        self.end = self.start + BETWEEN
        self.height = ROW * max(len(self.left), len(self.right)) + 22

    def svg(self) -> str:
        width = self.end + 10 + max(*map(wide, self.right), wide(self.grid.columns_are, SMALL))
        return sheet(self.figure, [*self._words(), *self._rows()], width, self.height)

    def _y(self, place: int, count: int) -> float:
        return 22 + (self.height - 22 - ROW * count) / 2 + ROW * (place + 0.5)

    def _words(self) -> Iterator[str]:
        if self.grid.rows_are:
            yield text(self.words, SMALL, self.grid.rows_are, "faint", SMALL, text_anchor="end")
        if self.grid.columns_are:
            yield text(self.end + 10, SMALL, self.grid.columns_are, "faint", SMALL)
        for place, label in enumerate(self.right):
            y = self._y(place, len(self.right))
            yield self._dot(self.end, y)
            yield text(self.end + 10, y + SIZE * 0.35, label)

    def _strongest(self, place: int, one: Number, y: float) -> Iterator[str]:
        x = self.start - 10
        yield number(x, y, one, "ink", SMALL, text_anchor="end")
        yield text(x - self.numbers - 4, y, self.right[place], "faint", SMALL, text_anchor="end")

    def _dot(self, x: float, y: float) -> str:
        return element("circle", cx=x, cy=y, r=DOT, class_="ink", fill=COLORS["ink"])

    def _rows(self) -> Iterator[str]:
        """Each query with its lines: a page may highlight them."""
        for row, (label, strongest) in enumerate(zip(self.left, self.strongest, strict=True)):
            y = self._y(row, len(self.left))
            parts = [*self._lines(row), text(self.words, y + SIZE * 0.35, label, text_anchor="end")]
            if strongest is not None:
                parts += self._strongest(strongest, self.grid.rows[row][strongest], y + SMALL * 0.35)
            yield element("g", "".join([*parts, self._dot(self.start, y)]), class_="row")

    def _lines(self, row: int) -> Iterator[str]:
        """The strongest last, so that no weak one lies over it."""
        found = [
            (strength(self.grid.scale, one.value), one, column)
            for column, one in enumerate(self.grid.rows[row])
            if not isinstance(one.value, str)
        ]
        for fraction, one, column in sorted(found, key=lambda line: abs(line[0])):
            if fraction:
                yield self._line(fraction, one, self._y(row, len(self.left)), self._y(column, len(self.right)))

    def _line(self, fraction: float, one: Number, y: float, to_y: float) -> str:
        size = abs(fraction)
        middle = (self.start + self.end) / 2
        path = element(
            "path",
            d=f"M{self.start:.1f},{y:.1f}C{middle:.1f},{y:.1f} {middle:.1f},{to_y:.1f} {self.end:.1f},{to_y:.1f}",
            fill="none",
            class_="accent",
            stroke=COLORS["accent"],
            stroke_width=MIN_WIDTH + (MAX_WIDTH - MIN_WIDTH) * size,
            stroke_opacity=MIN_OPACITY + (1 - MIN_OPACITY) * size,
            stroke_dasharray="7 4" if fraction < 0 else None,
        )
        return pointed_at(one, path)


def _arrow(scale: Axis, one: Number, room: int, fine: bool) -> str:
    """As long as the number is large; one that is 0, or that is no number, has no arrow."""
    fraction = 0.0 if isinstance(one.value, str) else strength(scale, one.value)
    if not fraction:
        return ""
    above, below, head = (ABOVE, BELOW, HEAD) if fine else (ASCII_ABOVE, ASCII_BELOW, ASCII_HEAD)
    return (above if fraction > 0 else below) * round(abs(fraction) * room) + head + " "


links = LinksPage()
