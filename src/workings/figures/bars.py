"""The entries of a row as bars, such as the probability of each word; of a matrix, one group of bars for each row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData, Index, Number, Value, to_data
from ..document.monospace import Plain
from ..explain.step_view import StepView
from ..explain.trace import Trace
from .parts.axes import Axis, value_axis
from .parts.chart import BAR_COLOR, INK, Chart, ChartPage, along, parameters
from .parts.matrix_window import Labels, nothing_to_draw, window_of
from .parts.numbers import can_be_drawn, joined_notes, not_drawn
from .parts.options import LabelOptions
from .parts.page import FigureExample, ShownStep, StepFigurePage
from .parts.text_labels import fit, margin_of, padded
from .parts.text_plot import share_of

MAX_GROUPS, MAX_BARS = 12, 24
MAX_BARS_IN_WORDS = 8  # of a group; of more, the lowest and the highest
MIN_BAR, MAX_BAR = 6, 40  # columns of monospaced text
BLOCK, ASCII_BLOCK = "█", "#"
EIGHTHS = " ▏▎▍▌▋▊▉"
ZERO, ASCII_ZERO = "│", "|"


@dataclass(frozen=True)
class Bars(FigureData):
    """The form `bars`: one bar for each entry of a row, the rows one after the other."""

    axis: Axis
    groups: tuple[BarGroup, ...]


@dataclass(frozen=True)
class BarGroup:
    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Bar:
    label: str
    number: Number


class BarsPage(StepFigurePage[Bars, LabelOptions], ChartPage[Bars, LabelOptions]):
    """Bars start at 0. A matrix gives one group of bars for each row."""

    name = "bars"
    summary = "the entries of each row as bars, such as the probability of each word"
    data = Bars
    options = LabelOptions
    example = FigureExample("hello-world", "P")

    def build(self, step: ShownStep, options: LabelOptions) -> Figure:
        return bars_of(step.view.trace, step.view, step.labels_with(options.labels), step.index)

    def chart(self, figure: Figure, data: Bars) -> Chart:
        titles = {
            "title": None, "labelExpr": "groups[datum.value - 1].title", "labelAngle": 0, "labelAlign": "left",
            "labelAnchor": "start", "labelOrient": "top", "labelFontSize": 12, "labelFontWeight": "bold",
            "labelPadding": 2,
        }  # fmt: skip
        names = {
            "labelExpr": "groups[0].bars[datum.value - 1].label", "labelLimit": 160,
            "ticks": False, "domain": False, "grid": False,
        }  # fmt: skip
        bar = {"mark": {"type": "bar", "color": BAR_COLOR, "height": {"band": 0.7}, "aria": False}}
        value = {
            "transform": [{"calculate": "max(datum.value, 0)", "as": "end"}],
            "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 12, "color": INK, "aria": False},
            "encoding": {"x": {"field": "end"}, "text": {"field": "text", "type": "nominal"}},
        }
        return {
            "params": parameters(axis=data.axis, groups=data.groups),
            "data": {"values": to_data(data.groups)},
            "transform": [
                {"window": [{"op": "row_number", "as": "group"}]},
                {"flatten": ["bars"]},
                {"window": [{"op": "row_number", "as": "place"}], "groupby": ["group"]},
                {"calculate": "isNumber(datum.bars.number.value) ? datum.bars.number.value : 0", "as": "value"},
                {"calculate": "datum.bars.number.text", "as": "text"},
            ],
            "facet": {"row": {"field": "group", "type": "ordinal", "header": titles}},
            "spacing": 14,
            "spec": {
                "width": 320,
                "height": {"step": 20},
                "encoding": {
                    "y": {"field": "place", "type": "ordinal", "title": None, "axis": names},
                    "x": {"field": "value", **along(data.axis, "axis", labelFlush=False)},
                },
                "layer": [bar, value],
            },
        }

    def text(self, data: Bars, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""Label, bar, number: every bar in a row of its own, from 0 to the right, or to the left where it is negative.

        >>> numbers = [Number("0.25", 0.25, "1", (0,)), Number("0.75", 0.75, "1", (1,))]
        >>> group = BarGroup("", tuple(Bar(label, one) for label, one in zip(("The", "cat"), numbers)))
        >>> print("\n".join(bars.text(Bars(Axis("P", 0, 1, ()), (group,)), 24)))
        The │███▎          0.25
        cat │█████████▊    0.75
        """
        every = [bar for group in data.groups for bar in group.bars]
        margin = margin_of((bar.label for bar in every), width, plain)
        numbers = max(cell_len(plain(bar.number.text)) for bar in every)
        room = max(min(MAX_BAR, width - margin - numbers - 3), MIN_BAR)
        rows: list[str] = []
        for group in data.groups:
            rows += [""] if rows else []
            rows += [fit(plain(group.title), width, fine)] if group.title else []
            for bar in group.bars:
                drawn = _bar(data.axis, bar.number.value, room, fine)
                label = padded(plain(bar.label), margin, fine)
                rows.append(f"{label} {drawn} {plain(bar.number.text):>{numbers}}")
        return rows


