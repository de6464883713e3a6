"""Curves: how numbers went from step to step, as a figure.

`loss_curve(trace)` is the loss of a run. Any other numbers that a trace keeps a history of go through `curve`. All that
a drawing needs is in the figure: a renderer places points, and computes no number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from .axis import LARGEST, SAME, place_axis, value_axis
from .document import Figure, Line, Lines, Point
from .numbers import PLAIN, Style, apart, write
from .sentences import say
from .view import Trace

MOST_POINTS = 200  # of one line; more would lie on top of each other
LOSS, HELD_OUT = "loss", "held_out"  # the names of histories

Places: TypeAlias = Sequence[tuple[float, float]]


def loss_curve(trace: Trace) -> Figure | None:
    """The loss of every step of training, or None where there was none.

    >>> trace = Trace()
    >>> trace.history = {"loss": [1.4, 1.1, 0.9]}
    >>> loss_curve(trace).alternative
    'loss: from 1.4 at step 1 to 0.9 at step 3; lowest: 0.9 at step 3.'
    """
    return training_curve(trace.history.get(LOSS, ()), style=trace.style)


def training_curve(losses: Sequence[float], held_out: Places = (), style: Style = PLAIN) -> Figure | None:
    """The loss of every step, and that of what was held out at some of them; None where no loss can be drawn.

    >>> [line.name for line in training_curve([1.4, 1.1, 0.9], held_out=[(3, 1.2)]).data.lines]
    ['loss', 'held out']
    """
    lines = {LOSS: list(enumerate(losses, start=1)), HELD_OUT: held_out}
    lines = {name: places for name, places in lines.items() if any(_can_be_drawn(value) for _, value in places)}
    if LOSS not in lines:
        return None
    title, loss, across = (say(f"explain.figure.{key}") for key in ("curve", "loss", "step"))
    names = {LOSS: loss, HELD_OUT: say("explain.figure.held_out")}
    return curve(title, lines, across=across, up=loss, names=names, style=style)


def curve(
    title: str,
    lines: Mapping[str, Places],
    *,
    across: str,
    up: str,
    names: Mapping[str, str] | None = None,
    style: Style = PLAIN,
) -> Figure:
    """Lines from place to place. Each stands under the name of its history, with the places (such as the number of a
    step) and values in the order of that history; `names` says what a reader calls them.

    >>> figure = curve("Held out", {"held_out": [(100, 2.5), (200, 1.5)]}, across="step", up="loss")
    >>> figure.data.lines[0].points[1]
    Point(across=200.0, value=1.5, low=1.5, high=1.5, first=1, last=1)

    Of a long history, each point stands for several numbers, and the note says for how many:

    >>> long = curve("Loss", {"loss": [(n, 1 / n) for n in range(1, 10_001)]}, across="step", up="loss")
    >>> len(long.data.lines[0].points), long.data.lines[0].points[-1].first
    (200, 9950)
    >>> long.note
    'Each point is the mean of up to 50 values; the band reaches from the lowest to the highest of them.'
    """
    finite = {name: _finite(places) for name, places in lines.items()}
    drawn = tuple(
        Line((names or {}).get(name, name), name, _thinned(places)) for name, places in finite.items() if places
    )
    figure = Lines(
        place_axis(across, [place for places in finite.values() for _, place, _ in places], style),
        value_axis(up, [value for places in finite.values() for _, _, value in places], style),
        drawn,
    )
    said = [_in_words(line.name, across, finite[line.history], style) for line in drawn]
    missing = sum(len(places) - len(finite[name]) for name, places in lines.items())
    return Figure("lines", title, figure, " ".join(said), _note(drawn, missing))


def curves_of(histories: Mapping[str, Sequence[float]], title: str = "", style: Style = PLAIN) -> Figure | None:
    """The losses of several runs in one figure, each under the name of its run; None where nothing can be drawn.

    >>> figure = curves_of({"rate 0.1": [1.4, 1.2, 1.1], "rate 0.5": [1.4, 0.9, 0.7]})
    >>> print(figure.alternative)
    rate 0.1: from 1.4 at step 1 to 1.1 at step 3; lowest: 1.1 at step 3. rate 0.5: from 1.4 at step 1 to 0.7 at step \
3; lowest: 0.7 at step 3.
    """
    lines = {name: list(enumerate(losses, start=1)) for name, losses in histories.items()}
    lines = {name: places for name, places in lines.items() if any(_can_be_drawn(value) for _, value in places)}
    if not lines:
        return None
    loss, across = say("explain.figure.loss"), say("explain.figure.step")
    return curve(title or say("explain.figure.runs"), lines, across=across, up=loss, style=style)


_Found: TypeAlias = list[tuple[int, float, float]]  # the index in the history, the place, the value


def _finite(places: Places) -> _Found:
    return [(index, float(place), float(value)) for index, (place, value) in enumerate(places) if _can_be_drawn(value)]


def _can_be_drawn(value: float) -> bool:
    return abs(value) < LARGEST  # which no number that is none is, either


def _thinned(found: _Found) -> tuple[Point, ...]:
    """At most so many points: neighbours become one, which keeps their mean, their lowest and their highest."""
    count = min(len(found), MOST_POINTS)
    cuts = [len(found) * n // count for n in range(count + 1)]
    return tuple(_point(found[first:end]) for first, end in pairwise(cuts))


def _point(found: _Found) -> Point:
    values = [value for _, _, value in found]
    place = math.fsum(place for _, place, _ in found) / len(found)
    mean = math.fsum(values) / len(values)
    return Point(place, mean, min(values), max(values), found[0][0], found[-1][0])


def _in_words(name: str, across: str, found: _Found, style: Style) -> str:
    """One line of a figure as a sentence."""
    (_, start, first), (_, end, last) = found[0], found[-1]
    _, where, lowest = min(found, key=lambda one: one[2])
    whole = replace(style, whole=True)
    places = {"start": write(start, whole), "end": write(end, whole), "where": write(where, whole)}
    if len(found) == 1:
        return say("explain.figure.point", name=name, across=across, first=write(first, style), **places)
    if lowest == max(value for _, _, value in found):
        return say("explain.figure.constant", name=name, across=across, first=write(first, style), **places)
    for one, other in ((first, last), (last, lowest), (first, lowest)):
        if abs(one - other) > SAME * max(abs(one), abs(other)):  # closer ones differ by rounding only
            style = apart(one, other, style)
    numbers = {"first": write(first, style), "last": write(last, style), "lowest": write(lowest, style)}
    return say("explain.figure.line", name=name, across=across, **numbers, **places)


def _note(lines: tuple[Line, ...], missing: int) -> str:
    """What a reader of the figure must know: which points stand for several numbers, and what is not drawn."""
    most = max(point.last - point.first + 1 for line in lines for point in line.points)
    thinned = say("explain.figure.thinned", count=most) if most > 1 else ""
    return " ".join(part for part in (thinned, say("explain.figure.missing", count=missing) if missing else "") if part)
