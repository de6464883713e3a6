"""Curves: how numbers went from step to step.

`loss_curve(trace)` is the loss of a run; `curve` draws any other numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from ..document.blocks import Figure, FigureData, to_data
from ..document.monospace import Plain
from ..document.numbers import PLAIN, Style, apart, write
from ..engine.errors import CallError
from ..explain.trace import Trace
from .parts.axes import LARGEST, SAME, Axis, place_axis, value_axis
from .parts.chart import Chart, ChartPage, along, parameters
from .parts.numbers import joined_notes, not_drawn
from .parts.options import NAMES, WORDS, names_for, option
from .parts.page import FigureExample, FigureRequest, Places, Takes
from .parts.text_plot import COARSE, FINE, ROWS, Cells, cells_between, columns_in, framed, place_of, row_of, share_of

MAX_POINTS = 200  # of one line; more would lie on top of each other
MAX_DOTS = 30  # points of a line that are drawn as dots
BRAILLE = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # the bit of each dot of a cell, row by row
MARKS = "*o+x#@%&"  # of several lines
LOSS, HELD_OUT = "loss", "held_out"  # the names of histories
TITLE = "Loss from step to step"

Steps: TypeAlias = list[tuple[int, float, float]]  # the index in the history, the place, the value


@dataclass(frozen=True)
class Lines(FigureData):
    """The form `lines`: one or more lines over two axes."""

    across: Axis
    up: Axis
    lines: tuple[LineSeries, ...]


@dataclass(frozen=True)
class LineSeries:
    """`name` is for the reader, `history` is the name of the numbers in the trace."""

    name: str
    history: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Point:
    """The numbers `first` to `last` of the history of a line: the mean of where they lie across, the mean of their
    values, and the lowest and the highest of them. Mostly it is one number. Numbers that cannot be drawn, such as
    an infinite one, do not count.
    """

    across: float
    value: float
    low: float
    high: float
    first: int
    last: int


@dataclass(frozen=True)
class LossOptions:
    runs: tuple[str, ...] = option(NAMES, "The runs whose losses are drawn together.", ())
    names: tuple[str, ...] = option(WORDS, "What to call the line of each run.", ())


class LossPage(ChartPage[Lines, LossOptions]):
    """The loss of a run at each training step. For a training in its folder, the loss on held-out data is drawn too."""

    name = "loss"
    form = "lines"
    summary = "the loss at each training step"
    takes = Takes.NOTHING
    data = Lines
    options = LossOptions
    text_has_numbers = False
    example = FigureExample("example-4", run="after")

    def figures(self, request: FigureRequest, options: LossOptions) -> Iterator[Figure]:
        if len(set(options.runs)) != len(options.runs):
            raise CallError(f"A run is named twice: {' '.join(options.runs)}.", hint="Name each of them once.")
        requests = [request.in_run(run) for run in options.runs] or [request]
        names = names_for(options.names, len(requests))
        yield _several_runs(requests, names) if len(requests) > 1 else _one_run(requests[0], names)

    def chart(self, figure: Figure, data: Lines) -> Chart:
        colored = {"field": "name", "type": "nominal", "sort": None}
        legend = {
            "title": None, "orient": "bottom", "symbolType": "stroke", "symbolSize": 900, "columnPadding": 16
        } if len(data.lines) > 1 else None  # fmt: skip
        band = {
            "transform": [{"filter": "datum.points.low < datum.points.high"}],
            "mark": {"type": "area", "opacity": 0.2, "aria": False},
            "encoding": {
                "y": {"field": "points.low"}, "y2": {"field": "points.high"}, "fill": {**colored, "legend": None}
            },
        }  # fmt: skip
        line = {
            "mark": {"type": "line", "strokeWidth": 1.8, "aria": False},
            "encoding": {
                "y": {"field": "points.value"},
                "stroke": {**colored, "legend": legend},
                "strokeDash": {
                    **colored, "scale": {"range": [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]}, "legend": legend
                },
            },
        }  # fmt: skip
        dots = {
            "transform": [{"filter": f"datum.count <= {MAX_DOTS}"}],
            "mark": {"type": "point", "strokeWidth": 0, "size": 28, "opacity": 1, "aria": False},
            "encoding": {"y": {"field": "points.value"}, "fill": {**colored, "legend": None}},
        }
        return {
            "width": 480,
            "height": 280,
            "params": parameters(across=data.across, up=data.up),
            "data": {"values": to_data(data.lines)},
            "transform": [
                {"flatten": ["points"]},
                {"joinaggregate": [{"op": "count", "as": "count"}], "groupby": ["name"]},
            ],
            "encoding": {
                "x": {"field": "points.across", **along(data.across, "across", grid=False, labelFlush=False)},
                "y": along(data.up, "up"),
            },
            "layer": [band, line, dots],
        }

    def text(self, data: Lines, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """One line is drawn in braille dots, 2 across and 4 down in each cell. Where the target has none, or several
        lines must differ, each line has a sign of its own. A gray band shows between which values the numbers of
        a point lie.

        >>> from workings.figures.parts.axes import Tick
        >>> points = tuple(Point(n, 8 / n, 8 / n, 8 / n, n - 1, n - 1) for n in range(1, 9))
        >>> across = Axis("step", 1, 8, (Tick(1, "1"), Tick(8, "8")))
        >>> up = Axis("loss", 1, 8, (Tick(1, "1"), Tick(8, "8")))
        >>> for row in loss.text(Lines(across, up, (LineSeries("loss", "loss", points),)), 24, fine=False):
        ...     print(row)
        loss
        8 +*
          |*
          | *
          | *
          | *
          | *
          |  *
          |  *
          |   *
          |    *
          |     **
          |       ***
          |          ***
        1 +             *******
          ++------------------+
           1                  8
                           step
        """
        columns = columns_in(data.up, width, plain)
        cells = {**_bands(data, columns, (FINE if fine else COARSE).band), **_lines(data, columns, fine)}
        names = [f"{_mark(number)} {plain(line.name)}" for number, line in enumerate(data.lines)]
        return framed(data.across, data.up, cells, columns, fine, plain, names if len(names) > 1 else ())


# -- from numbers to lines ---------------------------------------------------------------------------


def loss_curve(trace: Trace) -> Figure | None:
    """The loss of every step of training, or None where there was none.

    >>> trace = Trace().with_run(history={"loss": [1.4, 1.1, 0.9]})
    >>> loss_curve(trace).alternative
    'loss: from 1.4 at step 1 to 0.9 at step 3; lowest: 0.9 at step 3.'
    """
    return training_curve(trace.history.get(LOSS, ()), style=trace.style)


def training_curve(losses: Sequence[float], held_out: Places = (), style: Style = PLAIN) -> Figure | None:
    """The loss of every step, and that of what was held out at some of them; None where no loss can be drawn.

    >>> [line.name for line in training_curve([1.4, 1.1, 0.9], held_out=[(3, 1.2)]).data.lines]
    ['loss', 'held out']
    """
    return _losses({LOSS: list(enumerate(losses, start=1)), HELD_OUT: held_out}, LOSS, style)


def curves_of(histories: Mapping[str, Sequence[float]], title: str = "", style: Style = PLAIN) -> Figure | None:
    """The losses of several runs in one figure, each under the name of its run; None where nothing can be drawn.

    >>> figure = curves_of({"rate 0.1": [1.4, 1.2, 1.1], "rate 0.5": [1.4, 0.9, 0.7]})
    >>> print(figure.alternative)
    rate 0.1: from 1.4 at step 1 to 1.1 at step 3; lowest: 1.1 at step 3. rate 0.5: from 1.4 at step 1 to 0.7 at step \
