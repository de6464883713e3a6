"""Softmax with a temperature: what becomes of the same logits when they are divided before the softmax."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData, Index, Number, Words
from ..document.monospace import Plain
from ..document.numbers import aligned
from ..engine.errors import CallError
from ..explain.step_view import StepView
from .parts.drawn import number_width, span_line, words_at
from .parts.matrix_window import Labels, shown
from .parts.options import NoOptions
from .parts.page import FigureExample, ShownStep, StepsFigurePage
from .parts.svg import COLORS, SIZE, TITLE, Attributes, cut, element, number, pointed_at, sheet, text, wide
from .parts.text_labels import fit, margin_of, padded

DIVIDED, SCALED, ROOT = "divide_by", "scale", "divide_by_root"
MAX_WORDS, MAX_COLUMNS = 10, 4
MAX_LABEL_CHARS = 14
# Of the SVG:
WIDTH = 576.0
TOP, ROW = 52.0, 32.0  # above the first word; from word to word
GAP = 22.0
MIN_BAR, MAX_BAR, BAR_HEIGHT = 28.0, 120.0, 20.0
# Of the text:
MAX_TEXT_BAR = 12  # columns
BLOCK, ASCII_BLOCK = "█", "#"


@dataclass(frozen=True)
class TemperedColumn:
    """The probabilities at one temperature. `sign` comes before its number; where the logits are not divided, `divisor`
    is missing.
    """

    name: str
    sign: str
    divisor: Number | None
    probabilities: tuple[Number, ...]
    top: int

    @property
    def title(self) -> str:
        return f"{self.sign}{self.divisor.text}" if self.divisor is not None else f"{self.sign}1"


@dataclass(frozen=True)
class Temperatures(FigureData):
    """The form `temperature`: words with their logits, and a column of probabilities for each temperature."""

    words: tuple[str, ...]
    logits_name: str
    logits: tuple[Number, ...]
    columns: tuple[TemperedColumn, ...]


class TemperaturePage(StepsFigurePage[Temperatures, NoOptions]):
    """A figure of the temperature shows the same logits after several softmaxes: each named step is the softmax of
    these logits, divided by a temperature, which the figure finds in the run. A step that divides nothing has the
    temperature 1.
    """

    name = "temperature"
    summary = "the probabilities that the same logits give at several temperatures"
    data = Temperatures
    options = NoOptions
    example = FigureExample("cat-sat", "P_cold,P,P_hot", "temperatures")

    def build(self, steps: Sequence[ShownStep], options: NoOptions) -> Figure:
        figure = temperature_of([step.view for step in steps], steps[0].labels, steps[0].index)
        return steps[0].located(figure)

    def svg(self, figure: Figure, data: Temperatures) -> str:
        """A row for each word, and a column of bars for each temperature; a frame is as long as a probability of 1."""
        return _TemperatureDrawing(figure, data).svg()

    def text(self, data: Temperatures, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """A block for each temperature, with a bar for each word."""
        words = [plain(word) for word in data.words]
        margin = margin_of(words, width, plain)
        logits = aligned([plain(one.text) for one in data.logits])
        rows = [fit(plain(data.logits_name), width, fine)]
        rows += [f"{padded(word, margin, fine)}  {one}".rstrip() for word, one in zip(words, logits, strict=True)]
        for column in data.columns:
            rows += ["", fit(plain(f"{column.title}: {column.name}"), width, fine)]
            numbers = aligned([plain(one.text) for one in column.probabilities])
            room = min(max(width - margin - 4 - max(map(cell_len, numbers)), 2), MAX_TEXT_BAR * 2)
            for word, one, entry in zip(words, numbers, column.probabilities, strict=True):
                length = round(room * max(0.0, min(float(entry.value), 1.0)))
                bar = (BLOCK if fine else ASCII_BLOCK) * length
                rows.append(f"{padded(word, margin, fine)}  {one}  {bar}".rstrip())
        return rows


def temperature_of(views: Sequence[StepView], labels: Labels | None = None, at: Index = ()) -> Figure:
    """Softmaxes of the same logits, each divided by a temperature.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace("temperatures")
    >>> figure = temperature_of([trace["P_cold"], trace["P"], trace["P_hot"]], {"vocab": ("on", "down", "still", "up")})
    >>> [(column.title, column.probabilities[0].text) for column in figure.data.columns]
    [('T = 0.5', '0.8031'), ('T = 1', '0.5879'), ('T = 2', '0.4268')]
    """
    if len(views) > MAX_COLUMNS:
        raise CallError(
            f"{len(views)} temperatures have no room side by side.", hint=f"Name at most {MAX_COLUMNS} steps."
        )
    sources = [_logits_of(view) for view in views]
    logits = sources[0]
    other = next((one for one in sources if one.id != logits.id or one.recording is not logits.recording), None)
    if other is not None:
        raise CallError(
            f"These are not the same logits: {logits.name} and {other.name}.",
            hint="Name softmaxes of one step, each divided by another temperature.",
            where=other.path,
        )
    lead = _lead(logits, at)
    count = logits.shape[-1]
    order = sorted(range(count), key=lambda place: -float(logits.value[(*lead, place)]))[:MAX_WORDS]
    places = sorted(order)
    given = (labels or {}).get(logits.axes[-1], ())
    place_name = logits.trace.style.notation.place
    words = [shown(given[place]) if len(given) == count else str(place_name(place)) for place in places]
    data = Temperatures(
        tuple(cut(word, MAX_LABEL_CHARS) for word in words),
        logits.trace.style.notation.path(logits.step.name),
        tuple(logits.number(*lead, place) for place in places),
        tuple(_column(view, lead, places) for view in views),
    )
    note = f"These are the {MAX_WORDS} largest of {count} logits." if count > MAX_WORDS else ""
    return Figure("temperature", f"Softmax of {data.logits_name} at several temperatures", data, _in_words(data), note)


def _logits_of(view: StepView) -> StepView:
    """What is divided by a temperature, if anything is."""
    if view.op != "softmax" or not view.shape:
        raise CallError(
            f"{view.name} is not the result of a softmax.",
            hint="Name softmaxes of the same logits, each divided by another temperature.",
            where=view.path,
            given=view.op,
        )
    source = view.inputs[0]
    return source.inputs[0] if source.op in (DIVIDED, SCALED, ROOT) else source


def _lead(view: StepView, at: Index) -> Index:
    """The places of the leading axes; the last row, if none is given."""
    sizes = view.shape[:-1]
    if len(at) > len(sizes) or any(place >= size for place, size in zip(at, sizes, strict=False)):
        raise CallError(
            f"There is no row at {list(at)} in {view.form!s}.",
            hint="Give an index, counted from 0, for each axis before the last one, or none.",
            where=view.path,
        )
    return (*at, *(size - 1 for size in sizes[len(at) :]))


def _column(view: StepView, lead: Index, places: Sequence[int]) -> TemperedColumn:
    source = view.inputs[0]
    probabilities = tuple(view.number(*lead, place) for place in places)
    top = max(range(len(places)), key=lambda place: float(probabilities[place].value))
    name = view.trace.style.notation.path(view.step.name)
    if source.op not in (DIVIDED, SCALED, ROOT):
        return TemperedColumn(name, "T = ", None, probabilities, top)
    lines = source.cell(*lead, places[0]).lines
    settings = (span for line in lines for form in line.forms for span in form if isinstance(span, Number))
    divisor = next((span for span in settings if span.role == "setting"), None)
    sign = {DIVIDED: "T = ", SCALED: "× ", ROOT: "÷ √"}[source.op]
    return TemperedColumn(name, sign, divisor, probabilities, top)


def _in_words(data: Temperatures) -> str:
    sentences = []
    for column in data.columns:
        listed = ", ".join(f"{word} {one.text}" for word, one in zip(data.words, column.probabilities, strict=True))
        sentences.append(f"{column.title}: {listed}.")
    logits = ", ".join(f"{word} {one.text}" for word, one in zip(data.words, data.logits, strict=True))
    return f"The logits are {logits}. {' '.join(sentences)}"


class _TemperatureDrawing:
    def __init__(self, figure: Figure, data: Temperatures) -> None:
        self.figure, self.data = figure, data
        self.words = max(wide(word) for word in data.words) + 14
        self.logits = max(wide(data.logits_name), *(number_width(one.text) for one in data.logits))
        self.numbers = [max(number_width(one.text) for one in column.probabilities) for column in data.columns]
        room = WIDTH - self.words - self.logits - sum(self.numbers) - GAP * len(data.columns)
        self.bar = max(MIN_BAR, min(room / len(data.columns), MAX_BAR))
        self.columns, x = list[float](), self.words + self.logits + GAP
        for width in self.numbers:
            self.columns.append(x)
            x += self.bar + width + GAP
        self.right = x - GAP

    def svg(self) -> str:
        parts = [*self._heads()]
        for place in range(len(self.data.words)):
            parts.append(element("g", "".join(self._row(place, TOP + ROW * place)), class_="row"))
        return sheet(self.figure, parts, self.right, TOP + ROW * len(self.data.words))

    def _heads(self) -> Iterator[str]:
        """The temperature of each column, and what it does to the probabilities."""
        x = self.words + self.logits / 2
        yield words_at(x, 8, self.data.logits_name, "ink", TITLE, font_weight="bold")
        for x, column in zip(self.columns, self.data.columns, strict=True):
            divisor = column.divisor if column.divisor is not None else Words("1")
            yield span_line(x, 8 + TITLE * 0.35, (Words(column.sign), divisor), None, TITLE, font_weight="bold")
            yield text(x, 28 + SIZE * 0.35, self._effect(column), "faint", SIZE)

    def _effect(self, column: TemperedColumn) -> str:
        """In a word, compared with the logits as they are."""
        if column.divisor is None:
            return "as they are"
        value = float(column.divisor.value)
        sharper = value > 1 if column.sign == "× " else value < 1
        return "sharper" if sharper else "flatter"

    def _row(self, place: int, y: float) -> Iterator[str]:
        middle = y + ROW / 2 - 6
        baseline = middle + SIZE * 0.35
        yield text(self.words - 14, baseline, self.data.words[place], "ink", SIZE, text_anchor="end")
        one = self.data.logits[place]
        yield number(self.words + self.logits / 2, baseline, one, "ink", SIZE, text_anchor="middle")
        for x, column in zip(self.columns, self.data.columns, strict=True):
            entry = column.probabilities[place]
            yield pointed_at(entry, "".join(self._bar(entry, x, middle - BAR_HEIGHT / 2)))
            bold = "bold" if place == column.top else None
            yield number(x + self.bar + 8, baseline, entry, "ink", SIZE, font_weight=bold)

    def _bar(self, one: Number, x: float, y: float) -> Iterator[str]:
        frame: Attributes = {"class_": "paper edge", "fill": COLORS["paper"], "stroke": "#c9ccd3"}
        yield element("rect", x=x, y=y, width=self.bar, height=BAR_HEIGHT, rx=3, **frame)
        length = self.bar * max(0.0, min(float(one.value), 1.0))
        accent: Attributes = {"class_": "accent", "fill": COLORS["accent"]}
        yield element("rect", x=x, y=y, width=length, height=BAR_HEIGHT, rx=min(3.0, length / 2), **accent)


temperature = TemperaturePage()