def bars_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """The entries of a step as bars, which begin at 0.

    >>> import workings as w
    >>> print(bars_of(w.scenario("example-1").trace(), "P", {"vocab": ("A", "B", "C", "D")}).alternative)
    A 0.2506, B 0.2494, C 0.2506, D 0.2494.
    """
    window = window_of(trace, step, labels, at, most=(MAX_GROUPS, MAX_BARS), follow_convention=False)
    values = window.finite()
    if not values:
        raise nothing_to_draw(window.step)
    axis = value_axis(window.step.name, [0.0, *values], replace(window.style, whole=False))
    groups = tuple(
        BarGroup(name, tuple(Bar(label, one) for label, one in zip(window.column_names, row, strict=True)))
        for name, row in zip(window.row_names, window.rows, strict=True)
    )
    note = joined_notes(window.note, not_drawn(len(window.numbers) - len(values)))
    return Figure("bars", window.title, Bars(axis, groups), " ".join(map(_in_words, groups)), note)


def _in_words(group: BarGroup) -> str:
    words = ", ".join(f"{bar.label} {bar.number.text}" for bar in group.bars)
    drawn = [bar for bar in group.bars if can_be_drawn(bar.number)]
    if len(group.bars) > MAX_BARS_IN_WORDS and drawn:
        lowest, highest = (most(drawn, key=lambda bar: float(bar.number.value)) for most in (min, max))
        ends = " to ".join(f"{bar.number.text} ({bar.label})" for bar in (lowest, highest))
        words = f"{len(group.bars)} bars from {ends}"
    return f"{group.title}: {words}." if group.title else f"{words}."


def _bar(axis: Axis, value: Value, room: int, fine: bool) -> str:
    """The signs of one bar, with the place of 0; what cannot be drawn has none."""
    zero = round(share_of(axis, 0.0) * (room - 1))
    left, right = zero, room - 1 - zero
    length = 0.0 if isinstance(value, str) else abs(share_of(axis, value) - share_of(axis, 0.0)) * (room - 1)
    block, line = (BLOCK, ZERO) if fine else (ASCII_BLOCK, ASCII_ZERO)
    if isinstance(value, str) or value >= 0:
        return " " * left + line + _filled(min(length, right), block, fine).ljust(right)
    return (block * min(round(length), left)).rjust(left) + line + " " * right


def _filled(length: float, block: str, fine: bool) -> str:
    """A bar of this length; fine ones end in an eighth of a sign."""
    if not fine:
        return block * round(length)
    eighths = round(length * 8)
    return block * (eighths // 8) + EIGHTHS[eighths % 8].rstrip()


bars = BarsPage()
