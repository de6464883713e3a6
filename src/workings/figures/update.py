"""One update of a weight: the old matrix, minus the learning rate times its gradient, and what that changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len

from ..document.blocks import DerivedLine, Figure, Spans, Words, plain_text
from ..document.monospace import Plain, derived_rows
from ..explain.step_view import StepView
from .parts.drawn import Box, arrow_to, broken_line, corners, heading, heading_width, span_line
from .parts.matrix_part import MatrixPart
from .parts.matrix_window import Labels
from .parts.options import NoOptions
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import COLORS, SIZE, TITLE, Attributes, element, number, pointed_at, sheet, text, wide
from .parts.text_labels import fit
from .parts.text_matrix import text_matrix
from .parts.weight_update import ForwardResult, WeightUpdate, update_data, update_note

WIDTH = 576.0
HEAD, BETWEEN = 26.0, 22.0  # from the name of a matrix to its cells, and from a matrix to the next name
PANEL, PANEL_GAP, PANEL_HEIGHT = 152.0, 26.0, 96.0
BAR_HEIGHT = 10.0
BELOW, LINE, INDENT = 46.0, 21.0, 14.0  # of the arithmetic
BEFORE, AFTER = "before the update", "after the update"


class UpdatePage(StepFigurePage[WeightUpdate, NoOptions]):
    """An update shows how one training step changes a weight: the old matrix, minus the learning rate times its
    gradient, gives the new one. Beside it are the loss and the probability of the target with the old weight, and with
    the new one where the run goes on. With Adam and other optimizers, the gradient is replaced by their direction.
    """

    name = "update"
    summary = "one training step of a weight, with the loss before and after it"
    data = WeightUpdate
    options = NoOptions
    example = FigureExample("example-2", "step1.W_vocab_new", "after")

    def build(self, step: ShownStep, options: NoOptions) -> Figure:
        return update_of(step.view, step.labels)

    def svg(self, figure: Figure, data: WeightUpdate) -> str:
        """As on paper, entry below entry. The entry with the largest gradient is highlighted."""
        return _UpdateDrawing(figure, data).svg()

    def text(self, data: WeightUpdate, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """The three matrices one below the other."""
        minus, times = ("−", "×") if fine else ("-", "*")
        rows: list[str] = []
        signs = "", f"{minus} {data.rate.text} {times} ", "= "
        for sign, part in zip(signs, (data.weight, data.gradient, data.new), strict=True):
            rows += [""] if rows else []
            rows.append(fit(plain(f"{sign}{part.name}  {part.shape}"), width, fine))
            lit = {(data.row, data.column)}
            rows += text_matrix(part.rows, part.row_labels, part.column_labels, lit, plain, fine).lines_within(width)
        for line in data.lines:
            rows += ["", *(plain(row) for row in derived_rows(line, width))]
        results = [(BEFORE, data.before), (AFTER, data.after)]
        rows += [""] if data.before or data.after else []
        for name, result in results:
            if result is not None:
                words = plain(f"{name}: {_said(result)}")
                rows += [words] if cell_len(words) <= width else [fit(plain(f"{name}:"), width, fine)]
                if cell_len(words) > width:
                    rows += [fit(f"  {plain(part)}", width, fine) for part in _said(result).split(", ")]
        return rows


def update_of(view: StepView, labels: Labels | None = None) -> Figure:
    """The update of a weight, or a step that is one.

    >>> import workings as w
    >>> figure = update_of(w.scenario("example-2").trace("after")["step1.W_vocab_new"])
    >>> print(figure.alternative.partition(" Before")[2])
     the update: loss 1.384, P(C) 0.2506. After the update: loss 1.383, P(C) 0.2507.
    """
    data = update_data(view, labels or {})
    names = data.weight.name, data.gradient.name, data.new.name
    title = f"{names[2]} = {names[0]} − {data.rate.text} × {names[1]}"
    return Figure("update", title, data, _in_words(data), update_note(view, data))


def _in_words(data: WeightUpdate) -> str:
    old, slope, new = data.changes
    parts = [
        f"Each entry of {data.new.name} is that of {data.weight.name} minus {data.rate.text} times that of "
        f"{data.gradient.name}. The entry that changes most goes from {old.text} to {new.text}, because "
        f"{'its gradient' if data.gradient.role == 'gradient' else f'that of {data.gradient.name}'} is {slope.text}."
    ]
    results = (("Before the update", data.before), ("After the update", data.after))
    parts += [f"{name}: {_said(result)}." for name, result in results if result is not None]
    return " ".join(parts)


def _said(result: ForwardResult) -> str:
    if result.probability is None:
        return f"loss {result.loss.text}"
    return f"loss {result.loss.text}, P({result.target}) {result.probability.text}"


# -- as SVG ----------------------------------------------------------------------------------------------


class _UpdateDrawing:
    """`tops` are where the cells of the three matrices begin."""

    def __init__(self, figure: Figure, data: WeightUpdate) -> None:
        self.figure, self.data = figure, data
        parts = data.weight, data.gradient, data.new
        lit = frozenset([(data.row, data.column)])
        matrices = [part.cells(lit) for part in parts]
        cell = max(matrix.cell_width for matrix in matrices)
        self.matrices = [replace(matrix, cell=cell) for matrix in matrices]
        self.matrices[1:] = [replace(matrix, column_labels=()) for matrix in self.matrices[1:]]
        self.sign = wide(f"− {data.rate.text} ×", TITLE) + 16
        self.x = self.sign + max(matrix.labels_width for matrix in self.matrices)
        y, self.tops = 0.0, list[float]()
        for matrix in self.matrices:
            y += HEAD + matrix.labels_height
            self.tops.append(y)
            y += matrix.height + BETWEEN
        self.bottom = y - BETWEEN
        names = max(heading_width(part.name, part.shape if not place else "") for place, part in enumerate(parts))
        self.matrix_right = self.x + max(matrix.width for matrix in self.matrices)
        self.panel_at = max(self.matrix_right, self.x + names) + PANEL_GAP
        self.equals = max(wide(plain_text(line.left)) for line in data.lines) + 4
        self.lines = [row for line in data.lines for row in _lines_of(line, WIDTH - self.equals - INDENT)]

    def svg(self) -> str:
        parts = [*self._matrices(), *self._signs(), *self._results(), *self._arithmetic()]
        right = self.panel_at + PANEL if self.data.before else self.matrix_right
        widths = [right, *(self.equals + wide(plain_text(spans)) for _, spans in self.lines)]
        height = self.bottom + BELOW + LINE * (len(self.lines) - 1) + 6
        return sheet(self.figure, parts, max(widths), height)

    def _matrices(self) -> Iterator[str]:
        for part, matrix, y in zip(self._parts(), self.matrices, self.tops, strict=True):
            yield heading(
                self.x,
                y - matrix.labels_height - 14,
                part.name,
                part.shape if matrix is self.matrices[0] else "",
                part.role,
            )
            yield from matrix.draw(self.x, y)

    def _parts(self) -> Sequence[MatrixPart]:
        return self.data.weight, self.data.gradient, self.data.new

    def _signs(self) -> Iterator[str]:
        """Before the second matrix and the third one, and a line between them."""
        center = self._box(1).center + TITLE * 0.35
        yield text(0, center, "−", "ink", TITLE, font_weight="bold")
        yield number(18, center, self.data.rate, "ink", TITLE, font_weight="bold")
        yield text(18 + wide(self.data.rate.text, TITLE) + 4, center, "×", "ink", TITLE, font_weight="bold")
        line: Attributes = {"class_": "ink", "stroke": COLORS["ink"], "stroke_width": 1.4}
        y = self._box(1).bottom + (18.0 if self.data.new.more[0] else 0.0) + 11
        yield element("line", x1=0, y1=y, x2=self.matrix_right, y2=y, **line)
        yield text(0, self._box(2).center + TITLE * 0.35, "=", "ink", TITLE, font_weight="bold")

    def _box(self, place: int) -> Box:
        """The cells of a matrix."""
        matrix = self.matrices[place]
        return Box(self.x, self.tops[place], matrix.width, matrix.cell_height * len(matrix.rows))

    def _results(self) -> Iterator[str]:
        """The forward pass with the old weight beside the old matrix, and that with the new one beside the new."""
        if self.data.before is None:
            return
        first = Box(self.panel_at, 0, PANEL, PANEL_HEIGHT)
        yield from _panel(first, BEFORE, self.data.before)
        if self.data.after is None:
            return
        last = Box(self.panel_at, max(self.bottom - PANEL_HEIGHT, PANEL_HEIGHT + 60), PANEL, PANEL_HEIGHT)
        yield from _panel(last, AFTER, self.data.after)
        yield from arrow_to(first.middle, first.bottom + 4, first.middle, last.y - 4, "ink", 1.6)
        yield text(first.middle + 10, (first.bottom + last.y) / 2 + SIZE * 0.35, "one update", "faint", SIZE)

    def _arithmetic(self) -> Iterator[str]:
        roles = {part.step: part.role for part in self._parts()}
        for place, (name, spans) in enumerate(self.lines):
            y = self.bottom + BELOW + LINE * place - 4
            if name:
                yield span_line(self.equals - 4, y, name, text_anchor="end")
            goes_on = not plain_text(spans).startswith("=")
            yield span_line(self.equals + (INDENT if goes_on else 0), y, spans, roles)


def _lines_of(line: DerivedLine, room: float) -> Iterator[tuple[Spans, Spans]]:
    """What is left of the equals sign, if anything, and the rest with the sign; the result stays in the last line."""
    forms = [*line.forms, (line.value,)]
    joined = tuple(span for place, form in enumerate(forms) for span in (*((Words(" = "),) if place else ()), *form))
    if wide(plain_text(joined)) <= room:
        yield line.left, (Words("= "), *joined)
        return
    for place, form in enumerate(forms):
        for count, part in enumerate(broken_line(form, room)):
            yield line.left if not place and not count else (), part if count else (Words("= "), *part)


def _panel(box: Box, name: str, result: ForwardResult) -> Iterator[str]:
    """What a forward pass gives: the loss, and the probability of the target as a bar."""
    look: Attributes = {"class_": "paper", "fill": COLORS["paper"], "stroke": COLORS["ink"]}
    yield element("rect", **corners(box), rx=8, **look)
    yield text(box.x + 14, box.y + 22, name, "ink", SIZE, font_weight="bold")
    yield text(box.x + 14, box.y + 46, "loss", "ink", SIZE)
    yield number(box.right - 14, box.y + 46, result.loss, "ink", SIZE, text_anchor="end", font_weight="bold")
    one = result.probability
    if one is None:
        return
    yield text(box.x + 14, box.y + 68, f"P({result.target})", "ink", SIZE)
    yield number(box.right - 14, box.y + 68, one, "ink", SIZE, text_anchor="end", font_weight="bold")
    bar = Box(box.x + 14, box.bottom - 20, box.width - 28, BAR_HEIGHT)
    frame: Attributes = {"class_": "paper edge", "fill": COLORS["paper"], "stroke": "#c9ccd3"}
    length = bar.width * max(0.0, min(float(one.value), 1.0))
    accent: Attributes = {"class_": "accent", "fill": COLORS["accent"]}
    filled = element("rect", **corners(replace(bar, width=length)), rx=min(3.0, length / 2), **accent)
    yield pointed_at(one, element("rect", **corners(bar), rx=3, **frame) + filled)


update = UpdatePage()
