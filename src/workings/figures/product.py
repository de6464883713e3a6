"""A matrix product: one row times one column, and the arithmetic of the entry that they give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from ..document.blocks import DerivedLine, Figure, FigureData, Index, Spans, Words, plain_text
from ..document.monospace import Plain, derived_rows
from ..engine.errors import CallError
from ..explain.step_view import StepView
from .parts.drawn import CellMatrix, arrow_to, broken_line, heading, heading_width, number_width, span_line
from .parts.matrix_product import MIN_CELL, ChosenProduct, ProductMatrix
from .parts.matrix_window import Labels
from .parts.options import OptionType, option
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import SIZE, sheet, wide
from .parts.text_labels import fit
from .parts.text_matrix import TextMatrix, text_matrix

OPS = ("matmul", "linear")
# Of the SVG:
WIDTH = 576.0
GAP = 38.0  # between a factor and the result
CELLS = WIDTH - GAP - 66.0  # for all cells of a row: without labels, and without the dots after each matrix
LINE, BELOW = 21.0, 60.0  # of arithmetic; from the matrices to its first line
INDENT = 14.0  # of a line of arithmetic that goes on
# Of the text:
TEXT_GAP = 3


def _two_places(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,6}) +([0-9]{1,6})", text.strip())
    if found is None:
        raise ValueError(text)
    return int(found[1]), int(found[2])


CELL = OptionType("a row and a column, counted from 0", "1 0", _two_places)


@dataclass(frozen=True)
class Product(FigureData):
    """The form `product`: two factors and their product, with the entry at `row` and `column` of what is drawn, and its
    arithmetic. `inner` is the size of the axis that the sum runs along; of a long one, the places with the largest
    terms are drawn.
    """

    left: ProductMatrix
    right: ProductMatrix
    result: ProductMatrix
    row: int
    column: int
    inner: int
    lines: tuple[DerivedLine, ...]


@dataclass(frozen=True)
class ProductOptions:
    cell: tuple[int, int] | None = option(CELL, "The entry to highlight: its row and its column.", None)


class ProductPage(StepFigurePage[Product, ProductOptions]):
    """A product shows row times column: the right factor is above the result and the left factor beside it, so that
    each entry is where its row and its column meet. One of them is highlighted, and its arithmetic is below. Of a long
    sum, the largest terms are drawn.
    """

    name = "product"
    summary = "a matrix product, row times column, with the arithmetic of one entry"
    data = Product
    options = ProductOptions
    example = FigureExample("hello-world", "head1.Q")

    def build(self, step: ShownStep, options: ProductOptions) -> Figure:
        return product_of(step.view, step.labels, step.index, options.cell)

    def svg(self, figure: Figure, data: Product) -> str:
        return _ProductDrawing(figure, data).svg()

    def text(self, data: Product, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """The same arrangement where there is room; else the matrices one below the other. The row, the column and
        their entry are in brackets.
        """
        parts = (data.left, data.right, data.result)
        matrices = [
            text_matrix(part.rows, part.row_labels, part.column_labels, lit, plain, fine)
            for part, lit in zip(parts, _lit(data), strict=True)
        ]
        rows = _arranged(data, matrices, width, plain) or _stacked(data, matrices, width, plain, fine)
        for line in data.lines:
            rows += ["", *(plain(row) for row in derived_rows(line, width))]
        return rows


def product_of(
    view: StepView, labels: Labels | None = None, at: Index = (), cell: tuple[int, int] | None = None
) -> Figure:
    """The product that a step is, with one entry highlighted: that of `cell`, else the largest by magnitude.

    >>> import workings as w
    >>> figure = product_of(w.scenario("hello-world").trace()["head1.Q"], cell=(1, 0))
    >>> print(figure.alternative)
    Q = X · W_Q: token 2 × model 4 times model 4 × head_size 2 gives token 2 × head_size 2. Row 1 of X and column 0 of \
