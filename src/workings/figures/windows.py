"""What each position attends to, as a window that grows from row to row, and the token that comes next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.cells import cell_len

from ..document.blocks import Figure, Index
from ..document.monospace import Plain
from ..engine.arrays import namespace
from ..engine.errors import CallError
from ..explain.step_view import StepView
from ..explain.trace import Trace
from .mask import YES_OR_NO, mask, mask_in_words, seen_in
from .parts.drawn import Box, arrow_to, corners, words_at
from .parts.grid import Grid, grid_of
from .parts.matrix_window import Labels, MatrixWindow, window_of
from .parts.next_tokens import NextToken, next_tokens
from .parts.options import LabelOptions
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.svg import COLORS, SIZE, Attributes, element, number, pointed_at, sheet, text, wide
from .parts.text_labels import fit, margin_of, padded

MAX_WORDS = 12  # in a row, and rows
ROOM = 576.0  # for everything
HEIGHT, BETWEEN, GAP = 30.0, 6.0, 16.0  # of a box, to the next one, and to the next row
MIN_BOX, MIN_BOX_OF_MANY, MANY = 46.0, 34.0, 6  # width, also of more than so many
TOP = 34.0  # for what is above the columns
ARROW = 34.0
PREDICTS, PROBABILITY, NEXT = "predicts", "probability", "next token"
MAX_LABEL_CHARS = 18  # of a word; a longer one would push out all others
MAX_TEXT_CHARS = 12  # of a word in monospaced text
HIDDEN, ASCII_HIDDEN = "·", "."


@dataclass(frozen=True)
class Windows(Grid):
    """The form `windows`: a mask, and for each row the token that comes next: none where no row predicts one."""

    following: tuple[NextToken, ...] = ()


class WindowsPage(StepFigurePage[Windows, LabelOptions]):
    """`windows` shows a mask with the tokens in its boxes, a row for each position, so that you can watch the window
    grow. At the end of a row is the token that the model predicts there; where it makes no prediction, the token that
    comes next in the text.
    """

    name = "windows"
    summary = "what each position attends to, and which token it predicts"
    data = Windows
    options = LabelOptions
    text_has_numbers = False
    example = FigureExample("block", "masked")

    def build(self, step: ShownStep, options: LabelOptions) -> Figure:
        return windows_of(step.view.trace, step.view, step.labels_with(options.labels), step.index)

    def svg(self, figure: Figure, data: Windows) -> str:
        """What a position attends to lies in a frame; its own token is dark. What is hidden from it is empty."""
        return _WindowsDrawing(figure, data).svg()

    def text(self, data: Windows, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""A row for each position. Where there is no room for the words, squares.

        >>> from workings.document.blocks import Number
        >>> one = Number("1", 1, "1", ())
        >>> seen = ((True, False), (True, True))
        >>> tokens, next = ("The", "cat"), (NextToken("cat", None, ""), NextToken("", None, ""))
        >>> data = Windows("1", "query", "key", tokens, tokens, ((one, one),) * 2, YES_OR_NO, seen, (), (), next)
        >>> print("\n".join(windows.text(data, 40)))
        The  [The]  ·    → cat
        cat  [The][cat]  → ?
        """
        words = [fit(plain(label), MAX_TEXT_CHARS, fine) for label in data.column_labels]
        margin = margin_of(data.row_labels, width, plain)
        ends = [_end(one, fine, plain) for one in data.following] or [""] * len(data.rows)
        whole = margin + 2 + sum(cell_len(word) + 2 for word in words) + max(map(cell_len, ends))
        if whole > width:
            return mask.text(data, width, fine, plain)
        hidden = HIDDEN if fine else ASCII_HIDDEN
        boxes = [(f"[{word}]", f"{hidden:^{cell_len(word) + 2}}") for word in words]
        return [
            (
                f"{padded(plain(label), margin, fine)}  "
                + "".join(boxes[column][0 if is_seen else 1] for column, is_seen in enumerate(places))
                + end
            ).rstrip()
            for label, places, end in zip(data.row_labels, data.seen, ends, strict=True)
        ]


def _end(one: NextToken, fine: bool, plain: Plain) -> str:
    sign = "→" if fine else "->"
    words = fit(plain(one.word), MAX_TEXT_CHARS, fine) or "?"
    if one.probability is None:
        return f"  {sign} {words}" if one.is_known else ""
    answer = f" ({fit(plain(one.answer), MAX_TEXT_CHARS, fine)} follows)" if one.answer else ""
    return f"  {sign} {words}{answer}"


