"""Powers of e with a pencil, and their total: what softmax and its relatives have in common."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

from ...engine import hand
from ...engine.hand import Expression, Named


class Powers(NamedTuple):
    """A row of scores less its largest, the powers of e of these, and their total."""

    top: Named
    shifted: list[Named]
    powers: list[Named]
    total: Named


def powers_of(row: Sequence[Expression], tag: str = "") -> Generator[tuple[str, Expression], Named, Powers]:
    """The lines for one row; `tag` tells the lines of several rows apart."""
    top = yield f"max{tag}", hand.largest(row)
    shifted: list[Named] = []
    for k, score in enumerate(row):
        shifted.append((yield f"s{k}{tag}", score - top))
    powers: list[Named] = []
    for k, power in enumerate(shifted):
        powers.append((yield f"e{k}{tag}", hand.exp(power)))
    return Powers(top, shifted, powers, (yield f"total{tag}", hand.add(powers)))