W_Q give the entry: Q[1][0] = X[1] · W_Q[:,0] = 0×(-0.6) + 1×0.5 + 0×0.1 + 0×(-0.4) = 0.5.
    """
    if view.op not in OPS or not view.form.shape:
        raise CallError(
            f"{view.name} is not a matrix product.",
            hint="Name a step that is one, such as Q, scores or logits.",
            where=view.path,
            given=view.op,
        )
    product = ChosenProduct(view, labels or {}, at, cell, CELLS)
    factors = product.factors()
    derivation = view.cell(*product.entry)
    row, column = product.rows.index(product.row), product.columns.index(product.column)
    data = Product(*factors, row, column, product.inner, derivation.lines)
    if view.trace.style.notation.columns:
        left, right, result = (factor.transposed() for factor in factors)
        data = Product(right, left, result, column, row, product.inner, derivation.lines)
    names = data.result.name, data.left.name, data.right.name
    return Figure("product", f"{names[0]} = {names[1]} · {names[2]}", data, _in_words(data), product.note)


def _in_words(data: Product) -> str:
    left, right, result = data.left, data.right, data.result
    sentences = [
        f"{result.name} = {left.name} · {right.name}: {left.shape_text} times {right.shape_text} gives "
        f"{result.shape_text}.",
        f"Row {left.row_labels[data.row]} of {left.name} and column {right.column_labels[data.column]} of "
        f"{right.name} give the entry: {data.lines[-1]}."
        if left.row_labels[data.row]
        else f"{left.name} and column {right.column_labels[data.column]} of {right.name} give: {data.lines[-1]}.",
    ]
    return " ".join(sentences)


def _lit(data: Product) -> tuple[frozenset[tuple[int, int]], ...]:
    """The highlighted cells of each matrix."""
    places = range(len(data.right.rows))
    return (
        frozenset((data.row, place) for place in places),
        frozenset((place, data.column) for place in places),
        frozenset([(data.row, data.column)]),
    )


# -- as SVG ----------------------------------------------------------------------------------------------


class _ProductDrawing:
    """`left_at`, `right_at` and `result_at` are the corners of the first cells."""

    def __init__(self, figure: Figure, data: Product) -> None:
        self.figure, self.data = figure, data
        lit = _lit(data)
        numbers = [one.text for part in (data.right, data.result) for row in part.rows for one in row]
        widths = [*(number_width(one) for one in numbers), *(wide(label) + 8 for label in data.right.column_labels)]
        cell = max(MIN_CELL, *widths)  # the columns of both are below each other
        self.left = _matrix_of(data.left, lit[0], data.left.row_labels)
        self.right = replace(_matrix_of(data.right, lit[1], data.right.row_labels), cell=cell)
        self.result = replace(_matrix_of(data.result, lit[2], ()), column_labels=(), cell=cell)
        left = self.left.labels_width + max(self.left.width, _caption_width(data.left))
        x = max(self.left.labels_width + self.left.width + GAP, left + self.right.labels_width + 14)
        self.right_at = x, 40.0 + SIZE
        self.result_at = x, self.right_at[1] + self.right.height + GAP
        self.left_at = self.left.labels_width, self.result_at[1]
        self.bottom = self.result_at[1] + max(self.left.height, self.result.height)
        self.equals = max(wide(plain_text(line.left)) for line in data.lines) + 4  # where the equals signs are
        self.lines = [row for line in data.lines for row in _lines_of(line, WIDTH - self.equals - INDENT)]

    def svg(self) -> str:
        widths = [
            self.right.width + self.right_at[0],
            *(self._caption_at(part) + _caption_width(part) for part in (self.data.right, self.data.result)),
            *(self.equals + wide(plain_text(spans)) for _, spans in self.lines),
        ]
        parts = [*self._matrices(), *self._captions(), *self._arrows(), *self._arithmetic()]
        return sheet(self.figure, parts, max(widths), self.bottom + BELOW + LINE * len(self.lines) - 12)

    def _matrices(self) -> Iterator[str]:
        yield from self.right.draw(*self.right_at)
        yield from self.left.draw(*self.left_at)
        yield from self.result.draw(*self.result_at)

    def _captions(self) -> Iterator[str]:
        """Names and shapes: above the factors, below the result."""
        right, left, result = self.data.right, self.data.left, self.data.result
        yield _caption(right, self._caption_at(right), self.right_at[1] - 40)
        yield _caption(left, self.left_at[0], self.left_at[1] - 40)
        yield _caption(result, self._caption_at(result), self.bottom + 18)

    def _caption_at(self, part: ProductMatrix) -> float:
        """Where the caption of a matrix at the right begins: with it, unless it would leave the picture."""
        return max(0.0, min(self.right_at[0], WIDTH - _caption_width(part)))

    def _arrows(self) -> Iterator[str]:
        """From the row and from the column to the entry that they give."""
        row = self.left.row_box(*self.left_at, self.data.row)
        end = self.result.row_box(*self.result_at, self.data.row)
        start = row.right + (18.0 if self.data.left.more[1] else 4.0)
        yield from arrow_to(start, row.center, end.x - 3, end.center, self.data.left.role)
        column = self.right.column_box(*self.right_at, self.data.column)
        start = self.right_at[1] + self.right.height + 4
        yield from arrow_to(column.middle, start, column.middle, self.result_at[1] - 3, self.data.right.role)

    def _arithmetic(self) -> Iterator[str]:
        """Equals sign below equals sign, at the left edge of the picture."""
        roles = {part.step: part.role for part in (self.data.left, self.data.right)}
        for place, (name, spans) in enumerate(self.lines):
            y = self.bottom + BELOW + LINE * place
            weight = "bold" if place == len(self.lines) - 1 else None
            if name:
                yield span_line(self.equals - 4, y, name, text_anchor="end")
            goes_on = not plain_text(spans).startswith("=")
            yield span_line(self.equals + (INDENT if goes_on else 0), y, spans, roles, font_weight=weight)


def _lines_of(line: DerivedLine, room: float) -> Iterator[tuple[Spans, Spans]]:
    """What is left of the equals sign, if anything, and the rest with the sign; a long sum goes on in the next line."""
    for place, form in enumerate([*line.forms, (line.value,)]):
        for number, part in enumerate(broken_line(form, room)):
            first = not place and not number
            yield line.left if first else (), part if number else (Words("= "), *part)


def _matrix_of(part: ProductMatrix, lit: frozenset[tuple[int, int]], row_labels: Sequence[str]) -> CellMatrix:
    return CellMatrix(part.rows, part.role, lit, None, row_labels, part.column_labels, part.more)


def _caption(part: ProductMatrix, x: float, y: float) -> str:
    return heading(x, y, part.name, part.shape_text, part.role)


def _caption_width(part: ProductMatrix) -> float:
    return heading_width(part.name, part.shape_text)


# -- as text ---------------------------------------------------------------------------------------------


def _arranged(data: Product, matrices: Sequence[TextMatrix], width: int, plain: Plain) -> list[str]:
    """As on paper, the right factor above the result; no rows where that is too wide."""
    left, right, result = matrices
    result = replace(result, row_labels=(), column_labels=("",) * len(result.column_labels))  # those of the factors
    widths = [max(pair) for pair in zip(right.widths(), result.widths(), strict=True)]
    left_rows, result_rows = left.lines(), result.lines(widths)
    start = max(max(map(cell_len, left_rows)) + TEXT_GAP, right.margin)
    title = plain(f"{data.right.name}  {data.right.shape_text}")
    right_rows = [title, *right.lines(widths)]
    indents = [start, *(start - right.margin for _ in right_rows[1:])]
    above = [" " * indent + row for indent, row in zip(indents, right_rows, strict=True)]
    below = [one + " " * (start - cell_len(one)) + other for one, other in zip(left_rows, result_rows, strict=True)]
    rows = [
        *above,
        plain(f"{data.left.name}  {data.left.shape_text}"),
        *below,
        " " * start + plain(f"{data.result.name}  {data.result.shape_text}"),
    ]
    return [row.rstrip() for row in rows] if max(map(cell_len, rows)) <= width else []


def _stacked(data: Product, matrices: Sequence[TextMatrix], width: int, plain: Plain, fine: bool) -> list[str]:
    """One matrix below the other."""
    rows: list[str] = []
    for part, matrix in zip((data.left, data.right, data.result), matrices, strict=True):
        rows += [""] if rows else []
        rows += [fit(plain(f"{part.name}  {part.shape_text}"), width, fine), *matrix.lines_within(width)]
    return rows


product = ProductPage()
