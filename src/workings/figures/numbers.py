"""The forward pass with its numbers: every matrix in its place, and each arrow with its operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..document.blocks import Figure, FigureData
from ..document.monospace import Plain
from ..document.notation import Notation, distinct_name
from ..engine.errors import CallError
from ..engine.recording import Recording
from ..engine.steps import Step
from ..explain.step_view import StepView
from ..explain.story import is_shown
from ..explain.trace import Trace
from .parts.drawn import HUES, Box, CellMatrix, arrow_along, words_at
from .parts.layers import LayeredBoxes, Route
from .parts.matrix_part import MatrixPart, matrix_part, note_about
from .parts.operations import operation_of
from .parts.options import NAME, option
from .parts.page import FigureExample, FigureRequest, RunFigurePage, Takes
from .parts.step_graph import StepGraph, forward_steps
from .parts.svg import SIZE, TITLE, sheet, text, wide
from .parts.text_labels import fit
from .parts.text_matrix import text_matrix

MAX_STEPS = 16
WHOLE = 4  # rows and columns of a matrix that is drawn whole
ROWS, COLUMNS = 3, 2  # of the corner of a larger one
WIDTH = 576.0
HEAD, LABELS = 24.0, 20.0  # for a name, and for labels of columns
TIP = 6.0  # from an arrow to the labels of rows
MIN_GAP, LANES = 28.0, 24.0  # before a matrix, and between lanes
FAN = 16.0  # more, where arrows to several matrices begin
MOVES = ("split_heads", "merge_heads", "reshape", "permute", "transpose")
WORDS = ("token", "query", "key", "vocab")  # axes whose places have words


@dataclass(frozen=True)
class NumbersStep:
    """A matrix, the operation that it is the result of, and the places of the steps that it is computed from."""

    matrix: MatrixPart
    operation: str
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class ForwardNumbers(FigureData):
    """The form `numbers`: the steps of a forward pass in their order."""

    steps: tuple[NumbersStep, ...]


@dataclass(frozen=True)
class NumbersOptions:
    under: str = option(NAME, "The module whose steps are drawn, instead of the whole forward pass.", "")


class NumbersPage(RunFigurePage[ForwardNumbers, NumbersOptions]):
    """`numbers` shows the forward pass with all of its numbers, from the tokens to the probabilities, with the
    operation on each arrow. Small matrices are drawn whole, of larger ones there is a corner. In a larger model, name
    the steps to draw, or a module: `numbers:block1.attention`.
    """

    name = "numbers"
    summary = "the forward pass with the matrices themselves, and the operation on each arrow"
    takes = Takes.ANY_STEPS
    data = ForwardNumbers
    options = NumbersOptions
    module_option = "under"
    example = FigureExample("example-1")

    def build(self, request: FigureRequest, options: NumbersOptions) -> Figure:
        return numbers_of(request.trace, options.under, request.names)

    def svg(self, figure: Figure, data: ForwardNumbers) -> str:
        return _NumbersDrawing(figure, data).svg()

    def text(self, data: ForwardNumbers, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """One matrix below the other, each with its operation."""
        rows: list[str] = []
        for one in data.steps:
            part = one.matrix
            rows += [""] if rows else []
            sources = ", ".join(data.steps[place].matrix.name for place in one.inputs)
            how = f"  ({one.operation})" if not sources else f"  from {sources}: {one.operation}"
            rows.append(fit(plain(f"{part.name}{how if one.operation else ''}"), width, fine))
            labels = part.row_labels if any(part.row_labels) else ()
            rows += text_matrix(part.rows, labels, part.column_labels, (), plain, fine).lines_within(width)
        return rows


def numbers_of(trace: Trace, under: str = "", names: Sequence[str] = ()) -> Figure:
    """The forward pass of a trace, or of one module, or the named steps.

    >>> import workings as w
    >>> figure = numbers_of(w.scenario("cat-sat").trace())
    >>> [(one.matrix.name, one.operation) for one in figure.data.steps]
    [('scores', ''), ('V', ''), ('scaled', '÷ √64'), ('weights', 'softmax'), ('context', '· V')]
    """
    recording = trace.recording
    chosen = [trace.find_step(name) for name in names] if names else _main_steps(recording, under)
    if not chosen:
        raise CallError(
            f"No step is computed in {under or 'this trace'}.",
            hint="Name a module of the forward pass, or some of its steps.",
        )
    if len(chosen) > MAX_STEPS:
        raise CallError(
            f"There are {len(chosen)} steps, but only {MAX_STEPS} have room with their numbers.",
            hint="Name a module, such as block1.attention, or the steps to draw.",
        )
    graph = StepGraph.of(recording, chosen, only=True)
    found = [part.result for part in graph.parts]
    steps = tuple(_drawn(trace, step, found, tuple(read)) for step, read in zip(found, graph.inputs, strict=True))
    data = ForwardNumbers(steps)
    title = f"The numbers of {under}" if under else "The forward pass in numbers"
    note = note_about([one.matrix for one in steps], found)
    return Figure("numbers", title, data, _in_words(data, trace.style.notation), note)


def _main_steps(recording: Recording, under: str) -> list[Step]:
    """The steps with a name, and what is given to them."""
    forward = [step for step in forward_steps(recording) if is_shown(recording, step)]
    computed = [step for step in forward if step.leaf is None and (not under or f".{under}." in f".{step.path}")]
    read = {id for step in computed for id in step.inputs}
    if under:
        return computed
    given = [step for step in forward if step.leaf == "given" and step.id in read and step.name != "target"]
    ids = {step.id for step in (*given, *computed)}
    return [step for step in forward if step.id in ids]


def _drawn(trace: Trace, step: Step, others: Sequence[Step], inputs: tuple[int, ...]) -> NumbersStep:
    view = StepView(trace, step)
    sizes = (1, 1, *view.shape)[-2:]
    rows, columns = (size if size <= WHOLE else most for size, most in zip(sizes, (ROWS, COLUMNS), strict=True))
    axes = ("", "", *view.axes)[-2:]
    labels = trace.labels(view)
    part = matrix_part(view, rows, columns, labels)
    kept = [
        own if axis in WORDS and len(labels.get(axis, ())) == size else ()
        for own, axis, size in zip((part.row_labels, part.column_labels), axes, sizes, strict=True)
    ]
    name = distinct_name(trace.recording, step, others, trace.style.notation)
    part = replace(part, name=name, row_labels=kept[0], column_labels=kept[1])
    return NumbersStep(part, _operation(view, {other.id for other in others}) if step.leaf is None else "", inputs)


def _operation(view: StepView, drawn: set[str]) -> str:
    """How a step is computed; where it only splits or joins what is not drawn, how that is."""
    while view.op in MOVES and view.inputs[0].step.leaf is None and view.inputs[0].id not in drawn:
        view = view.inputs[0]
    return operation_of(view)


def _in_words(data: ForwardNumbers, notation: Notation) -> str:
    sentences = []
    for one in data.steps:
        sources = " and ".join(data.steps[place].matrix.name for place in one.inputs)
        if sources:
            sentences.append(
                f"{one.matrix.name} ({one.matrix.shape}) from {sources} ({one.operation})".replace(" ()", "")
            )
    return (
        f"Each step with its numbers: {'; '.join(sentences)}. At the end, {_result(data.steps[-1].matrix, notation)}."
    )


def _result(part: MatrixPart, notation: Notation) -> str:
    """One row of a matrix: the last one, or the first where only some of them are drawn."""
    row = part.rows[0 if part.more[0] else -1]
    name = part.name + "".join(f"[{notation.place(place)}]" for place in row[0].index[:-2])
    if len(part.rows) > 1 or part.more[0]:
        name = f"the {'first' if part.more[0] else 'last'} row of {name}"
    labels = part.column_labels or ("",) * len(row)
    numbers = [f"{label} {one.text}".strip() for label, one in zip(labels, row, strict=True)]
    return f"{name} is {', '.join([*numbers, *(['…'] if part.more[1] else [])])}"


# -- as SVG ----------------------------------------------------------------------------------------------


class _NumbersDrawing:
    def __init__(self, figure: Figure, data: ForwardNumbers) -> None:
        self.figure, self.data = figure, data
        self.matrices = [one.matrix.cells() for one in data.steps]
        readers = Counter(place for one in data.steps for place in one.inputs)
        sizes, gaps = [], []
        for one, matrix in zip(data.steps, self.matrices, strict=True):
            name = wide(one.matrix.name, TITLE)
            sizes.append((_labels_width(matrix) + max(matrix.width, name), matrix.height))
            fan = FAN if any(readers[place] > 2 for place in one.inputs) else 0.0
            gaps.append(max(MIN_GAP, wide(one.operation) + 10) + fan)
        self.head = HEAD + (LABELS if any(matrix.labels_height for matrix in self.matrices) else 0.0)
        inputs = [one.inputs for one in data.steps]
        self.layout = LayeredBoxes(inputs, sizes, gaps, WIDTH, self.head + 12)
        self.tops, y = list[float](), 0.0
        for height in self.layout.heights:
            self.tops.append(y + self.head)
            y += self.head + height + LANES
        self.height = y - LANES

    def svg(self) -> str:
        parts: list[str] = []
        for route in self.layout.routes():
            parts += self._arrow(route)
        for node in range(len(self.data.steps)):
            parts += self._matrix(node)
            parts += self._operation(node)
        return sheet(self.figure, parts, self.layout.width, self.height + 4)

    def _box(self, node: int) -> Box:
        return self.layout.boxes[node].moved(0, self.tops[self.layout.lane_of[node]])

    def _matrix(self, node: int) -> Iterator[str]:
        """Its name above it, and its numbers."""
        part, matrix, box = self.data.steps[node].matrix, self.matrices[node], self._box(node)
        x = box.x + _labels_width(matrix)
        role = part.role if part.role in HUES else "activation"
        fill = HUES[role].strong
        y = box.y - matrix.labels_height - 9
        yield text(x, y, part.name, role, TITLE, fill=fill, font_weight="bold")
        yield from matrix.draw(x, box.y)

    def _operation(self, node: int) -> Iterator[str]:
        """At the arrow that leads to a matrix: above its end, or below it where the arrow comes from above."""
        one, box = self.data.steps[node], self._box(node)
        if not one.operation or not one.inputs:
            return
        boxes, lanes = self.layout.boxes, self.layout.lane_of
        near = [boxes[place].center for place in one.inputs if lanes[place] == lanes[node]]
        own = boxes[node].center
        above, below = any(y < own - 1 for y in near), any(y > own + 1 for y in near)
        x, y = box.x - 5, box.center - 14
        if above and below and len(near) > 1:  # where two arrows meet
            x, y = box.x - 14, box.center
        elif above:
            y = box.center + 20
        yield words_at(x, y, one.operation, "faint", SIZE, text_anchor="end")

    def _arrow(self, route: Route) -> Iterator[str]:
        top = self.tops[route.lane]
        yield from arrow_along([(x, y + top) for x, y in route.points], "ink")
        if route.label:
            x, y = route.points[0]
            yield words_at(x, y + top + 8, self.data.steps[route.start].matrix.name, "faint")


def _labels_width(matrix: CellMatrix) -> float:
    """Of the labels of rows, with room for the head of an arrow before them."""
    return matrix.labels_width + TIP if matrix.labels_width else 0.0


numbers = NumbersPage()
