"""Heads of attention as data: what goes in, each head with its attention weights, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...document.blocks import FigureData, Index, Number
from .flow_chart import FlowNode
from .grid import Grid
from .numbers import can_be_drawn, largest_of


@dataclass(frozen=True)
class Heads(FigureData):
    """The form `heads`: what goes into several heads of attention, the heads side by side, and what is made of
    them together. `weight` is what mixes them; there may be none.
    """

    inputs: tuple[FlowNode, ...]
    heads: tuple[HeadBox, ...]
    joined: FlowNode
    weight: FlowNode | None
    result: FlowNode | None


@dataclass(frozen=True)
class HeadBox:
    """One head: the axes and sizes of its context, which lies in `step`, and its weights as a small picture."""

    name: str
    step: str
    axes: tuple[str, ...]
    shape: Index
    weights: Grid


def strongest_in(rows: Sequence[Sequence[Number]]) -> tuple[int, int]:
    """The place of the largest attention weight, without rows in which only one key is not masked.

    >>> weights = ((1.0, 0.0), (0.2, 0.8))
    >>> strongest_in([[Number(str(one), one, "1", ()) for one in row] for row in weights])
    (1, 1)
    """
    with_choice = [row for row, entries in enumerate(rows) if sum(_counts(one) for one in entries) > 1]
    chosen = with_choice or list(range(len(rows)))
    row, column = divmod(largest_of([one for row in chosen for one in rows[row]]) or 0, len(rows[0]))
    return chosen[row], column


def _counts(one: Number) -> bool:
    return can_be_drawn(one) and float(one.value) != 0
