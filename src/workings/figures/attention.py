"""One row of attention: the scores of a query, its attention weights, and the values that they weigh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from ..document.blocks import Figure, Index, Number, Words, plain_text
from ..document.monospace import Plain, derived_rows
from ..document.numbers import aligned
from ..explain.step_view import StepView
from .parts.attention_row import AttendedKey, AttentionRow, QueryRow
from .parts.drawn import (
    CELL_HEIGHT,
    GAP_SIGN,
    Box,
    area_look,
    arrow_to,
    broken_line,
    corners,
    line_look,
    number_width,
    span_line,
    words_at,
)
from .parts.matrix_window import Labels
from .parts.options import WORDS, OptionType, option
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import COLORS, SIZE, TITLE, Attributes, element, number, pointed_at, sheet, wide
from .parts.text_labels import fit, margin_of, padded

WIDTH = 576.0
ROW = 40.0  # from key to key
TOP = 44.0  # for the names of the columns
FAN, GAP, TIMES = 36.0, 18.0, 16.0  # between query and keys, before a column, for a multiplication sign
BAR = 64.0  # of a weight of 1
BAR_HEIGHT = 16.0
MIN_CHIP = 46.0
MIN_LINE, MAX_LINE = 0.8, 7.0  # width of a line from the query to a key
BELOW, LINE = 44.0, 21.0  # from the context vector to the arithmetic; of a line of it
INDENT = 14.0  # of a line of it that goes on
MAX_TEXT_BAR = 12  # columns
BLOCK, ASCII_BLOCK = "█", "#"

TOKEN = OptionType("a token, or its place counted from 0", "1", str)


@dataclass(frozen=True)
class AttentionOptions:
    token: str = option(TOKEN, "Whose row is drawn; the last token, unless you name one.", "")
    labels: tuple[str, ...] = option(WORDS, "Labels for the queries.", ())


class AttentionPage(StepFigurePage[AttentionRow, AttentionOptions]):
    """`attention` follows one token through attention: the scores of its query with every key, the attention weights
    that the softmax makes of them, and the context vector, which is the sum of the value vectors, each times its
    weight. `attention:head2.weights` is the row of another head.
    """

    name = "attention"
    summary = "one row of attention, from the scores of a token to its context vector"
    data = AttentionRow
    options = AttentionOptions
    example = FigureExample("cat-sat", "weights")

    def build(self, step: ShownStep, options: AttentionOptions) -> Figure:
        return attention_of(step.view, step.labels_with(options.labels), step.index, options.token)

    def svg(self, figure: Figure, data: AttentionRow) -> str:
        """A line for each key. The larger its weight, the thicker its line, and the darker its value vector."""
        return _AttentionDrawing(figure, data).svg()

    def text(self, data: AttentionRow, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """A row for each key; where there is no room, the numbers of a key below its word."""
        table = _table(data, width, fine, plain)
        rows = table if max(map(cell_len, table)) <= width else list(_stacked(data, width, fine, plain))
        return [*rows, "", *(plain(row) for row in derived_rows(data.line, width))]


def attention_of(view: StepView, labels: Labels | None = None, at: Index = (), token: str = "") -> Figure:
    """The row of one token in a step of attention weights.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace()
    >>> figure = attention_of(trace["weights"], trace.labels(trace["weights"]), token="cat")
    >>> print(figure.alternative.partition(" The con")[0])
    cat attends to The with 0.2504, cat with 0.5368, sat with 0.2128.
    """
    row = QueryRow(view, labels or {}, at, token)
    data = row.data()
    return Figure("attention", f"What {data.query} attends to", data, _in_words(data), row.note)


def _in_words(data: AttentionRow) -> str:
    keys = ", ".join(f"{key.word} with {key.weight.text}" for key in data.keys)
    numbers = ", ".join(one.text for one in data.context)
    return (
        f"{data.query} attends to {keys}. The context vector of {data.query} is the sum of the value vectors, each "
        f"times its attention weight: {numbers}{', …' if data.more else ''}."
    )


# -- as SVG ----------------------------------------------------------------------------------------------


class _AttentionDrawing:
    """`keys_at`, `scores_at`, `bars_at` and `values_at` are the left edges of the columns."""

    def __init__(self, figure: Figure, data: AttentionRow) -> None:
        self.figure, self.data = figure, data
        keys = data.keys
        self.query = max(MIN_CHIP, wide(data.query) + 18)
        self.chip = max(MIN_CHIP, *(wide(key.word) + 18 for key in keys))
        self.keys_at = self.query + FAN
        self.scores_at, x = [], self.keys_at + self.chip + GAP
        self.score_cells = []
        for place, column in enumerate(data.columns):
            cell = max(number_width(key.scores[place].text) for key in keys)
            cell = max(cell, wide(column.name), wide(column.how))
            self.scores_at.append(x)
            self.score_cells.append(cell)
            x += cell + GAP
        self.bars_at = x
        self.weight = max(number_width(key.weight.text) for key in keys)
        self.values_at = x + BAR + self.weight + TIMES
        rows = [*(key.value for key in keys), data.context]
        self.cells = [max(number_width(one.text) for one in column) for column in zip(*rows, strict=True)]
        room = WIDTH - self.values_at
        if data.more or sum(self.cells) > room:
            while len(self.cells) > 1 and sum(self.cells) + 18 > room:
                self.cells.pop()
        self.more = data.more or len(self.cells) < len(data.context)
        self.values_end = self.values_at + sum(self.cells)
        self.right = self.values_end + (18.0 if self.more else 0.0)
        self.sum_at = TOP + ROW * len(keys) + 14
        self.equals = wide(plain_text(data.line.left)) + 4
        forms = *data.line.forms, (data.line.value,)
        self.lines = [
            spans if part else (Words("= "), *spans)
            for form in forms
            for part, spans in enumerate(broken_line(form, WIDTH - self.equals - INDENT))
        ]

    def svg(self) -> str:
        parts = [*self._heads(), *self._query()]
        for place, key in enumerate(self.data.keys):
            inside = "".join(self._key(key, TOP + ROW * place))
            parts.append(element("g", inside, class_="row"))
        parts += [*self._context(), *self._arithmetic()]
        height = self.sum_at + CELL_HEIGHT + BELOW + LINE * len(self.lines) - 16
        return sheet(self.figure, parts, max(self.right, WIDTH * 0.6), height)

    def _heads(self) -> Iterator[str]:
        """The name of each column, and below it how it is computed."""
        heads = [
            (self.query / 2, "query", "", "query"),
            (self.keys_at + self.chip / 2, "keys", "", "key"),
            *(
                (x + cell / 2, column.name, column.how, "ink")
                for x, cell, column in zip(self.scores_at, self.score_cells, self.data.columns, strict=True)
            ),
            (self.bars_at + (BAR + self.weight) / 2, self.data.weights, "softmax", "ink"),
            ((self.values_at + self.values_end) / 2, self.data.values, "value vectors", "value"),
        ]
        for x, name, how, role in heads:
            yield words_at(x, 7, name, role, TITLE, font_weight="bold")
            if how:
                yield words_at(x, 25, how, "faint")

    def _query(self) -> Iterator[str]:
        center = TOP + ROW * len(self.data.keys) / 2
        box = Box(0, center - 16, self.query, 32)
        yield element("rect", **corners(box), rx=16, **area_look("query"))
        yield words_at(box.middle, box.center, self.data.query, "ink", SIZE, font_weight="bold")

    def _key(self, key: AttendedKey, y: float) -> Iterator[str]:
        middle = y + ROW / 2
        yield self._line_to(key, middle)
        box = Box(self.keys_at, middle - 13, self.chip, 26)
        yield element("rect", **corners(box), rx=13, **area_look("key"))
        weight = "bold" if key.is_strongest else None
        yield words_at(box.middle, middle, key.word, "ink", SIZE, font_weight=weight)
        ends = [*self.scores_at, self.bars_at]
        for place, one in enumerate(key.scores):
            x, cell = self.scores_at[place], self.score_cells[place]
            yield number(x + cell / 2, middle + SIZE * 0.35, one, "ink", SIZE, text_anchor="middle")
            yield from arrow_to(ends[place] + cell + 2, middle, ends[place + 1] - 3, middle, "faint")
        yield from self._bar(key, middle)
        yield words_at(self.values_at - TIMES / 2, middle, "×", "ink", TITLE)
        for column, one in enumerate(key.value[: len(self.cells)]):
            yield self._value(one, float(key.weight.value), column, middle)
        if self.more:
            yield words_at(self.values_end + 9, middle, GAP_SIGN, "faint")

    def _line_to(self, key: AttendedKey, y: float) -> str:
        """From the query to a key; a key that is hidden has none."""
        weight = float(key.weight.value)
        start, end, center = self.query, self.keys_at, TOP + ROW * len(self.data.keys) / 2
        bend = (start + end) / 2
        path = f"M{start:.1f},{center:.1f}C{bend:.1f},{center:.1f} {bend:.1f},{y:.1f} {end:.1f},{y:.1f}"
        look = line_look("query", MIN_LINE + (MAX_LINE - MIN_LINE) * weight)
        hidden = "2 4" if weight == 0 else None
        return element("path", d=path, **look, stroke_dasharray=hidden, stroke_opacity=0.35 + 0.65 * weight)

    def _bar(self, key: AttendedKey, middle: float) -> Iterator[str]:
        """A bar in a frame that is as long as a weight of 1, and its number."""
        frame: Attributes = {"class_": "paper edge", "fill": COLORS["paper"], "stroke": "#c9ccd3"}
        y = middle - BAR_HEIGHT / 2
        rect = element("rect", x=self.bars_at, y=y, width=BAR, height=BAR_HEIGHT, rx=3, **frame)
        length = BAR * max(0.0, min(float(key.weight.value), 1.0))
        if length:
            look: Attributes = {"class_": "accent", "fill": COLORS["accent"]}
            rect += element(
                "rect", x=self.bars_at, y=y, width=length, height=BAR_HEIGHT, rx=min(3.0, length / 2), **look
            )
        yield pointed_at(key.weight, rect)
        weight = "bold" if key.is_strongest else None
        x, y = self.bars_at + BAR + self.weight - 4, middle + SIZE * 0.35
        yield number(x, y, key.weight, "ink", SIZE, text_anchor="end", font_weight=weight)

    def _value(self, one: Number, weight: float, column: int, middle: float) -> str:
        """A cell that is tinted as much as its key weighs."""
        box = self._cell(column, middle - CELL_HEIGHT / 2)
        paper: Attributes = {"class_": "paper", "fill": COLORS["paper"]}
        ground = element("rect", **corners(box), **paper)
        tint = element("rect", **corners(box), **area_look("value"), fill_opacity=min(1.0, max(weight, 0.0)))
        place = box.middle, box.center + SIZE * 0.35
        return ground + tint + number(*place, one, "ink", SIZE, text_anchor="middle")

    def _cell(self, column: int, y: float) -> Box:
        return Box(self.values_at + sum(self.cells[:column]), y, self.cells[column], CELL_HEIGHT)

    def _context(self) -> Iterator[str]:
        """The sum below the value vectors."""
        y = self.sum_at
        right = self.values_end
        line: Attributes = {"class_": "ink", "stroke": COLORS["ink"], "stroke_width": 1.4}
        yield element("line", x1=self.values_at - TIMES, y1=y - 8, x2=right, y2=y - 8, **line)
        words = f"{self.data.context_name} of {self.data.query}"
        yield words_at(
            self.values_at - TIMES - 6, y + CELL_HEIGHT / 2, words, "ink", TITLE, text_anchor="end", font_weight="bold"
        )
        yield words_at(self.values_at - TIMES / 2, y + CELL_HEIGHT / 2, "=", "ink", TITLE)
        for column, one in enumerate(self.data.context[: len(self.cells)]):
            box = self._cell(column, y)
            yield element("rect", **corners(box), **area_look("activation"))
            place = box.middle, box.center + SIZE * 0.35
            yield number(*place, one, "ink", SIZE, text_anchor="middle", font_weight="bold")
        if self.more:
            yield words_at(right + 9, y + CELL_HEIGHT / 2, GAP_SIGN, "faint")

    def _arithmetic(self) -> Iterator[str]:
        """The first entry of the context vector."""
        y = self.sum_at + CELL_HEIGHT + BELOW - 4
        yield span_line(self.equals - 4, y, self.data.line.left, text_anchor="end")
        for place, spans in enumerate(self.lines):
            x = self.equals + (0 if plain_text(spans).startswith("=") else INDENT)
            bold = "bold" if place == len(self.lines) - 1 else None
            yield span_line(x, y + LINE * place, spans, _roles(self.data), font_weight=bold)


def _roles(data: AttentionRow) -> dict[str, str]:
    """The hue of a number in the arithmetic."""
    return {one.step: "value" for key in data.keys for one in key.value}


# -- as text ---------------------------------------------------------------------------------------------


def _table(data: AttentionRow, width: int, fine: bool, plain: Plain) -> list[str]:
    """A row for each key, and the sum below the value vectors."""
    keys = data.keys
    words = [plain(key.word) for key in keys]
    margin = margin_of(["keys", *words], width, plain)
    columns = [aligned([plain(key.scores[place].text) for key in keys]) for place in range(len(data.columns))]
    columns.append(aligned([plain(key.weight.text) for key in keys]))
    names = [*(plain(column.name) for column in data.columns), plain(data.weights)]
    rows = [padded("keys", margin, fine)] + [padded(word, margin, fine) for word in words]
    for name, column in zip(names, columns, strict=True):
        room = max(cell_len(name), *map(cell_len, column))
        rows = [f"{row}  {cell:>{room}}" for row, cell in zip(rows, [name, *column], strict=True)]
    bars = ["", *(_bar(key.weight, fine) for key in keys)]
    rows = [f"{row}  {padded(bar, MAX_TEXT_BAR, fine)}" for row, bar in zip(rows, bars, strict=True)]
    start = cell_len(rows[0])
    rows[0] = f"{rows[0]}  {plain(data.values)}"
    values = [
        aligned([plain(one.text) for one in column])
        for column in zip(*(key.value for key in keys), data.context, strict=True)
    ]
    dots = ("  …" if fine else "  ...") if data.more else ""
    lines = ["  ".join(cells) + dots for cells in zip(*values, strict=True)]
    rows = [rows[0], *(f"{row}  {line}" for row, line in zip(rows[1:], lines, strict=False))]
    total = fit(plain(f"{data.context_name} of {data.query}"), start, fine)
    return [row.rstrip() for row in (*rows, f"{' ' * (start - cell_len(total))}{total}  {lines[-1]}")]


def _bar(weight: Number, fine: bool) -> str:
    return (BLOCK if fine else ASCII_BLOCK) * round(MAX_TEXT_BAR * max(0.0, min(float(weight.value), 1.0)))


def _stacked(data: AttentionRow, width: int, fine: bool, plain: Plain) -> Iterator[str]:
    """A few lines for each key."""
    arrow, dots = (" → ", "  …") if fine else (" -> ", "  ...")
    for key in data.keys:
        yield fit(plain(key.word), width, fine)
        numbers = [*zip((column.name for column in data.columns), key.scores, strict=True), (data.weights, key.weight)]
        line = ""
        for name, one in numbers:
            part = plain(f"{name} {one.text}")
            if line and cell_len(line + arrow + part) > width - 2:
                yield fit(f"  {line}", width, fine)
                line = ""
            line = f"{line}{arrow}{part}" if line else part
        yield fit(f"  {line}", width, fine)
        yield _listed(data.values, key.value, width, fine, plain) + (dots if data.more else "")
    yield _listed(f"{data.context_name} of {data.query}", data.context, width, fine, plain)


def _listed(name: str, numbers: tuple[Number, ...], width: int, fine: bool, plain: Plain) -> str:
    return fit(plain(f"  {name}  " + "  ".join(one.text for one in numbers)), width - 5, fine)


attention = AttentionPage()
