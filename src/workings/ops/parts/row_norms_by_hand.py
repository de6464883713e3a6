"""Norms by hand, for one row: the lines that the pages of the norms have in common."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from ...engine import hand
from ...engine.arrays import Index
from ...engine.hand import Expression, Lines, Literal, Named, Paper
from .row_norms import INSIDE, OUTSIDE

Row: TypeAlias = Sequence[Expression]
Made = TypeVar("Made")
Making: TypeAlias = Generator[tuple[str, Expression], Named, Made]


class Sized(NamedTuple):
    """A row, the root in its divisor, and the divisor."""

    entries: Row
    root: Named
    divisor: Named


def sized(row: Row, count: int, word: str, epsilon: float, place: str = INSIDE) -> Making[Sized]:
    """A row with its size."""
    squares = yield "squares", hand.dot(row, row)
    average = yield word, squares / Literal(count)
    if place == OUTSIDE:
        root = yield "root", hand.root(average)
        return Sized(row, root, (yield "divisor", root + Literal(epsilon)))
    stable = yield "with_epsilon", average + Literal(epsilon)
    divisor = yield "divisor", hand.root(stable)
    return Sized(row, divisor, divisor)


def centered(row: Row, correction: int, epsilon: float, place: str) -> Making[Sized]:
    """A row less its mean, with its deviation."""
    total = yield "total", hand.add(row)
    average = yield "mean", total / Literal(len(row))
    entries: list[Named] = []
    for k, entry in enumerate(row):
        entries.append((yield f"c{k}", entry - average))
    return (yield from sized(entries, len(row) - correction, "variance", epsilon, place))


def normalized(x: Paper, at: Index, correction: int, epsilon: float, place: str) -> Lines:
    """One entry of a row less its mean, divided by its deviation."""
    row = yield from centered(x.line(at, -1), correction, epsilon, place)
    return row.entries[at[-1]] / row.divisor


def through_size(h: Row, sized: Sized, place: int, count: int) -> Lines:
    """What flows back to the entry at one place through the size of its row."""
    z: list[Named] = []
    for k, entry in enumerate(sized.entries):
        z.append((yield f"z{k}", entry / sized.divisor))
    slope = z[place] if sized.root is sized.divisor else (yield "slope", sized.entries[place] / sized.root)
    total = yield "dot", hand.dot(h, z)
    average = yield "mean_hz", total / Literal(count)
    return slope * average


def times(g: Row, gamma: Row) -> Making[list[Named]]:
    """The gradient of the normalized row: that of the result times gamma."""
    h: list[Named] = []
    for k, (gradient, factor) in enumerate(zip(g, gamma, strict=True)):
        h.append((yield f"h{k}", gradient * factor))
    return h


def centered_back(h: Row, row: Row, at: int, correction: int, epsilon: float, place: str) -> Lines:
    """From the gradient of a normalized row to that of one entry of the row."""
    sized = yield from centered(row, correction, epsilon, place)
    total = yield "total_h", hand.add(h)
    average = yield "mean_h", total / Literal(len(h))
    apart = yield "h_centered", h[at] - average
    through = yield "through", (yield from through_size(h, sized, at, len(h) - correction))
    rest = yield "difference", apart - through
    return rest / sized.divisor