3; lowest: 0.7 at step 3.
    """
    lines = _drawable({name: list(enumerate(losses, start=1)) for name, losses in histories.items()})
    if not lines:
        return None
    return curve(title or "Loss of several runs", lines, across="step", up="loss", style=style)


def curve(
    title: str,
    lines: Mapping[str, Places],
    *,
    across: str,
    up: str,
    names: Mapping[str, str] | None = None,
    style: Style = PLAIN,
) -> Figure:
    """Lines from place to place. Each has the name of its history, with the places (such as the number of a
    step) and values in the order of that history; `names` says what a reader calls them.

    >>> figure = curve("Held out", {"held_out": [(100, 2.5), (200, 1.5)]}, across="step", up="loss")
    >>> figure.data.lines[0].points[1]
    Point(across=200.0, value=1.5, low=1.5, high=1.5, first=1, last=1)

    Of a long history, each point is the mean of several numbers, and the note says of how many:

    >>> long = curve("Loss", {"loss": [(n, 1 / n) for n in range(1, 10_001)]}, across="step", up="loss")
    >>> len(long.data.lines[0].points), long.data.lines[0].points[-1].first
    (200, 9950)
    >>> long.note
    'Each point is the mean of up to 50 values; the band reaches from the lowest to the highest of them.'
    """
    finite = {name: _finite(places) for name, places in lines.items()}
    drawn = tuple(
        LineSeries((names or {}).get(name, name), name, _thinned(places)) for name, places in finite.items() if places
    )
    data = Lines(
        place_axis(across, [place for places in finite.values() for _, place, _ in places], style),
        value_axis(up, [value for places in finite.values() for _, _, value in places], style),
        drawn,
    )
    sentences = [_in_words(line.name, across, finite[line.history], style) for line in drawn]
    missing = sum(len(places) - len(finite[name]) for name, places in lines.items())
    return Figure("lines", title, data, " ".join(sentences), _note(drawn, missing))


def _one_run(request: FigureRequest, names: Sequence[str]) -> Figure:
    figure = _losses(_losses_of(request), names[0] if names else LOSS, request.style)
    if figure is None:
        raise _nothing_to_draw()
    return request.located(figure)


def _several_runs(requests: Sequence[FigureRequest], names: Sequence[str]) -> Figure:
    lines = {one.run: _losses_of(one)[LOSS] for one in requests}
    if len(_drawable(lines)) < len(lines):
        raise _nothing_to_draw()
    titles = dict(zip(lines, names or lines, strict=True))
    style = requests[0].style
    figure = curve(TITLE, lines, across="step", up="loss", names=titles, style=style)
    assert isinstance(figure.data, Lines)
    located = (one.located(replace(line, history=LOSS)) for one, line in zip(requests, figure.data.lines, strict=True))
    return replace(figure, data=replace(figure.data, lines=tuple(located)))


def _losses_of(request: FigureRequest) -> Mapping[str, Places]:
    losses = request.losses()
    if not losses.get(LOSS):
        raise CallError(
            f"The run {request.run} does not train, so it has no losses to draw.",
            hint="Choose a run with train: in its scenario.",
        )
    return losses


def _losses(histories: Mapping[str, Places], name: str, style: Style) -> Figure | None:
    lines = _drawable(histories)
    if LOSS not in lines:
        return None
    names = {LOSS: name, HELD_OUT: "held out"}
    return curve(TITLE, lines, across="step", up="loss", names=names, style=style)


def _nothing_to_draw() -> CallError:
    return CallError("None of the losses is a finite number.", hint="Train with a smaller learning rate.")


def _drawable(lines: Mapping[str, Places]) -> dict[str, Places]:
    """The lines that have at least one point."""
    return {name: places for name, places in lines.items() if any(_can_be_drawn(value) for _, value in places)}


def _finite(places: Places) -> Steps:
    return [(index, float(place), float(value)) for index, (place, value) in enumerate(places) if _can_be_drawn(value)]


def _can_be_drawn(value: float) -> bool:
    return abs(value) < LARGEST  # false for nan as well


def _thinned(steps: Steps) -> tuple[Point, ...]:
    """At most so many points: neighbors become one, which keeps their mean, their lowest and their highest."""
    count = min(len(steps), MAX_POINTS)
    cuts = [len(steps) * n // count for n in range(count + 1)]
    return tuple(_point(steps[first:end]) for first, end in pairwise(cuts))


def _point(steps: Steps) -> Point:
    values = [value for _, _, value in steps]
    place = math.fsum(place for _, place, _ in steps) / len(steps)
    mean = math.fsum(values) / len(values)
    return Point(place, mean, min(values), max(values), steps[0][0], steps[-1][0])


def _in_words(name: str, across: str, steps: Steps, style: Style) -> str:
    """One line of a figure as a sentence."""
    (_, start, first), (_, end, last) = steps[0], steps[-1]
    _, at, lowest = min(steps, key=lambda one: one[2])
    whole = replace(style, whole=True)
    begin, finish, place = (f"{across} {write(value, whole)}" for value in (start, end, at))
    if len(steps) == 1:
        return f"{name}: {write(first, style)} at {begin}."
    if lowest == max(value for _, _, value in steps):
        return f"{name}: {write(first, style)} from {begin} to {finish}."
    for one, other in ((first, last), (last, lowest), (first, lowest)):
        if abs(one - other) > SAME * max(abs(one), abs(other)):  # closer ones differ by rounding only
            style = apart(one, other, style)
    first_text, last_text, lowest_text = (write(value, style) for value in (first, last, lowest))
    return f"{name}: from {first_text} at {begin} to {last_text} at {finish}; lowest: {lowest_text} at {place}."


def _note(lines: tuple[LineSeries, ...], missing: int) -> str:
    """What a reader of the figure must know: which points are the mean of several numbers, and what is not drawn."""
    most = max(point.last - point.first + 1 for line in lines for point in line.points)
    thinned = f"Each point is the mean of up to {most} values; the band reaches from the lowest to the highest of them."
    return joined_notes(thinned if most > 1 else "", not_drawn(missing))


# -- in monospaced text --------------------------------------------------------------------------------


def _mark(number: int) -> str:
    return MARKS[number % len(MARKS)]


def _bands(data: Lines, columns: int, sign: str) -> Cells:
    """Whatever lies between the lowest and the highest value of a point, where that is more than a row."""
    return {
        (row, place_of(data.across, point.across, columns)): sign
        for line in data.lines
        for point in line.points
        if share_of(data.up, point.high) - share_of(data.up, point.low) > 1 / ROWS
        for row in range(row_of(data.up, point.high), row_of(data.up, point.low) + 1)
    }


def _lines(data: Lines, columns: int, fine: bool) -> Cells:
    """The lines themselves. Where several share a cell they take turns, so that none is hidden; the shortest begins."""
    one = data.lines[0]
    if fine and len(data.lines) == 1 and len(one.points) > 1:
        bits: dict[tuple[int, int], int] = {}
        for row, column in _path(data, one, ROWS * 4, columns * 2):
            cell = row // 4, column // 2
            bits[cell] = bits.get(cell, 0) | DOTS[row % 4][column % 2]
        return {cell: chr(BRAILLE + dots) for cell, dots in bits.items()}
    paths = [list(dict.fromkeys(_path(data, line, ROWS, columns))) for line in data.lines]
    crossing: dict[tuple[int, int], list[int]] = {}
    for number in sorted(range(len(paths)), key=lambda one: len(paths[one])):
        for cell in paths[number]:
            crossing.setdefault(cell, []).append(number)
    last_seen: dict[int, int] = {}  # in which column
    cells: Cells = {}
    for cell in sorted(crossing, key=lambda one: one[::-1]):
        line = min(crossing[cell], key=lambda number: last_seen.get(number, -1))
        last_seen[line] = cell[1]
        cells[cell] = _mark(line)
    return cells


def _path(data: Lines, line: LineSeries, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """The cells (or dots) from point to point, in a grid of so many rows and columns."""
    places = [
        (rows - 1 - place_of(data.up, point.value, rows), place_of(data.across, point.across, columns))
        for point in line.points
    ]
    yield places[0]
    for start, end in pairwise(places):
        yield from cells_between(start, end)[1:]


loss = LossPage()
