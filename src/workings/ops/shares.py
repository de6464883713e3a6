"""Shares: numbers from 0 up that add up to 1 in each row. What the pages that draw by them have in common."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, namespace
from ..engine.checks import refuse, refuse_whole
from ..engine.sentences import add_sentences

ROOM = 0.025  # five shares that were rounded to two decimals by hand may add up to so much more or less than 1


def refuse_unshared(what: str, shares: Array) -> None:
    """Shares are real numbers of 0 or more; those of each row add up to 1, but for rounding."""
    refuse_whole(what, shares)
    refuse(shares < 0, shares, "number.share")
    xp: Any = namespace(shares)
    total = xp.sum(shares, axis=-1)
    refuse(xp.abs(total - 1) > ROOM, total, "number.shares")


add_sentences(
    "error",
    {
        "number.share": "The share {value} (entry {index}) is below 0.",
        "number.share.try": "Shares come from softmax: scores must go through it first.",
        "number.shares": "The shares of row {index} add up to {value}, not to 1.",
        "number.shares.try": "Divide each share by the total of its row, or make the shares with softmax.",
    },
)
