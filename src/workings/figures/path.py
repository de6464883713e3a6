"""How far one word is from another: through a chain of states, and with attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData, Number
from ..document.monospace import Plain
from ..document.numbers import aligned
from ..engine.errors import CallError
from ..explain.step_view import StepView
from .parts.drawn import Box, area_look, arrow_to, corners, line_look, number_width, words_at
from .parts.matrix_window import Labels, shown
from .parts.numbers import can_be_drawn
from .parts.options import WORDS, option
from .parts.page import FigureExample, ShownStep, StepsFigurePage
from .parts.svg import COLORS, SIZE, TITLE, Attributes, cut, element, number, pointed_at, sheet, text, wide
from .parts.text_labels import fit, margin_of, padded

MAX_WORDS = 9
MAX_LABEL_CHARS = 12
# Of the SVG:
WIDTH = 576.0
GAP, LEAST_GAP = 30.0, 18.0  # for an arrow
MIN_BOX, BOX = 46.0, 30.0
BARS, BAR = 56.0, 20.0  # the height of a number of 1, and the width
ARCS = 74.0  # the height of the longest arc
HEAD, BETWEEN = 34.0, 44.0  # of a row; from row to row
MIN_LINE, MAX_LINE = 1.0, 8.0
CHAIN, DIRECT = "Step by step", "In one step"
# Of the text:
MAX_TEXT_BAR = 24  # columns
BLOCK, ASCII_BLOCK = "█", "#"


@dataclass(frozen=True)
class WordPath(FigureData):
    """The form `path`: the same words as a chain of states, each with a number, and with the attention weights of the
    last one.
    """

    words: tuple[str, ...]
    states: tuple[Number, ...]
    weights: tuple[Number, ...]


@dataclass(frozen=True)
class PathOptions:
    labels: tuple[str, ...] = option(WORDS, "The words, from the first state to the last.", ())


class PathPage(StepsFigurePage[WordPath, PathOptions]):
    """A path leads from the first word to the last in two ways: above, through a chain of states, each with a number,
    such as how much the last state depends on it; below, by attention, with a direct arrow. Name a step with a single
    number for each state, and then the attention weights, whose last row is drawn.
    """

    name = "path"
    summary = "from word to word through a chain of states, and directly with attention"
    data = WordPath
    options = PathOptions
    example = FigureExample("cat-sat", "dh1,dh2,dh3,dh4,weights", "recurrent")

    def build(self, steps: Sequence[ShownStep], options: PathOptions) -> Figure:
        figure = path_of([step.view for step in steps], steps[-1].labels, options.labels)
        data = figure.data
        assert isinstance(data, WordPath)
        states = tuple(step.located(one) for step, one in zip(steps, data.states, strict=False))
        weights = tuple(steps[-1].located(one) for one in data.weights)
        return Figure("path", figure.title, WordPath(data.words, states, weights), figure.alternative, figure.note)

    def svg(self, figure: Figure, data: WordPath) -> str:
        """The smaller a number, the lower its bar, and the thinner the arrow that goes on from it."""
        return _PathDrawing(figure, data).svg()

    def text(self, data: WordPath, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""The states one below the other, and then the weights of the last word.

        >>> states = tuple(Number(str(value), value, "1", (n,)) for n, value in enumerate((1.0, 0.5)))
        >>> print("\n".join(path.text(WordPath(("cat", "sat"), states, states), 40)))
        Step by step
          cat  1.0  ████████████████████████
           ↓
          sat  0.5  ████████████
        <BLANKLINE>
        In one step
          sat → cat  1.0  ██████████████████████
          sat → sat  0.5  ███████████
        """
        arrow, down = ("→", "↓") if fine else ("->", "|")
        words = [plain(word) for word in data.words]
        rows = [CHAIN, *_bars(words, data.states, width, fine, plain)]
        rows[2:] = [row for one in rows[2:] for row in (f"   {down}", one)]
        ways = [f"{words[-1]} {arrow} {word}" for word in words]
        return [*rows, "", DIRECT, *_bars(ways, data.weights, width, fine, plain)]


def _bars(labels: Sequence[str], numbers: Sequence[Number], width: int, fine: bool, plain: Plain) -> Iterator[str]:
    margin = margin_of(labels, width, str)
    texts = aligned([plain(one.text) for one in numbers])
    room = max(min(MAX_TEXT_BAR, width - margin - 6 - max(map(cell_len, texts))), 2)
    for label, one, words in zip(labels, numbers, texts, strict=True):
        bar = (BLOCK if fine else ASCII_BLOCK) * round(room * _fraction(one))
        yield fit_row(f"  {padded(label, margin, fine)}  {words}  {bar}".rstrip(), width, fine)


