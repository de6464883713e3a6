"""The learning rate of each step: it may rise at first (warm-up), and fall towards the end (schedule)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from ..engine.arguments import unknown_choice
from ..engine.errors import OptionError

Schedule = Literal["constant", "linear", "cosine"]


@dataclass(frozen=True)
class Rates:
    """The `learning_rate` is the highest. It rises linearly during `warmup_steps`; then it stays, or falls to
    `end_factor` times itself at the last of `steps`: in a straight line, or like half a cosine wave.

    >>> rates = Rates(0.4, warmup_steps=2, schedule="cosine", end_factor=0.5, steps=6)
    >>> [round(rates.at(step), 3) for step in range(1, 7)]
    [0.2, 0.4, 0.371, 0.3, 0.229, 0.2]
    """

    learning_rate: float
    warmup_steps: int = 0
    schedule: Schedule = "constant"
    end_factor: float = 0.0
    steps: int = 0  # only a rate that falls needs the last step

    def __post_init__(self) -> None:
        if self.schedule not in get_args(Schedule):
            raise unknown_choice("schedule", self.schedule, get_args(Schedule))
        if not 0 <= self.end_factor <= 1:
            raise OptionError(
                f"The end factor of a learning rate is a fraction from 0 to 1, and this is {self.end_factor}.",
                option="end_factor",
                hint="For a learning rate that falls to a tenth, give 0.1.",
            )
        if self.warmup_steps < 0:
            raise OptionError(
                f"A warm-up cannot take {self.warmup_steps} steps.",
                option="warmup_steps",
                hint="Give 0 for none, or the number of steps in which the learning rate rises.",
            )

    def at(self, step: int) -> float:
        """The learning rate of a step, counted from 1."""
        if step <= self.warmup_steps:
            return self.learning_rate * step / self.warmup_steps
        if self.schedule == "constant":
            return self.learning_rate
        way = min(1.0, (step - self.warmup_steps) / (self.steps - self.warmup_steps))
        high = 1 - way if self.schedule == "linear" else (1 + math.cos(math.pi * way)) / 2
        return self.learning_rate * (self.end_factor + (1 - self.end_factor) * high)