def windows_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """Of a step of a mask, or of a matrix of 0 and 1: for each row, the words that it attends to, and what comes next.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace("masked")
    >>> print(windows_of(trace, "masked", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")}).alternative)
    The attends to The. cat attends to The, cat. sat attends to all 3. After The comes cat; after cat comes sat.
    """
    view = trace[step] if isinstance(step, str) else step
    if len(view.shape) < 2:
        raise CallError(
            f"{view.form!s} does not have a row for each position.",
            hint="Name the matrix of a mask: a step of the op causal_mask, or a matrix of 0 and 1.",
            where=view.path,
        )
    window = window_of(trace, view, labels, at, most=(MAX_WORDS, MAX_WORDS), follow_convention=False)
    following = next_tokens(trace, window, labels or {}, at)
    count = _that_fit(window, following)
    if count < len(window.column_names):
        window = window_of(trace, view, labels, at, most=(count, count), follow_convention=False)
        following = following[:count]
    seen = seen_in(trace, window)
    title = f"{window.title}: what each position attends to"
    if not at and _all_alike(view):
        note = "" if len(window.rows) == view.shape[-2] else f"These are the first {count} of {view.shape[-2]} tokens."
        window, title = replace(window, note=note), f"{view.name}: what each position attends to"
    if any(sees != (place >= other) for place, row in enumerate(seen) for other, sees in enumerate(row)):
        following = ()  # who sees later tokens predicts none
    grid = grid_of(window, YES_OR_NO, seen, named=True)
    rows, columns = _names(window)
    data = Windows(**{**vars(grid), "row_labels": rows, "column_labels": columns, "following": following})
    return Figure("windows", title, data, _in_words(window, seen, following), window.note)


def _that_fit(window: MatrixWindow, following: tuple[NextToken, ...]) -> int:
    """How many tokens there is room for."""
    rows, columns = _names(window)
    count = len(columns)
    while count > 1:
        layout = _Columns(rows[:count], columns[:count], window.axes[0], following[:count])
        if layout.boxes_end(count) + layout.next_width <= ROOM:
            break
        count -= 1
    return count


