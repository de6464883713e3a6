"""The entries of a matrix as colors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from rich.cells import cell_len

from ..document.blocks import Figure, Index, Number
from ..document.monospace import Plain
from ..document.numbers import aligned, apart, write
from ..explain.step_view import StepView
from ..explain.trace import Trace
from .parts.axes import Axis
from .parts.colors import color, hexadecimal, rising, text_on
from .parts.grid import Grid, grid_of, scale_of, with_ticks
from .parts.matrix_cells import (
    ASCII_SHADES,
    HEIGHT,
    KEY_HEIGHT,
    KEY_WIDTH,
    MAX_COLUMN_CHARS,
    SHADES,
    MatrixDrawing,
    MatrixRows,
    axis_words,
    color_key,
    corner_of,
    key_ticks,
    shade,
    shades_of,
)
from .parts.matrix_window import Labels, MatrixWindow, window_of
from .parts.numbers import can_be_drawn, joined_notes
from .parts.options import LabelOptions
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import COLORS, SMALL, cut, element, number, sheet, text, wide
from .parts.text_labels import fit, margin_of, padded

MAX_NUMBERED, MAX_COLORED = (24, 16), (64, 128)  # rows and columns with their numbers, and without
KEY_SHADES = 40  # in the scale below a heatmap
MAX_PARTS = 2  # of a wide heatmap, which are still drawn one below the other with their numbers
# Of a heatmap without numbers:
LARGE_WIDTH = 640.0
MIN_SQUARE, MAX_SQUARE = 5.0, 14.0
LARGE_SHADES = 32  # squares of one shade are one path, so that a page stays small
LARGE_LABEL_CHARS = 12


class HeatmapPage(StepFigurePage[Grid, LabelOptions]):
    """A heatmap colors the entries of a step: the darker, the further from 0. The tokens of the text label the axes
    where the run reads a single text, and so do the words of the vocabulary.

    A step with axes before the last two, such as a batch or heads that are computed together, has several matrices:
    `heatmap:weights[1]` is the second one, counted from 0. A large matrix is drawn without its numbers, and then the
    higher an entry the darker. Of more than 64 rows or 128 columns, only the corner is drawn.
    """

    name = "heatmap"
    summary = "the entries of a step as colors; weights[0] is the first of several matrices"
    data = Grid
    options = LabelOptions
    example = FigureExample("cat-sat", "weights")

    def build(self, step: ShownStep, options: LabelOptions) -> Figure:
        return heatmap_of(step.view.trace, step.view, step.labels_with(options.labels), step.index)

    def svg(self, figure: Figure, data: Grid) -> str:
        """The matrix with its labels; below it, which color means what."""
        return _LargeHeatmap(figure, data).svg() if data.column_ticks else _NumberedHeatmap(figure, data).drawn()

    def text(self, data: Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""The numbers, each behind a shade; where that is too wide, the shades alone.

        >>> from workings.figures.parts.axes import Tick
        >>> numbers = tuple(Number(text, float(text), "1", (n,)) for n, text in enumerate(("0.25", "1")))
        >>> scale = Axis("", 0, 1, (Tick(0, "0"), Tick(1, "1")))
        >>> grid = Grid("1", "", "key", (), ("The", "cat"), (numbers,), scale)
        >>> print("\n".join(heatmap.text(grid, 40)))
        key      The   cat
             ░░ 0.25  ██ 1
        <BLANKLINE>
        0 ░▒▓█ 1
        """
        if data.column_ticks:
            return _large_rows(data, width, fine, plain)
        signs = SHADES if fine else ASCII_SHADES
        columns = [aligned([plain(one.text) for one in column]) for column in zip(*data.rows, strict=True)]
        shades = [[shade(data.scale, one, signs) for one in row] for row in data.rows]
        widths = [3 + max(map(len, column)) for column in columns]
        labels = [fit(plain(label), MAX_COLUMN_CHARS, fine) for label in data.column_labels]
        widths = [max(wide, cell_len(label)) for wide, label in zip(widths, labels or [""] * len(widths), strict=True)]
        body = MatrixRows(data, width, fine, plain, widths)
        if body.count_parts() <= MAX_PARTS:
            rows = body.rows(lambda row, column: f"{shades[row][column] * 2} {columns[column][row]}")
        else:
            wide = 2 if 2 * len(widths) <= body.room else 1
            body = MatrixRows(data, width, fine, plain, [wide] * len(widths), gap=0)
            rows = body.rows(lambda row, column: shades[row][column] * wide)
        return [*rows, "", *_key(data.scale, signs, plain)]


