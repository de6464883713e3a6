"""Which keys each query attends to, by a mask."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len

from ..document.blocks import Figure, Index, Number
from ..document.monospace import Plain
from ..engine.errors import CallError
from ..explain.step_view import StepView
from ..explain.trace import Trace
from .parts.axes import Axis, Tick
from .parts.grid import Grid, grid_of
from .parts.matrix_cells import HEIGHT, MAX_COLUMN_CHARS, MatrixDrawing, MatrixRows
from .parts.matrix_window import Labels, MatrixWindow, window_of
from .parts.options import LabelOptions
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import COLORS, Attributes, element, pointed_at
from .parts.text_labels import fit

MASKS = ("mask", "causal_mask", "padding_mask")  # ops that put -∞ where no query may attend
HIDDEN = "-inf"
YES_OR_NO = Axis("", 0.0, 1.0, (Tick(0.0, "0"), Tick(1.0, "1")))
MAX_ROWS_IN_WORDS = 8  # of a larger mask, the words only count
SEEN, ASCII_SEEN = "■·", "#."


class MaskPage(StepFigurePage[Grid, LabelOptions]):
    """A mask says which keys each query attends to. It is a step of the op `causal_mask`, `padding_mask` or `mask`, or
    a matrix of 0 and 1.
    """

    name = "mask"
    summary = "which keys each query attends to: a step of a mask, or a matrix of 0 and 1"
    data = Grid
    options = LabelOptions
    example = FigureExample("cat-sat", "masked", run="masked")

    def build(self, step: ShownStep, options: LabelOptions) -> Figure:
        return mask_of(step.view.trace, step.view, step.labels_with(options.labels), step.index)

    def svg(self, figure: Figure, data: Grid) -> str:
        return _MaskDrawing(figure, data, HEIGHT).svg()

    def text(self, data: Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""A square where a query attends to a key, and a dot where it does not.

        >>> one = Number("1", 1, "1", ())
        >>> seen = ((True, False), (True, True))
        >>> grid = Grid("1", "query", "key", ("The", "cat"), ("The", "cat"), ((one, one),) * 2, YES_OR_NO, seen)
        >>> print("\n".join(mask.text(grid, 40)))
        query \ key  The  cat
        The            ■    ·
        cat            ■    ■
        """
        signs = SEEN if fine else ASCII_SEEN
        labels = [cell_len(fit(plain(label), MAX_COLUMN_CHARS, fine)) for label in data.column_labels]
        body = MatrixRows(data, width, fine, plain, labels or [1] * len(data.seen[0]))
        if not labels or body.count_parts() > 1:
            body = MatrixRows(data, width, fine, plain, [1] * len(data.seen[0]), gap=1)
        return list(body.rows(lambda row, column: signs[0] if data.seen[row][column] else signs[1]))


def mask_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """Which keys each query attends to: a step of an op such as `causal_mask`, or any matrix of 0 and 1.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace("masked")
    >>> print(mask_of(trace, "masked", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")}).alternative)
    The attends to The. cat attends to The, cat. sat attends to all 3.
    """
    window = window_of(trace, step, labels, at)
    seen = seen_in(trace, window)
    title = f"{window.title}: which keys each query attends to"
    return Figure("mask", title, grid_of(window, YES_OR_NO, seen), mask_in_words(window, seen), window.note)


def seen_in(trace: Trace, window: MatrixWindow) -> tuple[tuple[bool, ...], ...]:
    """Entry by entry: where the op was a mask, or has put -∞, all else is seen; of 0 and 1, 1 is seen."""
    numbers = window.numbers
    if window.step.op in MASKS or any(one.value == HIDDEN for one in numbers):
        return _each(window, lambda one: one.value != HIDDEN)
    if all(one.value in (0, 1) for one in numbers):
        return _each(window, lambda one: one.value == 1)
    paths = ", ".join(step.path for step in trace if step.op in MASKS)
    if not paths:
        raise CallError(
            f"{window.title} is not a mask, and this trace has none.",
            hint="Name a matrix of 0 and 1, or a step of the op causal_mask, padding_mask or mask.",
            where=window.step.path,
        )
    raise CallError(
        f"{window.title} is not a mask: its entries are neither 0 and 1, nor -∞ in some places.",
        hint=f"Name a step of a mask: {paths}.",
        where=window.step.path,
    )


def _each(window: MatrixWindow, is_seen: Callable[[Number], bool]) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(is_seen(one) for one in row) for row in window.rows)


def mask_in_words(window: MatrixWindow, seen: tuple[tuple[bool, ...], ...]) -> str:
    if len(seen) > MAX_ROWS_IN_WORDS or len(seen[0]) > MAX_ROWS_IN_WORDS:
        places = [place for row in seen for place in row]
        return f"In {sum(places)} of {len(places)} places a query attends to a key."
    return " ".join(_seen_by(name, row, window.column_names) for name, row in zip(window.row_names, seen, strict=True))


def _seen_by(name: str, row: tuple[bool, ...], columns: tuple[str, ...]) -> str:
    found = [column for column, is_seen in zip(columns, row, strict=True) if is_seen]
    if not found:
        return f"{name} attends to nothing."
    if len(found) == len(row) > 1:
        return f"{name} attends to all {len(found)}."
    return f"{name} attends to {', '.join(found)}."


class _MaskDrawing(MatrixDrawing):
    def entry(self, x: float, y: float, row: int, column: int) -> str:
        """A cell is filled where the entry is seen, and crossed out where it is hidden."""
        if self.grid.seen[row][column]:
            cell = self.rectangle(x, y, class_="accent", fill=COLORS["accent"])
        else:
            line: Attributes = {"class_": "faint", "stroke": "#c4c4c4", "stroke_width": 1}
            cell = self.rectangle(x, y, class_="paper", fill=COLORS["paper"])
            cell += element("line", x1=x + 6, y1=y + HEIGHT - 6, x2=x + self.cell - 6, y2=y + 6, **line)
        return pointed_at(self.grid.rows[row][column], cell)


mask = MaskPage()
