"""The learning rate of each step: it may rise at first, and fall towards the end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from ..engine.errors import CallError
from ..engine.sentences import add_sentences

Fall = Literal["none", "linear", "cosine"]


@dataclass(frozen=True)
class Rates:
    """`rate` at its highest. During `warmup` steps it rises in equal parts; after them it stays, or falls to the share
    `floor` of itself at the last of `steps`: in a straight line, or like half a wave.

    >>> rates = Rates(0.4, warmup=2, fall="cosine", floor=0.5, steps=6)
    >>> [round(rates.at(step), 3) for step in range(1, 7)]
    [0.2, 0.4, 0.371, 0.3, 0.229, 0.2]
    """

    rate: float
    warmup: int = 0
    fall: Fall = "none"
    floor: float = 0.0
    steps: int = 0  # only a rate that falls has to know when it arrives

    def __post_init__(self) -> None:
        if self.fall not in get_args(Fall):
            raise CallError("rates.fall", value=self.fall, choices=", ".join(get_args(Fall)))
        if not 0 <= self.floor <= 1:
            raise CallError("rates.floor", value=self.floor)
        if self.warmup < 0:
            raise CallError("rates.warmup", warmup=self.warmup)

    def at(self, step: int) -> float:
        """The rate of a step, counted from 1."""
        if step <= self.warmup:
            return self.rate * step / self.warmup
        if self.fall == "none":
            return self.rate
        way = min(1.0, (step - self.warmup) / (self.steps - self.warmup))
        high = 1 - way if self.fall == "linear" else (1 + math.cos(math.pi * way)) / 2
        return self.rate * (self.floor + (1 - self.floor) * high)


add_sentences(
    "error",
    {
        "rates.fall": "'{value}' is no way for a learning rate to fall.",
        "rates.fall.try": "Choose one of: {choices}.",
        "rates.floor": "The floor of a learning rate is a share of it, from 0 to 1; this is {value}.",
        "rates.floor.try": "For a rate that falls to a tenth: floor: 0.1.",
        "rates.warmup": "A warm-up cannot take {warmup} steps.",
        "rates.warmup.try": "Give 0 for none, or the number of steps in which the rate is to rise.",
    },
)