def heatmap_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """The entries of a step as a heatmap: of one head (`head2.weights`), or of the matrix `at` these leading places. Of
    a large matrix the colors alone are drawn, and of one that is larger still the corner.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace()
    >>> figure = heatmap_of(trace, "weights", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")})
    >>> print(figure.alternative)
    weights as a heatmap, 3 by 3: the lowest entry is 0.2017 at (The, sat), the highest 0.5368 at (cat, cat).
    """
    view = trace[step] if isinstance(step, str) else step
    without_numbers = fits_without_numbers(view.shape[-2:])
    window = window_of(trace, view, labels, at, MAX_COLORED if without_numbers else MAX_NUMBERED)
    grid = grid_of(window, scale_of(window))
    data = with_ticks(window, grid) if without_numbers else grid
    return Figure("heatmap", window.title, data, _in_words(window), _note(window))


def fits_without_numbers(shape: Index) -> bool:
    """Whether a matrix is too large for its numbers, but not for its colors.

    >>> fits_without_numbers((50, 64)), fits_without_numbers((2, 2)), fits_without_numbers((512, 2048))
    (True, False, False)
    """
    sizes = (1, 1, *shape)[-2:]
    numbered, colored = (
        all(size <= most for size, most in zip(sizes, limit, strict=True)) for limit in (MAX_NUMBERED, MAX_COLORED)
    )
    return colored and not numbered


def _in_words(window: MatrixWindow) -> str:
    entries = [
        (float(one.value), one, f"({row}, {column})" if row and column else row or column)
        for row, numbers in zip(window.row_names, window.rows, strict=True)
        for column, one in zip(window.column_names, numbers, strict=True)
        if can_be_drawn(one)
    ]
    lowest, highest = min(entries, key=lambda entry: entry[0]), max(entries, key=lambda entry: entry[0])
    heading = f"{window.title} as a heatmap, {len(window.rows)} by {len(window.rows[0])}"
    if lowest[0] == highest[0]:
        return f"{heading}: every entry is {lowest[1].text}."
    style = apart(lowest[0], highest[0], window.style)
    low, high = (f"{write(value, style)} at {place}" for value, _, place in (lowest, highest))
    return f"{heading}: the lowest entry is {low}, the highest {high}."


def _note(window: MatrixWindow) -> str:
    """What is not to be seen: the rest of a large matrix, and entries without a color."""
    hidden = len(window.numbers) - len(window.finite())
    return joined_notes(window.note, f"Entries without a color are -∞ or not a number: {hidden}." if hidden else "")


# -- as SVG ------------------------------------------------------------------------------------------


class _NumberedHeatmap(MatrixDrawing):
    def __init__(self, figure: Figure, grid: Grid) -> None:
        longest = max(wide(one.text, SMALL) for row in grid.rows for one in row)
        super().__init__(figure, grid, max(HEIGHT * 1.4, longest + 12))

    def drawn(self) -> str:
        scale, y = self.grid.scale, self.height + 12
        key = [
            *color_key(scale, self.left, y, shades_of(scale, KEY_SHADES)),
            *key_ticks(scale, self.left, y + KEY_HEIGHT + 11),
        ]
        return self.svg(key, 34.0)

    def entry(self, x: float, y: float, row: int, column: int) -> str:
        one = self.grid.rows[row][column]
        place = x + self.cell / 2, y + HEIGHT / 2 + SMALL * 0.35
        if isinstance(one.value, str):  # -∞ has no color
            cell = self.rectangle(x, y, class_="paper", fill=COLORS["paper"])
            return cell + number(*place, one, "faint", SMALL, text_anchor="middle")
        ground = color(self.grid.scale, one.value)
        cell = self.rectangle(x, y, class_="cell", fill=hexadecimal(ground))
        return cell + number(*place, one, "on-cell", SMALL, text_anchor="middle", fill=hexadecimal(text_on(ground)))


