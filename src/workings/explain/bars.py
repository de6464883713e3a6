"""The entries of a row as bars, such as the share of each word; of a matrix, one group of bars for each row."""

from __future__ import annotations

from dataclasses import replace

from .axis import value_axis
from .document import Bar, BarGroup, Bars, Figure, Index
from .largest import can_be_drawn
from .sentences import say
from .step_view import StepView
from .view import Trace
from .window import Labels, Window, nothing_to_draw, window_of

MOST_GROUPS, MOST_BARS = 12, 24
MOST_SAID = 8  # bars of a group that are told one by one


def bars_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """The entries of a step as bars, which begin at 0.

    >>> import workings as w
    >>> print(bars_of(w.scenario("example-1").trace(), "P", {"vocab": ("A", "B", "C", "D")}).alternative)
    A 0.2506, B 0.2494, C 0.2506, D 0.2494.
    """
    window = window_of(trace, step, labels, at, most=(MOST_GROUPS, MOST_BARS), turn=False)
    values = window.finite()
    if not values:
        raise nothing_to_draw(window.step)
    axis = value_axis(window.step.name, [0.0, *values], replace(window.style, whole=False))
    groups = tuple(
        BarGroup(name, tuple(Bar(label, number) for label, number in zip(window.column_names, row, strict=True)))
        for name, row in zip(window.row_names, window.rows, strict=True)
    )
    missing = len(window.numbers) - len(values)
    notes = (window.note, say("explain.figure.missing", count=missing) if missing else "")
    said = " ".join(_in_words(window, group) for group in groups)
    return Figure("bars", window.title, Bars(axis, groups), said, " ".join(note for note in notes if note))


def _in_words(window: Window, group: BarGroup) -> str:
    bars = list(group.bars)
    told = ", ".join(f"{bar.label} {bar.number.text}" for bar in bars)
    drawn = [bar for bar in bars if can_be_drawn(bar.number)]
    if len(bars) > MOST_SAID and drawn:
        lowest = min(drawn, key=lambda bar: float(bar.number.value))
        highest = max(drawn, key=lambda bar: float(bar.number.value))
        told = say(
            "explain.figure.bars.many",
            count=len(bars),
            lowest=lowest.number.text,
            where_lowest=lowest.label,
            highest=highest.number.text,
            where_highest=highest.label,
        )
    return say("explain.figure.bars.group", group=group.title, bars=told) if group.title else f"{told}."
