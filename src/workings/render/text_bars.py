"""Bars in monospaced text: label, bar, number."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain
from .plot import share_of
from .text_labels import fit, margin_of, padded

LONGEST = 40  # signs of a bar
FEWEST = 6
BLOCK, ASCII_BLOCK = "█", "#"
EIGHTHS = " ▏▎▍▌▋▊▉"
ZERO, ASCII_ZERO = "│", "|"


def bars_rows(bars: d.Bars, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""Every bar in a row of its own, from 0 to the right, or to the left where it is negative.

    >>> axis = d.Axis("P", 0, 1, (d.Tick(0, "0"), d.Tick(1, "1")))
    >>> numbers = [d.Number("0.25", 0.25, "1", (0,)), d.Number("0.75", 0.75, "1", (1,))]
    >>> group = d.BarGroup("", tuple(d.Bar(label, n) for label, n in zip(("The", "cat"), numbers)))
    >>> print("\n".join(bars_rows(d.Bars(axis, (group,)), 24)))
    The │███▎          0.25
    cat │█████████▊    0.75
    """
    every = [bar for group in bars.groups for bar in group.bars]
    margin = margin_of((bar.label for bar in every), width, plain)
    numbers = max(cell_len(plain(bar.number.text)) for bar in every)
    room = max(min(LONGEST, width - margin - numbers - 3), FEWEST)
    rows: list[str] = []
    for group in bars.groups:
        rows += [""] if rows else []
        rows += [fit(plain(group.title), width, fine)] if group.title else []
        for bar in group.bars:
            drawn = "".join(_bar(bars.axis, bar.number.value, room, fine))
            label = padded(plain(bar.label), margin, fine)
            rows.append(f"{label} {drawn} {plain(bar.number.text):>{numbers}}")
    return rows


def _bar(axis: d.Axis, value: d.Value, room: int, fine: bool) -> Iterator[str]:
    """The signs of one bar, with the place of 0; what cannot be drawn has none."""
    zero = round(share_of(axis, 0.0) * (room - 1))
    left, right = zero, room - 1 - zero
    length = 0.0 if isinstance(value, str) else abs(share_of(axis, value) - share_of(axis, 0.0)) * (room - 1)
    block, line = (BLOCK, ZERO) if fine else (ASCII_BLOCK, ASCII_ZERO)
    if isinstance(value, str) or value >= 0:
        yield " " * left + line + _filled(min(length, right), block, fine).ljust(right)
    else:
        yield (block * min(round(length), left)).rjust(left) + line + " " * right


def _filled(length: float, block: str, fine: bool) -> str:
    """A bar of this length; fine ones end in an eighth of a sign."""
    if not fine:
        return block * round(length)
    eighths = round(length * 8)
    return block * (eighths // 8) + EIGHTHS[eighths % 8].rstrip()