class _LargeHeatmap:
    """Every entry of a large matrix as a small square, and a few places named."""

    def __init__(self, figure: Figure, grid: Grid) -> None:
        self.figure, self.grid = figure, grid
        columns = len(grid.rows[0])
        self.square = min(max(LARGE_WIDTH / columns, MIN_SQUARE), MAX_SQUARE)
        labels = max((wide(cut(tick.text, LARGE_LABEL_CHARS), SMALL) for tick in grid.row_ticks), default=0.0)
        self.left = (18.0 if grid.rows_are else 0.0) + labels + 8
        self.top = (18.0 if grid.columns_are else 0.0) + 16
        self.width = self.left + self.square * columns
        self.height = self.top + self.square * len(grid.rows)

    def svg(self) -> str:
        scale, y = self.grid.scale, self.height + 12
        fills = [self._fill(shade) for shade in range(LARGE_SHADES + 1)]
        key = [*color_key(scale, self.left, y, fills), *key_ticks(scale, self.left, y + KEY_HEIGHT + 11)]
        parts = [*self._words(), *self._squares(), *key]
        return sheet(self.figure, parts, max(self.width, self.left + KEY_WIDTH) + 24, self.height + 34)

    def _words(self) -> Iterator[str]:
        grid = self.grid
        yield from axis_words(grid, (self.left + self.width) / 2, (self.top + self.height) / 2)
        for tick in grid.row_ticks:
            y = self.top + self.square * (tick.value + 0.5) + SMALL * 0.35
            yield text(self.left - 5, y, cut(tick.text, LARGE_LABEL_CHARS), "ink", SMALL, text_anchor="end")
        room = int(LARGE_WIDTH / max(len(grid.column_ticks), 1) / (SMALL * 0.6))
        for tick in grid.column_ticks:
            x = self.left + self.square * (tick.value + 0.5)
            yield text(x, self.top - 5, cut(tick.text, max(room, 3)), "ink", SMALL, text_anchor="middle")

    def _squares(self) -> Iterator[str]:
        shades: dict[int, list[str]] = {}
        for row, numbers in enumerate(self.grid.rows):
            for column, one in enumerate(numbers):
                if not isinstance(one.value, str):  # -∞ has no color
                    x, y = self.left + self.square * column, self.top + self.square * row
                    part = f"M{x:.1f},{y:.1f}h{self.square:.1f}v{self.square:.1f}h-{self.square:.1f}z"
                    shades.setdefault(self._shade(one.value), []).append(part)
        for degree, parts in sorted(shades.items()):
            yield element("path", d="".join(parts), class_="cell", fill=self._fill(degree))
        sides = {"width": self.width - self.left, "height": self.height - self.top}
        yield element("rect", x=self.left, y=self.top, **sides, fill="none", class_="faint", stroke="#9aa6bd")

    def _shade(self, value: float) -> int:
        scale = self.grid.scale
        return round((value - scale.low) / (scale.high - scale.low) * LARGE_SHADES)

    def _fill(self, shade: int) -> str:
        scale = self.grid.scale
        return hexadecimal(rising(scale, scale.low + (scale.high - scale.low) * shade / LARGE_SHADES))


# -- in monospaced text --------------------------------------------------------------------------------


def _key(scale: Axis, signs: str, plain: Plain) -> Iterator[str]:
    """Which shade means what."""
    ticks = [plain(tick.text) for tick in scale.ticks]
    dark = signs[1:]
    ramps = [dark] if len(ticks) == 2 else [dark[::-1], dark]
    yield " ".join(chain.from_iterable(zip(ticks, [*ramps, ""], strict=False))).rstrip()


def _large_rows(grid: Grid, width: int, fine: bool, plain: Plain) -> list[str]:
    r"""One sign for each entry: the higher, the darker; where there are negative entries, the middle of the signs is 0.
    The columns of a wide matrix come in several parts, one below the other.

    >>> from workings.figures.parts.axes import Tick
    >>> numbers = tuple(Number(str(value), value, "1", (n,)) for n, value in enumerate((-1.0, 0.0, 1.0)))
    >>> scale = Axis("", -1, 1, (Tick(-1, "-1"), Tick(0, "0"), Tick(1, "1")))
    >>> grid = Grid("1", "", "key", (), (), (numbers,), scale, (), (), (Tick(0, "0"),))
    >>> print("\n".join(heatmap.text(grid, 40)))
    key  0
          ▒█
    <BLANKLINE>
    -1 [ ░▒▓█] 1
    """
    signs = SHADES if fine else ASCII_SHADES
    corner = corner_of(grid, width, fine, plain)
    margin = margin_of((*(tick.text for tick in grid.row_ticks), corner), width, plain)
    room = max(width - margin - 2, 1)
    named = {int(tick.value): plain(tick.text) for tick in grid.row_ticks}
    rows: list[str] = []
    for first in range(0, len(grid.rows[0]), room):
        rows.append(f"{padded(corner, margin, fine)}  {_large_head(grid, first, room, plain)}".rstrip())
        for place, numbers in enumerate(grid.rows):
            shades = "".join(_large_shade(grid.scale, one, signs) for one in numbers[first : first + room])
            rows.append(f"{padded(named.get(place, ''), margin, fine)}  {shades}".rstrip())
    low, high = (plain(grid.scale.ticks[end].text) for end in (0, -1))
    return [*rows, "", f"{low} [{signs}] {high}"]


def _large_head(grid: Grid, first: int, room: int, plain: Plain) -> str:
    """The ticks above their columns, as far as there is room between them."""
    head = ""
    for tick in grid.column_ticks:
        at, label = int(tick.value) - first, plain(tick.text)
        free = not head or cell_len(head) < at
        if free and at >= 0 and at + cell_len(label) <= room:
            head += " " * (at - cell_len(head)) + label
    return head


def _large_shade(scale: Axis, one: Number, signs: str) -> str:
    if isinstance(one.value, str):
        return "?"
    fraction = (one.value - scale.low) / (scale.high - scale.low)
    return signs[min(max(round(fraction * (len(signs) - 1)), 0), len(signs) - 1)]


heatmap = HeatmapPage()
