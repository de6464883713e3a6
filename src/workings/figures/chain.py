"""A chain of states, such as those of a recurrent network, each with a number that is carried along it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData, Number
from ..document.monospace import Plain
from ..document.numbers import Style, aligned, write
from ..engine.errors import CallError
from ..explain.step_view import StepView
from .parts.axes import LARGEST, Axis, Tick
from .parts.colors import strength
from .parts.matrix_window import Labels, MatrixWindow, nothing_to_draw, shown, window_of
from .parts.numbers import can_be_drawn, joined_notes, largest_of, not_drawn, only_first
from .parts.options import WORDS, option
from .parts.page import FigureExample, ShownStep, StepsFigurePage
from .parts.svg import COLORS, SIZE, SMALL, Attributes, cut, element, number, sheet, text, wide
from .parts.text_labels import fit, margin_of, padded

MAX_STATES = 32
MAX_ENTRIES = 4096  # of a row in which the largest is looked for
# Of the SVG:
WIDTH = 600.0  # of a row; the chain goes on below
BAR, BOX, BELOW = 56.0, 28.0, 40.0  # heights of the highest bar, of a box, and of what is below it
GAP = 26.0  # for an arrow
MIN_BOX = 44.0  # width
MAX_NAME_CHARS = 12
MIN_WIDTH, MAX_WIDTH = 0.8, 6.0  # of an arrow
MIN_OPACITY = 0.35
# Of the text:
MAX_BAR = 32  # columns
BLOCK, ASCII_BLOCK = "█", "#"
ARROW, ASCII_ARROW = "↓", "|"


@dataclass(frozen=True)
class StateChain(FigureData):
    """The form `chain`: states one after the other, each with a number, on a scale from 0 to the largest."""

    scale: Axis
    states: tuple[ChainState, ...]


@dataclass(frozen=True)
class ChainState:
    """`word` is written below the state; there may be none."""

    name: str
    word: str
    number: Number


@dataclass(frozen=True)
class ChainOptions:
    names: tuple[str, ...] = option(WORDS, "The names of the states.", ())
    labels: tuple[str, ...] = option(WORDS, "A word below each state.", ())


class ChainPage(StepsFigurePage[StateChain, ChainOptions]):
    """A chain has a state for each entry of a vector, for each row of a matrix, or for each of several steps. Of a row,
    and of a step with several entries, it shows the largest entry by magnitude.
    """

    name = "chain"
    summary = "states one after the other, each with a number: the entries of a vector, or several steps"
    data = StateChain
    options = ChainOptions
    example = FigureExample("example-1", "P")

    def build(self, steps: Sequence[ShownStep], options: ChainOptions) -> Figure:
        views = [step.view for step in steps]
        figure = chain_of(views[0] if len(views) == 1 else views, steps[0].labels, options.names, options.labels)
        assert isinstance(figure.data, StateChain)
        owners = steps if len(steps) > 1 else repeat(steps[0])
        states = (step.located(state) for step, state in zip(owners, figure.data.states, strict=False))
        return replace(figure, data=replace(figure.data, states=tuple(states)))

    def svg(self, figure: Figure, data: StateChain) -> str:
        """The smaller a number, the lower its bar, and the thinner and fainter the arrow from its state to the next."""
        return _ChainDrawing(figure, data).svg()

    def text(self, data: StateChain, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""The states one below the other, each with a bar and its number.

        >>> numbers = Number("0.25", 0.25, "1", (0,)), Number("1.0", 1.0, "1", (1,))
        >>> states = tuple(ChainState(f"h_{n}", word, numbers[n]) for n, word in enumerate(("The", "cat")))
        >>> print("\n".join(chain.text(StateChain(Axis("", 0, 1, ()), states), 30)))
        h_0  The  ███▌            0.25
         ↓
        h_1  cat  ██████████████  1.0
        """
        names = [plain(state.name) for state in data.states]
        words = [plain(state.word) for state in data.states]
        margins = margin_of(names, width, plain), margin_of(words, width // 2, plain)
        numbers = aligned([plain(state.number.text) for state in data.states])
        taken = margins[0] + 2 + (margins[1] + 2 if margins[1] else 0) + 2 + max(map(cell_len, numbers))
        room = max(min(MAX_BAR, width - taken), 4)
        rows: list[str] = []
        for name, word, state, value in zip(names, words, data.states, numbers, strict=True):
            rows += [f" {ARROW if fine else ASCII_ARROW}"] if rows else []
            label = f"{padded(name, margins[0], fine)}  "
            label += f"{padded(word, margins[1], fine)}  " if margins[1] else ""
            row = f"{label}{padded(_bar(data.scale, state.number, room, fine), room)}  {value}".rstrip()
            rows.append(row if cell_len(row) <= width else fit(row, width, fine))
        return rows


def chain_of(
    steps: StepView | Sequence[StepView],
    labels: Labels | None = None,
    names: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Figure:
    """One state for each entry of a vector, for each row of a matrix, or for each of several steps; of a row, and of a
    step with several entries, the largest entry by magnitude. `names` are those of the states, `words` are written
    below them.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     trace.start_from(w.given([0.02, 0.15, 1.0], "token", name="heard"))
    >>> figure = chain_of(trace["heard"], {"token": ("The", "cat", "sat")}, names=("h_1", "h_2", "h_3"))
    >>> print(figure.alternative)
    h_1 (The) 0.02, h_2 (cat) 0.15, h_3 (sat) 1.0.
    """
    views = [steps] if isinstance(steps, StepView) else list(steps)
    windows = [
        window_of(one.trace, one, labels, most=(MAX_STATES, MAX_ENTRIES), follow_convention=False) for one in views
    ]
    rows, own_names, own_words = _states(windows)
    numbers = [_largest(row) for row in rows][:MAX_STATES]
    count = len(rows) if len(views) > 1 else _count(views[0])
    for given in (names, words):
        if given and len(given) != count:
            raise CallError(
                f"There are {len(given)} names or labels, but the chain has {count} states.",
                hint="Give one for each state, or none.",
                where=views[0].path,
            )
    values = [abs(float(one.value)) for one in numbers if can_be_drawn(one)]
    if not values:
        raise nothing_to_draw(views[0])
    titles, below = list(names or own_names), [shown(word) for word in words or own_words]
    states = tuple(ChainState(titles[place], below[place] if below else "", one) for place, one in enumerate(numbers))
    title = windows[0].title
    if len(views) > 1:
        title = f"{title} to {windows[-1].title}"
    data = StateChain(_scale(max(values), windows[0].style), states)
    return Figure("chain", f"{title} along a chain", data, _in_words(states), _note(rows, values, count))


def _states(windows: list[MatrixWindow]) -> tuple[list[tuple[Number, ...]], list[str], Sequence[str]]:
    """The numbers of each state, the names of the states, and the words below them."""
    if len(windows) > 1:
        return [window.numbers for window in windows], [window.title for window in windows], ()
    window = windows[0]
    is_vector = len(window.step.shape) == 1
    rows: list[tuple[Number, ...]] = list(window.rows)
    if is_vector:
        rows = [(one,) for one in window.rows[0]]
    names = [f"{window.step.name}[{window.style.notation.place(place)}]" for place in range(len(rows))]
    return rows, names, window.column_labels if is_vector else window.row_labels


def _count(view: StepView) -> int:
    """How many states there are along one step."""
    if len(view.shape) not in (1, 2) or view.shape[0] < 2:
        raise CallError(
            f"{view.form!s} is not a chain of states.",
            hint="Choose a vector with an entry, or a matrix with a row, for each of two states or more; or "
            "name several steps.",
            where=view.path,
        )
    return view.shape[0]


def _largest(numbers: tuple[Number, ...]) -> Number:
    return numbers[largest_of(numbers) or 0]


def _scale(most: float, style: Style) -> Axis:
    """From 0 to the largest, by which every number is drawn."""
    zero = Tick(0.0, write(0.0, Style(digits=1, point=style.point)))
    return Axis("", 0.0, most if most > 1 / LARGEST else 1.0, (zero,))


def _in_words(states: tuple[ChainState, ...]) -> str:
    words = (f"{state.name} ({state.word})" if state.word else state.name for state in states)
    return ", ".join(f"{name} {state.number.text}" for name, state in zip(words, states, strict=True)) + "."


def _note(rows: list[tuple[Number, ...]], values: list[float], count: int) -> str:
    return joined_notes(
        only_first(MAX_STATES, count),
        "Each state shows its largest entry by magnitude." if max(map(len, rows)) > 1 else "",
        not_drawn(min(len(rows), MAX_STATES) - len(values)),
    )


class _ChainDrawing:
    def __init__(self, figure: Figure, chain: StateChain) -> None:
        self.figure, self.chain = figure, chain
        widths = [
            max(
                wide(cut(state.name, MAX_NAME_CHARS)),
                wide(cut(state.word, MAX_NAME_CHARS)),
                wide(state.number.text, SMALL),
            )
            for state in chain.states
        ]
        self.box = max(MIN_BOX, *widths) + 8
        self.fractions = [_fraction(chain.scale, state.number) for state in chain.states]
        self.in_row = max(int(WIDTH / (self.box + GAP)), 2)

    def svg(self) -> str:
        """Row by row; a row is as high as its highest bar."""
        count, top = len(self.chain.states), 0.0
        parts: list[str] = []
        for first in range(0, count, self.in_row):
            places = range(first, min(first + self.in_row, count))
            top += SMALL * 1.5 + BAR * max(self.fractions[place] for place in places)
            for place in places:
                parts += self._state(place, (place - first) * (self.box + GAP), top)
            top += BOX + BELOW
        return sheet(self.figure, parts, min(count, self.in_row) * (self.box + GAP), top)

    def _state(self, place: int, x: float, y: float) -> Iterator[str]:
        """The box of a state begins here, and what belongs to it is above and below."""
        state, fraction = self.chain.states[place], self.fractions[place]
        height = BAR * fraction
        bar = {"x": x + self.box / 2 - 9, "y": y - height, "width": 18.0, "height": height}
        if fraction:
            yield element("rect", **bar, class_="accent", fill=COLORS["accent"])
        middle = x + self.box / 2
        yield number(middle, y - height - 5, state.number, "ink", SMALL, text_anchor="middle")
        look: Attributes = {"class_": "paper", "fill": COLORS["paper"], "stroke": COLORS["ink"]}
        yield element("rect", x=x, y=y, width=self.box, height=BOX, rx=8, **look)
        yield text(middle, y + BOX / 2 + SIZE * 0.35, cut(state.name, MAX_NAME_CHARS), text_anchor="middle")
        yield text(middle, y + BOX + SIZE * 1.3, cut(state.word, MAX_NAME_CHARS), "faint", text_anchor="middle")
        if place + 1 < len(self.chain.states):
            yield from self._arrow(x + self.box, y + BOX / 2, fraction)

    def _arrow(self, x: float, y: float, fraction: float) -> Iterator[str]:
        """To the next state; at the end of a row it says that the chain goes on."""
        opacity = MIN_OPACITY + (1 - MIN_OPACITY) * fraction
        thick = MIN_WIDTH + (MAX_WIDTH - MIN_WIDTH) * fraction
        line = {"x1": x, "y1": y, "x2": x + GAP - 8, "y2": y}
        accent = COLORS["accent"]
        yield element("line", **line, stroke=accent, stroke_width=thick, class_="accent", stroke_opacity=opacity)
        half = 3 + thick / 2
        head = f"M{x + GAP - 1:.1f},{y:.1f}l-8,{-half:.1f}v{2 * half:.1f}z"
        yield element("path", d=head, class_="accent", fill=accent, fill_opacity=opacity)


def _fraction(scale: Axis, one: Number) -> float:
    return 0.0 if isinstance(one.value, str) else abs(strength(scale, one.value))


def _bar(scale: Axis, one: Number, room: int, fine: bool) -> str:
    halves = round(_fraction(scale, one) * room * 2)
    return (BLOCK if fine else ASCII_BLOCK) * (halves // 2) + ("▌" if fine and halves % 2 else "")


chain = ChainPage()