def fit_row(row: str, width: int, fine: bool) -> str:
    return row if cell_len(row) <= width else fit(row, width, fine)


def path_of(views: Sequence[StepView], labels: Labels | None = None, words: Sequence[str] = ()) -> Figure:
    """States, each a single number, and the attention weights of the last word, whose last keys are these states.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace("recurrent")
    >>> names = ("dh1", "dh2", "dh3", "dh4", "weights")
    >>> figure = path_of([trace[name] for name in names], words=("cat", "we", "saw", "sat"))
    >>> print(figure.alternative.partition(". ")[0])
    Step by step, 3 arrows lead from cat to sat: cat 0.1545, we 0.3368, saw 0.5681, sat 1
    """
    *states, weights = views
    count = len(states)
    many = next((view for view in states if view.shape), None)
    if many is not None or not 2 <= count <= MAX_WORDS:
        raise CallError(
            f"{many.name} is not a single number." if many else f"A path of {count} states cannot be drawn.",
            hint=f"Name from 2 to {MAX_WORDS} steps with a single number, and then the attention weights.",
            where=weights.path,
        )
    keys = weights.shape[-1] if weights.shape else 0
    if keys < count:
        raise CallError(
            f"{weights.name} has {keys} keys, but there are {count} states.",
            hint="Name attention weights with a key for each state.",
            where=weights.path,
        )
    names = list(words) or list((labels or {}).get(weights.axes[-1], ()))[-count:]
    if len(names) != count:
        names = [view.step.name for view in states] if not words else names
    if len(names) != count:
        raise CallError(f"There are {len(names)} labels for {count} states.", hint="Write one for each, or none.")
    lead = tuple(size - 1 for size in weights.shape[:-1])
    places = range(keys - count, keys)
    data = WordPath(
        tuple(cut(shown(name), MAX_LABEL_CHARS) for name in names),
        tuple(view.number() for view in states),
        tuple(weights.number(*lead, place) for place in places),
    )
    note = f"Only the last {count} of {keys} keys are drawn." if keys > count else ""
    return Figure("path", f"Two ways from {data.words[0]} to {data.words[-1]}", data, _in_words(data), note)


def _in_words(data: WordPath) -> str:
    first, last = data.words[0], data.words[-1]
    states, weights = (
        ", ".join(f"{word} {one.text}" for word, one in zip(data.words, numbers, strict=True))
        for numbers in (data.states, data.weights)
    )
    steps = len(data.words) - 1
    return (
        f"Step by step, {steps} arrow{'s' if steps > 1 else ''} lead{'' if steps > 1 else 's'} from {first} to {last}: "
        f"{states}. In one step, {last} attends to {weights}."
    )


def _fraction(one: Number) -> float:
    """How high a bar is; 1 is the highest."""
    return min(abs(float(one.value)), 1.0) if can_be_drawn(one) else 0.0