def _names(window: MatrixWindow) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of rows and columns; tokens without labels are counted."""
    place = window.style.notation.place
    rows, columns = (
        tuple(str(place(n)) for n in range(len(names))) for names in (window.row_names, window.column_names)
    )
    return window.row_labels or rows, window.column_labels or columns


def _all_alike(view: StepView) -> bool:
    """Whether all matrices of a mask hide the same, as those of several heads do."""
    array = view.recording.value(view.step.id)
    xp = namespace(array)
    hidden = xp.reshape(xp.isinf(array), (-1, *array.shape[-2:]))
    return bool(xp.all(hidden == hidden[:1, :, :]))


def _in_words(window: MatrixWindow, seen: tuple[tuple[bool, ...], ...], following: tuple[NextToken, ...]) -> str:
    words = []
    for label, one in zip(window.row_names, following, strict=False):
        if one.probability is not None:
            answer = f", and {one.answer} follows" if one.answer else ""
            words.append(f"after {label} it predicts {one.word} ({one.probability.text}){answer}")
        elif one.word:
            words.append(f"after {label} comes {one.word}")
    sentence = "; ".join(words)
    return f"{mask_in_words(window, seen)} {sentence[:1].upper()}{sentence[1:]}.".removesuffix(" .")


@dataclass(frozen=True)
class _Columns:
    """Where the boxes of the tokens are, and how wide they are."""

    rows: tuple[str, ...]
    tokens: tuple[str, ...]
    rows_are: str
    following: tuple[NextToken, ...]

    @property
    def left(self) -> float:
        labels = max((wide(_short(label)) for label in self.rows), default=0.0)
        return max(labels, wide(self.rows_are)) + 18

    def width(self, column: int) -> float:
        return max(MIN_BOX if len(self.tokens) <= MANY else MIN_BOX_OF_MANY, wide(_short(self.tokens[column])) + 14)

    def x(self, column: int) -> float:
        return self.left + sum(self.width(one) + BETWEEN for one in range(column))

    def boxes_end(self, count: int) -> float:
        return self.left + sum(self.width(one) + BETWEEN for one in range(count)) - BETWEEN

    @property
    def chip(self) -> float:
        """The width of the token that comes next."""
        return max((wide(_short(one.word)) + 20 for one in self.following), default=0.0)

    @property
    def probabilities(self) -> float:
        """Where the probabilities end, from the end of the boxes on."""
        head = PREDICTS if self.with_probability else NEXT
        chips = ARROW + max(self.chip, wide(head))
        if not self.with_probability:
            return chips
        numbers = (wide(one.probability.text) for one in self.following if one.probability is not None)
        return chips + 18 + max(*numbers, wide(PROBABILITY))

    @property
    def with_probability(self) -> bool:
        return any(one.probability is not None for one in self.following)

    @property
    def with_answer(self) -> bool:
        return any(one.answer for one in self.following)

    @property
    def next_width(self) -> float:
        """Of all that is after the boxes."""
        if not self.following:
            return 0.0
        answers = max((wide(_short(one.answer)) for one in self.following), default=0.0)
        return self.probabilities + (max(answers, wide(NEXT)) + 24 if self.with_answer else 0.0)


def _short(word: str) -> str:
    return word if len(word) <= MAX_LABEL_CHARS else f"{word[: MAX_LABEL_CHARS - 1]}…"


class _WindowsDrawing:
    def __init__(self, figure: Figure, data: Windows) -> None:
        self.figure, self.data = figure, data
        self.columns = _Columns(data.row_labels, data.column_labels, data.rows_are, data.following)
        self.end = self.columns.boxes_end(len(data.column_labels))

    def svg(self) -> str:
        parts = [*self._heads()]
        for row in range(len(self.data.rows)):
            parts.append(element("g", "".join(self._row(row, TOP + (HEIGHT + GAP) * row)), class_="row"))
        width = self.end + self.columns.next_width + 4
        return sheet(self.figure, parts, width, TOP + (HEIGHT + GAP) * len(self.data.rows) - GAP + 4)

    def _heads(self) -> Iterator[str]:
        columns = self.columns
        yield text(columns.left - 18, 12, self.data.rows_are or "position", "faint", SIZE, text_anchor="end")
        yield text(columns.left, 12, "attends to", "faint", SIZE)
        if self.data.following:
            yield text(self.end + ARROW, 12, PREDICTS if columns.with_probability else NEXT, "faint", SIZE)
        if columns.with_probability:
            yield text(self.end + columns.probabilities, 12, PROBABILITY, "faint", SIZE, text_anchor="end")
        if columns.with_answer:
            yield text(self.end + columns.probabilities + 24, 12, NEXT, "faint", SIZE)

    def _row(self, row: int, y: float) -> Iterator[str]:
        seen = self.data.seen[row]
        label = _short(self.data.row_labels[row])
        own = next((n for n, token in enumerate(self.data.column_labels) if n == row and token), None)
        is_window = any(seen) and all(seen[: sum(seen)]) and not any(seen[sum(seen) :])
        yield text(self.columns.left - 18, y + HEIGHT / 2 + SIZE * 0.35, label, text_anchor="end")
        for column, one in enumerate(self.data.rows[row]):
            yield pointed_at(one, self._box(column, y, seen[column], column == own))
        if is_window:
            first, last = self.columns.x(0), self.columns.boxes_end(sum(seen))
            frame = Box(first - 4, y - 4, last - first + 8, HEIGHT + 8)
            look: Attributes = {"class_": "ink", "fill": "none", "stroke": COLORS["ink"], "stroke_width": 1.4}
            yield element("rect", **corners(frame), rx=8, **look)
        if row < len(self.data.following):
            yield from self._next(self.data.following[row], y)

    def _box(self, column: int, y: float, is_seen: bool, is_own: bool) -> str:
        box = Box(self.columns.x(column), y, self.columns.width(column), HEIGHT)
        if not is_seen:
            empty: Attributes = {"class_": "paper edge", "fill": COLORS["paper"], "stroke": "#c9ccd3"}
            return element("rect", **corners(box), rx=5, stroke_dasharray="3 3", **empty)
        look: Attributes = {"class_": "leaf", "fill": "#dfe8f5"}
        if is_own:
            look = {"class_": "accent", "fill": COLORS["accent"]}
        words = words_at(
            box.middle,
            box.center,
            _short(self.data.column_labels[column]),
            "paper" if is_own else "ink",
            SIZE,
            font_weight="bold" if is_own else None,
        )
        return element("rect", **corners(box), rx=5, **look) + words

    def _next(self, one: NextToken, y: float) -> Iterator[str]:
        if not one.is_known:
            return
        x, middle = self.end + ARROW, y + HEIGHT / 2
        yield from arrow_to(self.end + 8, middle, x - 3, middle)
        box = Box(x, y, self.columns.chip, HEIGHT)
        look: Attributes = {"class_": "paper", "fill": COLORS["paper"], "stroke": COLORS["ink"]}
        if one.probability is None:
            look = {**look, "stroke_dasharray": "3 3"}
        yield element("rect", **corners(box), rx=HEIGHT / 2, **look)
        yield words_at(box.middle, middle, _short(one.word) or "?", "ink", SIZE, font_weight="bold")
        right = self.end + self.columns.probabilities
        if one.probability is not None:
            yield number(right, middle + SIZE * 0.35, one.probability, "ink", SIZE, text_anchor="end")
        if one.answer:
            yield words_at(right + 24, middle, _short(one.answer), "ink", SIZE, text_anchor="start")


windows = WindowsPage()
