"""The forward pass and the backward pass as mirror images: each step, and below it its gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData, Number
from ..document.monospace import Plain
from ..document.notation import distinct_name, name_of
from ..engine.errors import CallError
from ..engine.steps import Step
from ..explain.step_view import StepView
from ..explain.story import is_shown
from ..explain.trace import Trace
from .backward import gradients_in
from .parts.drawn import HUES, Box, arrow_along, corners, words_at
from .parts.layers import LayeredBoxes, Route
from .parts.matrix_part import MatrixPart, matrix_part, note_about
from .parts.numbers import can_be_drawn
from .parts.options import NoOptions
from .parts.page import FigureExample, FigureRequest, RunFigurePage, Takes
from .parts.step_graph import StepGraph, forward_steps
from .parts.svg import COLORS, SIZE, TITLE, Attributes, element, number, pointed_at, sheet, text, wide
from .parts.text_labels import fit

MOVES = (
    "transpose",
    "take_row",
    "reshape",
    "permute",
    "split",
    "split_heads",
    "merge_heads",
    "divide_by_root",
    "scale",
)
MAX_STEPS = 24
MAX_ROWS, MAX_COLUMNS = 5, 6
WIDTH = 576.0
CELL, SMALLEST = 13.0, 8.0
GRID = 52.0  # width of a wide matrix
ARROW, BETWEEN, LANES = 24.0, 56.0, 40.0  # between boxes; from the forward to the backward row; to the next row
HEAD = 30.0
LEAST = 0.1  # of the color of a number that is 0


@dataclass(frozen=True)
class MirrorStep:
    """A step and its gradient; there may be none. `inputs` are the places of the steps that it is computed from."""

    forward: MatrixPart
    gradient: MatrixPart | None
    sizes: str
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class Mirror(FigureData):
    """The form `mirror`: steps of the forward pass in their order, each with its gradient."""

    steps: tuple[MirrorStep, ...]


class MirrorPage(RunFigurePage[Mirror, NoOptions]):
    """A mirror has the forward pass above, from left to right, and the backward pass below, from right to left. Below
    each step is its gradient, which has the same shape: the darker a cell, the larger the number by magnitude. Steps
    that only move or scale numbers are left out, unless you name the steps: `mirror:X,Q,K,scores,loss`.
    """

    name = "mirror"
    summary = "the forward pass, and below each step its gradient, with the arrows reversed"
    takes = Takes.ANY_STEPS
    data = Mirror
    options = NoOptions
    text_has_numbers = False
    example = FigureExample("example-3")

    def build(self, request: FigureRequest, options: NoOptions) -> Figure:
        return mirror_of(request.trace, request.names)

    def svg(self, figure: Figure, data: Mirror) -> str:
        return _MirrorDrawing(figure, data).svg()

    def text(self, data: Mirror, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """Two columns, one down and one up: each step, and its gradient beside it."""
        down, up = ("↓", "↑") if fine else ("|", "^")
        heads = ("forward pass", "backward pass")
        pairs = [
            (f"{one.forward.name}  {one.sizes}", f"{one.gradient.name}  {one.sizes}" if one.gradient else "no gradient")
            for one in data.steps
        ]
        room = min(max(cell_len(plain(words)) for words, _ in (heads, *pairs)) + 4, width // 2)
        rows = [f"{heads[0]:<{room}}{heads[1]}"]
        for place, (left, right) in enumerate(pairs):
            rows += [f"  {down}{' ' * (room - 3)}  {up}"] if place else []
            step = fit(plain(left), room - 2, fine)
            rows.append(f"{step}{' ' * (room - cell_len(step))}{fit(plain(right), width - room, fine)}")
        return rows


def mirror_of(trace: Trace, names: Sequence[str] = ()) -> Figure:
    """These steps of a forward pass, or those with a gradient that do more than move numbers.

    >>> import workings as w
    >>> figure = mirror_of(w.scenario("example-3").trace())
    >>> [(one.forward.name, one.gradient.name) for one in figure.data.steps][-3:]
    [('context', 'dcontext'), ('logits', 'dlogits'), ('loss', 'dloss')]
    """
    recording = trace.recording
    gradients = gradients_in(recording)
    if names:
        chosen = [trace.find_step(name) for name in names]
    else:
        steps = (step for step in forward_steps(recording) if step.leaf is None and is_shown(recording, step))
        chosen = [step for step in steps if step.id in gradients and step.op_name not in MOVES]
    if not any(step.id in gradients for step in chosen):
        raise CallError(
            "No gradient flows back through these steps.",
            hint="Choose a run with a backward pass, or steps that the loss depends on.",
        )
    if len(chosen) > MAX_STEPS:
        raise CallError(
            f"There are {len(chosen)} steps with gradients, but only {MAX_STEPS} have room.",
            hint="Name the steps to draw: mirror X scores weights loss.",
        )
    graph = StepGraph.of(recording, chosen, only=True)
    found = [part.result for part in graph.parts]
    drawn = [
        _mirrored(trace, step, found, gradients.get(step.id), tuple(read))
        for step, read in zip(found, graph.inputs, strict=True)
    ]
    data = Mirror(tuple(drawn))
    note = note_about([one.forward for one in drawn], found)
    return Figure("mirror", "Forward and backward", data, _in_words(data), note)


def _mirrored(
    trace: Trace, step: Step, others: Sequence[Step], gradient: Step | None, inputs: tuple[int, ...]
) -> MirrorStep:
    name = distinct_name(trace.recording, step, others, trace.style.notation)
    before = name.removesuffix(name_of(trace.recording, step, trace.style.notation))
    part = matrix_part(StepView(trace, step), MAX_ROWS, MAX_COLUMNS)
    own = _named(part, name)
    sizes = " × ".join(map(str, trace.style.notation.form(step.form).shape))
    if gradient is None:
        return MirrorStep(own, None, sizes, inputs)
    below = matrix_part(StepView(trace, gradient), MAX_ROWS, MAX_COLUMNS)
    return MirrorStep(own, _named(below, before + below.name), sizes, inputs)


def _named(part: MatrixPart, name: str) -> MatrixPart:
    return replace(part, name=name)


def _in_words(data: Mirror) -> str:
    sentences = []
    for one in data.steps:
        sources = [data.steps[place].forward.name for place in one.inputs]
        if sources:
            sentences.append(f"{' and '.join(sources)} lead{'s' if len(sources) == 1 else ''} to {one.forward.name}")
    forward = "; ".join(sentences)
    names = ", ".join(one.gradient.name for one in reversed(data.steps) if one.gradient is not None)
    single = [f"{one.forward.name} = {one.forward.rows[0][0].text}" for one in data.steps if not one.sizes]
    end = f" The pass ends with {', '.join(single)}." if single else ""
    return (
        f"Forward, from left to right: {forward}.{end} Backward, from right to left, the gradients are computed in the "
        f"reversed order, each with the shape of its step: {names}."
    )


# -- as SVG ----------------------------------------------------------------------------------------------


class _MirrorDrawing:
    def __init__(self, figure: Figure, data: Mirror) -> None:
        self.figure, self.data = figure, data
        grids = [_grid_size(one.forward) for one in data.steps]
        height = 22 + max(high for _, high in grids) + 24
        sizes = [(_box_width(one, grid[0]), height) for one, grid in zip(data.steps, grids, strict=True)]
        inputs = [one.inputs for one in data.steps]
        self.layout = LayeredBoxes(inputs, sizes, [ARROW] * len(sizes), WIDTH)
        self.tops, y = list[tuple[float, float]](), 0.0
        for high in self.layout.heights:
            self.tops.append((y + HEAD, y + HEAD + high + BETWEEN))
            y += HEAD + 2 * high + BETWEEN + LANES
        self.height = y - LANES

    def svg(self) -> str:
        parts: list[str] = []
        for forward, backward in self.tops:
            parts += self._heads(forward, backward)
        for route in self.layout.routes():
            parts += self._arrows(route)
        for node, one in enumerate(self.data.steps):
            box, tops = self.layout.boxes[node], self.tops[self.layout.lane_of[node]]
            parts += _step_box(box.moved(0, tops[0]), one.forward, one.sizes)
            if one.gradient is not None:
                parts += _step_box(box.moved(0, tops[1]), one.gradient, one.sizes)
        return sheet(self.figure, parts, self.layout.width, self.height)

    def _heads(self, forward: float, backward: float) -> Iterator[str]:
        """The name of each pass, and in which direction it goes."""
        right = self.layout.width
        top = forward - HEAD + 6
        yield text(0, top + TITLE * 0.35, "forward pass", "ink", TITLE, font_weight="bold")
        yield from arrow_along(((wide("forward pass", TITLE) + 6, top), (right, top)), "faint")
        under = backward - BETWEEN / 2
        words = wide("backward pass", TITLE) + 6
        look: Attributes = {"text_anchor": "end", "font_weight": "bold", "fill": HUES["gradient"].strong}
        yield text(right, under + TITLE * 0.35, "backward pass", "gradient", TITLE, **look)
        yield from arrow_along(((right - words, under), (0, under)), "gradient")

    def _arrows(self, route: Route) -> Iterator[str]:
        """Of the forward pass, and reversed that of the backward pass."""
        forward, backward = self.tops[route.lane]
        yield from arrow_along([(x, y + forward) for x, y in route.points])
        if self.data.steps[route.start].gradient is not None and self.data.steps[route.end].gradient is not None:
            yield from arrow_along([(x, y + backward) for x, y in reversed(route.points)], "gradient")
        if route.label:
            x, y = route.points[0]
            source = self.data.steps[route.start]
            yield words_at(x, y + forward + 7, source.forward.name, "faint")
            if source.gradient is not None:
                yield words_at(x, y + backward + 7, source.gradient.name, "gradient")


def _box_width(one: MirrorStep, grid: float) -> float:
    names = [one.forward.name, *([one.gradient.name] if one.gradient else []), one.sizes]
    single = (
        [one.forward.rows[0][0].text, *([one.gradient.rows[0][0].text] if one.gradient else [])]
        if not one.sizes
        else []
    )
    return max(46.0, grid + 16, *(wide(words) + 12 for words in (*names, *single)))


def _grid_size(part: MatrixPart) -> tuple[float, float]:
    rows, columns = len(part.rows), len(part.rows[0])
    cell = _cell(part)
    return cell * columns, cell * rows


def _cell(part: MatrixPart) -> float:
    return max(SMALLEST, min(CELL, GRID / len(part.rows[0]), GRID / len(part.rows)))


def _step_box(box: Box, part: MatrixPart, sizes: str) -> Iterator[str]:
    """The name, the numbers as cells or a single number, and the shape."""
    role = part.role if part.role in HUES else "activation"
    look: Attributes = {"class_": "paper", "fill": COLORS["paper"], "stroke": HUES[role].strong}
    yield element("rect", **corners(box), rx=7, **look)
    yield words_at(box.middle, box.y + 14, part.name, role, SIZE, font_weight="bold")
    if not sizes:
        place = box.middle, box.center + 6 + SIZE * 0.35
        yield number(*place, part.rows[0][0], "ink", SIZE, text_anchor="middle", font_weight="bold")
        return
    yield words_at(box.middle, box.bottom - 13, sizes, "faint", SIZE)
    width, height = _grid_size(part)
    x, y = box.middle - width / 2, box.y + 23 + (box.height - 47 - height) / 2
    most = max((abs(float(one.value)) for one in part.numbers if can_be_drawn(one)), default=0.0) or 1.0
    cell = _cell(part)
    for row, entries in enumerate(part.rows):
        for column, one in enumerate(entries):
            yield _grid_cell(Box(x + cell * column, y + cell * row, cell, cell), one, role, most)


def _grid_cell(box: Box, one: Number, role: str, most: float) -> str:
    fraction = abs(float(one.value)) / most if can_be_drawn(one) else 0.0
    ground: Attributes = {"class_": "paper", "fill": COLORS["paper"]}
    look: Attributes = {"class_": f"head {role}", "fill": HUES[role].strong, "stroke": HUES[role].strong}
    tint = element(
        "rect", **corners(box), **look, fill_opacity=LEAST + (1 - LEAST) * min(fraction, 1.0), stroke_width=0.6
    )
    return pointed_at(one, element("rect", **corners(box), **ground) + tint)


mirror = MirrorPage()
