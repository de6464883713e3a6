"""What each position attends to, as a window that grows from row to row: a mask with the words in its boxes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ..document.blocks import Figure, Index
from ..document.monospace import Plain
from ..engine.errors import CallError
from ..explain.step_view import StepView
from ..explain.trace import Trace
from .mask import YES_OR_NO, mask, mask_in_words, seen_in
from .parts.grid import Grid, grid_of
from .parts.matrix_window import Labels, window_of
from .parts.options import LabelOptions
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import COLORS, SIZE, SMALL, Attributes, cut, element, pointed_at, sheet, text, wide
from .parts.text_labels import fit, margin_of, padded

MAX_WORDS = 12  # in a row, and rows
HEIGHT, GAP = 26.0, 8.0  # of a box, and to the next row
MIN_BOX = 40.0  # width
MAX_LABEL_CHARS, MAX_BOX_CHARS = 18, 11  # of a label at the left, and of the word in a box
TOP = 20.0  # for the words of the axes
MAX_TEXT_CHARS = 12  # of a word in monospaced text
HIDDEN, ASCII_HIDDEN = "·", "."


class WindowsPage(StepFigurePage[Grid, LabelOptions]):
    """`windows` shows a mask with the words in its boxes, so that you can watch the window grow from position to
    position.
    """

    name = "windows"
    summary = "what each position attends to: a mask, with the words in its boxes"
    data = Grid
    options = LabelOptions
    example = FigureExample("cat-sat", "masked", run="masked")

    def build(self, step: ShownStep, options: LabelOptions) -> Figure:
        return windows_of(step.view.trace, step.view, step.labels_with(options.labels), step.index)

    def svg(self, figure: Figure, data: Grid) -> str:
        """A box that is seen has its word in it; one that is not is empty, with a dashed edge."""
        return _WindowsDrawing(figure, data).svg()

    def text(self, data: Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""A row for each position. Where there is no room for the words, squares.

        >>> from workings.document.blocks import Number
        >>> one = Number("1", 1, "1", ())
        >>> seen = ((True, False), (True, True))
        >>> grid = Grid("1", "query", "key", ("The", "cat"), ("The", "cat"), ((one, one),) * 2, YES_OR_NO, seen)
        >>> print("\n".join(windows.text(grid, 40)))
        The  [The]  ·
        cat  [The][cat]
        """
        words = [fit(plain(label), MAX_TEXT_CHARS, fine) for label in data.column_labels]
        margin = margin_of(data.row_labels, width, plain)
        if margin + 2 + sum(cell_len(word) + 2 for word in words) > width:
            return mask.text(data, width, fine, plain)
        hidden = HIDDEN if fine else ASCII_HIDDEN
        boxes = [(f"[{word}]", f"{hidden:^{cell_len(word) + 2}}") for word in words]
        return [
            (
                f"{padded(plain(label), margin, fine)}  "
                + "".join(boxes[column][0 if is_seen else 1] for column, is_seen in enumerate(places))
            ).rstrip()
            for label, places in zip(data.row_labels, data.seen, strict=True)
        ]


def windows_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """Of a step of a mask, or of a matrix of 0 and 1: for each row, the words that it attends to.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace("masked")
    >>> print(windows_of(trace, "masked", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")}).alternative)
    The attends to The. cat attends to The, cat. sat attends to all 3.
    """
    view = trace[step] if isinstance(step, str) else step
    if len(view.shape) < 2:
        raise CallError(
            f"{view.form!s} does not have a row for each position.",
            hint="Name the matrix of a mask: a step of the op causal_mask, or a matrix of 0 and 1.",
            where=view.path,
        )
    window = window_of(trace, view, labels, at, most=(MAX_WORDS, MAX_WORDS), follow_convention=False)
    seen = seen_in(trace, window)
    title = f"{window.title}: what each position attends to"
    grid = grid_of(window, YES_OR_NO, seen, named=True)
    return Figure("windows", title, grid, mask_in_words(window, seen), window.note)


class _WindowsDrawing:
    def __init__(self, figure: Figure, grid: Grid) -> None:
        self.figure, self.grid = figure, grid
        self.rows = [cut(label, MAX_LABEL_CHARS) for label in grid.row_labels]
        self.columns = [cut(label, MAX_BOX_CHARS) for label in grid.column_labels]
        self.left = max(*(wide(label) for label in self.rows), wide(grid.rows_are, SMALL)) + 14
        self.box = max(MIN_BOX, *(wide(label, SMALL) + 12 for label in self.columns))

    def svg(self) -> str:
        width = self.left + self.box * len(self.columns)
        return sheet(self.figure, [*self._axes(), *self._boxes()], width, TOP + (HEIGHT + GAP) * len(self.rows))

    def _axes(self) -> Iterator[str]:
        if self.grid.rows_are:
            yield text(self.left - 14, SMALL, self.grid.rows_are, "faint", SMALL, text_anchor="end")
        if self.grid.columns_are:
            yield text(self.left, SMALL, self.grid.columns_are, "faint", SMALL)

    def _boxes(self) -> Iterator[str]:
        for row, label in enumerate(self.rows):
            y = TOP + (HEIGHT + GAP) * row
            yield text(self.left - 14, y + HEIGHT / 2 + SIZE * 0.35, label, text_anchor="end")
            for column, one in enumerate(self.grid.rows[row]):
                x = self.left + self.box * column
                yield pointed_at(one, self._box(x, y, self.columns[column], self.grid.seen[row][column]))

    def _box(self, x: float, y: float, word: str, is_seen: bool) -> str:
        place: Attributes = {"x": x, "y": y, "width": self.box - 4, "height": HEIGHT, "rx": 4}
        if not is_seen:
            look: Attributes = {"class_": "paper", "fill": COLORS["paper"], "stroke": "#9a9a9a"}
            return element("rect", **place, **look, stroke_dasharray="3 3")
        frame = element("rect", **place, class_="accent", fill=COLORS["accent"])
        middle = x + (self.box - 4) / 2, y + HEIGHT / 2 + SMALL * 0.35
        return frame + text(*middle, word, "paper", SMALL, text_anchor="middle")


windows = WindowsPage()
