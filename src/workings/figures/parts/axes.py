"""The axes of a figure: from where to where they reach, and the round numbers along them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Literal

from ...document.numbers import PLAIN, Style, apart, write

MAX_TICKS = 7
DECADES = 2  # values that span more of them are drawn on a log scale
LARGEST = 1e300  # beyond it, and below its inverse, a round number may be none any more
SAME = 1e-12  # of their size: closer values differ only by rounding


@dataclass(frozen=True)
class Axis:
    """From where to where it reaches (`low` is below `high`), and the numbers along it."""

    title: str
    low: float
    high: float
    ticks: tuple[Tick, ...]
    scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True)
class Tick:
    value: float
    text: str


def value_axis(title: str, values: Sequence[float], style: Style = PLAIN) -> Axis:
    """The axis of values: round numbers all the way; a log scale where they span more than two decades.

    >>> [tick.text for tick in value_axis("loss", [0.03, 1.42]).ticks]
    ['0.0', '0.5', '1.0', '1.5']
    >>> axis = value_axis("loss", [0.0012, 1.42])
    >>> axis.title, axis.low, axis.high, [tick.text for tick in axis.ticks]
    ('loss (log scale)', 0.001, 2.0, ['0.001', '0.01', '0.1', '1.0'])
    """
    low, high = min(values), max(values)
    if low > 1 / LARGEST and high > low * 10**DECADES:
        return _log_axis(title, low, high, style)
    if high - low <= max(SAME * max(abs(low), abs(high)), 1 / LARGEST):
        room = abs(low) / 10 if abs(low) > 1 / LARGEST else 1.0
        return Axis(title, low - room, low + room, (Tick(low, write(low, style)),))
    step = round_above((high - low) / (MAX_TICKS - 1))
    first, last = math.floor(_decimal(low) / step), math.ceil(_decimal(high) / step)
    ticks = [float(count * step) for count in range(first, last + 1)]
    return Axis(title, ticks[0], ticks[-1], _ticks(ticks, style))


def same_scale_axes(
    titles: tuple[str, str], values: tuple[Sequence[float], Sequence[float]], style: Style = PLAIN
) -> tuple[Axis, Axis]:
    """Two axes with 0 on both of them, whose numbers are equally far apart, so that an angle is drawn as it is.
    Neither is shorter than half of the other.

    >>> across, up = same_scale_axes(("x", "y"), ([3.0], [1.0, -1.0]))
    >>> [tick.text for tick in across.ticks], [tick.text for tick in up.ticks]
    (['0.0', '0.5', '1.0', '1.5', '2.0', '2.5', '3.0'], ['-1.0', '-0.5', '0.0', '0.5', '1.0'])
    """
    ends = [(min(0.0, *numbers), max(0.0, *numbers)) for numbers in values]
    span = max(high - low for low, high in ends)
    step = round_above(span / (MAX_TICKS - 1)) if span > 1 / LARGEST else Decimal(1)
    counts = [[math.floor(_decimal(low) / step), math.ceil(_decimal(high) / step)] for low, high in ends]
    longest = max(2, *(last - first for first, last in counts))
    for reach in counts:
        while 2 * (reach[1] - reach[0]) < longest:
            reach[0 if -reach[0] < reach[1] else 1] += -1 if -reach[0] < reach[1] else 1
    ticks = [[float(count * step) for count in range(first, last + 1)] for first, last in counts]
    across, up = (Axis(title, t[0], t[-1], _ticks(t, style)) for title, t in zip(titles, ticks, strict=True))
    return across, up


def place_axis(title: str, places: Sequence[float], style: Style = PLAIN) -> Axis:
    """The axis of what is counted, such as steps: it begins and ends where they do.

    >>> [tick.text for tick in place_axis("step", range(1, 601)).ticks]
    ['1', '100', '200', '300', '400', '500', '600']
    """
    low, high = float(min(places)), float(max(places))
    whole = replace(style, whole=True)
    if low == high:
        return Axis(title, low - 1, high + 1, (Tick(low, write(low, whole)),))
    step = round_above((high - low) / (MAX_TICKS - 1))
    if all(float(place).is_integer() for place in places):
        step = max(step, Decimal(1))
    counts = range(math.ceil(_decimal(low) / step), math.floor(_decimal(high) / step) + 1)
    round_ones = [float(count * step) for count in counts]
    ticks = [low, *(place for place in round_ones if place - low > float(step) / 2)]
    return Axis(title, low, high, tuple(Tick(place, write(place, whole)) for place in ticks))


def round_above(size: float) -> Decimal:
    """The next of 1, 2, 5, 10, 20, 50, ... and 0.5, 0.2, 0.1, ...

    >>> print(round_above(0.3), round_above(1.5), round_above(0.02))
    0.5 2 0.02
    """
    return min(found for found in _round_near(size) if found >= _decimal(size))


def round_below(size: float) -> Decimal:
    """
    >>> print(round_below(0.3), round_below(1.5), round_below(0.02))
    0.2 1 0.02
    """
    return max(found for found in _round_near(size) if found <= _decimal(size))


def _round_near(size: float) -> list[Decimal]:
    power = math.floor(math.log10(size))
    return [Decimal(factor).scaleb(power + more) for more in (-1, 0, 1) for factor in (1, 2, 5)]


def _decimal(value: float) -> Decimal:
    """The number as it is written: 0.3 is three tenths, and not what its binary form makes of it."""
    return Decimal(repr(float(value)))


def _log_axis(title: str, low: float, high: float, style: Style) -> Axis:
    bottom, top = float(round_below(low)), float(round_above(high))
    first, last = math.ceil(math.log10(bottom) - SAME), math.floor(math.log10(top) + SAME)
    every = -(-(last - first + 1) // MAX_TICKS)
    powers = [float(f"1e{power}") for power in range(first, last + 1, every)]
    ticks = tuple(Tick(value, write(value, style)) for value in powers)
    return Axis(f"{title} (log scale)", bottom, top, ticks, "log")


def _ticks(values: list[float], style: Style) -> tuple[Tick, ...]:
    """The numbers with as many digits as it takes to tell them apart, and with equally many behind the point."""
    for one, other in pairwise(values):
        style = apart(one, other, style)
    texts = [write(value, style) for value in values]
    behind = [len(text) - text.find(style.point) if style.point in text else 0 for text in texts]
    if "e" not in "".join(texts) and min(behind):
        texts = [text + "0" * (max(behind) - length) for text, length in zip(texts, behind, strict=True)]
    return tuple(Tick(value, text) for value, text in zip(values, texts, strict=True))
