"""Probability distributions: rows of numbers from 0 up that sum to 1. Shared by the pages that sample from them."""

from __future__ import annotations

from typing import Any

from ...engine.arrays import Array, namespace
from ...engine.checks import refuse, refuse_whole

ROUNDING = 0.025  # five probabilities rounded to two decimals by hand may sum to so much more or less than 1


def refuse_no_distribution(what: str, shares: Array) -> None:
    """Probabilities are real numbers of 0 or more; each row sums to 1, up to rounding."""
    refuse_whole(what, shares)
    refuse(
        shares < 0,
        shares,
        "The probability {value} (entry {index}) is below 0.",
        hint="Apply softmax to the scores first.",
    )
    xp: Any = namespace(shares)
    total = xp.sum(shares, axis=-1)
    refuse(
        xp.abs(total - 1) > ROUNDING,
        total,
        "The probabilities of row {index} sum to {value}, not to 1.",
        hint="Divide each row by its sum, or apply softmax to the scores.",
    )