class _PathDrawing:
    """`boxes` are those of the words; they are above each other in both rows."""

    def __init__(self, figure: Figure, data: WordPath) -> None:
        self.figure, self.data = figure, data
        numbers = zip(data.states, data.weights, strict=True)
        texts = [max(number_width(one.text) for one in pair) for pair in numbers]
        widths = [max(MIN_BOX, wide(word) + 16, least) for word, least in zip(data.words, texts, strict=True)]
        gap = max(LEAST_GAP, min(GAP, (WIDTH - sum(widths)) / max(len(widths) - 1, 1)))
        x, self.boxes = 0.0, list[Box]()
        for width in widths:
            self.boxes.append(Box(x, 0, width, BOX))
            x += width + gap
        self.right = x - gap
        self.first = HEAD + 16 + BARS  # where the boxes of the chain are
        self.second = self.first + BOX + BETWEEN + HEAD + ARCS

    def svg(self) -> str:
        parts = [*self._chain(), *self._direct()]
        heads = max(self._head_width(CHAIN, self._steps), self._head_width(DIRECT, self._one_step))
        return sheet(self.figure, parts, max(self.right, heads), self.second + BOX + 26)

    @property
    def _steps(self) -> str:
        count = len(self.data.words) - 1
        return f"{count} step{'s' if count > 1 else ''} through a chain of states"

    @property
    def _one_step(self) -> str:
        return f"attention connects {self.data.words[-1]} with every word"

    def _head_width(self, name: str, about: str) -> float:
        return wide(name, TITLE) + 10 + wide(about)

    def _head(self, y: float, name: str, about: str) -> Iterator[str]:
        yield text(0, y + TITLE * 0.8, name, "ink", TITLE, font_weight="bold")
        yield text(wide(name, TITLE) + 10, y + TITLE * 0.8, about, "faint", SIZE)

    def _chain(self) -> Iterator[str]:
        """Boxes with arrows from each to the next, and a bar above each."""
        yield from self._head(0, CHAIN, self._steps)
        for place, (box, one) in enumerate(zip(self.boxes, self.data.states, strict=True)):
            own = box.moved(0, self.first)
            height = BARS * _fraction(one)
            accent: Attributes = {"class_": "accent", "fill": COLORS["accent"]}
            bar = Box(own.middle - BAR / 2, own.y - 4 - height, BAR, height)
            yield pointed_at(one, element("rect", **corners(bar), **accent))
            yield number(own.middle, bar.y - 5, one, "ink", SIZE, text_anchor="middle")
            yield from self._word(own, place)
            if place + 1 < len(self.boxes):
                after = self.boxes[place + 1]
                width = MIN_LINE + (MAX_LINE - MIN_LINE) * _fraction(one)
                yield from _thick_arrow(own.right + 2, after.x - 2, own.center, width)

    def _word(self, box: Box, place: int) -> Iterator[str]:
        is_end = place in (0, len(self.boxes) - 1)
        yield element("rect", **corners(box), rx=8, **area_look("query" if is_end else "activation"))
        bold = "bold" if is_end else None
        yield words_at(box.middle, box.center, self.data.words[place], "ink", SIZE, font_weight=bold)

    def _direct(self) -> Iterator[str]:
        """An arc from the last word to each: the larger its attention weight, the thicker."""
        top = self.first + BOX + BETWEEN
        yield from self._head(top, DIRECT, self._one_step)
        order = sorted(range(len(self.boxes)), key=lambda place: place == 0)
        for place in order:
            one, box = self.data.weights[place], self.boxes[place].moved(0, self.second)
            inside = "".join((*self._arc(place), *self._word(box, place)))
            inside += number(box.middle, box.bottom + 18, one, "ink", SIZE, **self._weight_look(place))
            yield element("g", inside, class_="row")

    def _weight_look(self, place: int) -> Attributes:
        return {"text_anchor": "middle", "font_weight": "bold" if place == 0 else None}

    def _arc(self, place: int) -> Iterator[str]:
        """From the last word to this one; the further away, the higher."""
        if place == len(self.boxes) - 1:
            return
        one, end, start = self.data.weights[place], self.boxes[place].middle, self.boxes[-1].middle
        high = ARCS * (start - end) / (start - self.boxes[0].middle)
        fraction = _fraction(one)
        y, is_first = self.second - 2, place == 0
        look = line_look("accent" if is_first else "faint", MIN_LINE + (MAX_LINE - MIN_LINE) * fraction)
        bend = y - high * 1.25
        line = f"M{start:.1f},{y:.1f}C{start:.1f},{bend:.1f} {end:.1f},{bend:.1f} {end:.1f},{y - 7:.1f}"
        opacity = 1.0 if is_first else 0.45 + 0.55 * fraction
        arc = element("path", d=line, **look, stroke_opacity=opacity)
        size = 4 + MAX_LINE * fraction * 0.5
        tip = f"M{end:.1f},{y:.1f}l{-size:.1f},-8h{2 * size:.1f}z"
        head = element("path", d=tip, class_=look["class_"], fill=look["stroke"], fill_opacity=opacity)
        yield pointed_at(one, arc + head)


def _thick_arrow(x: float, to_x: float, y: float, width: float) -> Iterator[str]:
    if width < 2.5:
        yield from arrow_to(x, y, to_x, y, "accent", width)
        return
    look: Attributes = {"class_": "accent", "stroke": COLORS["accent"], "stroke_width": width}
    yield element("line", x1=x, y1=y, x2=to_x - 8, y2=y, **look)
    half = 3.0 + width / 2
    tip = f"M{to_x:.1f},{y:.1f}l-9,{-half:.1f}v{2 * half:.1f}z"
    yield element("path", d=tip, class_="accent", fill=COLORS["accent"])


path = PathPage()
