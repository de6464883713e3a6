"""How the next token is chosen from its logits, written in ops, so that every number can be checked by hand.

    tempered = logits / temperature     above 1 flattens the distribution, below 1 sharpens it
    cut      = only the k most likely, or the fewest whose probabilities reach p; all others become -∞
    shares   = softmax(cut)             the probabilities of the tokens that are left
    drawn    = a number from 0 to 1     from the seed and the position of the token
    chosen   = the first token whose running total is above it

Greedy decoding takes the largest logit, and draws nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..engine.arguments import CheckedCall
from ..engine.arrays import dtype_name
from ..engine.errors import OptionError
from ..engine.tensor import Tensor
from ..ops.argmax import argmax
from ..ops.draw_by_share import draw_by_share
from ..ops.given import random
from ..ops.keep_top_k import keep_top_k
from ..ops.keep_top_p import keep_top_p
from ..ops.mask import mask
from ..ops.parts.drawing import Draws
from ..ops.scale import divide_by
from ..ops.softmax import softmax

DRAWN_NUMBERS = 2**24  # as many as float32 can distinguish


@dataclass(frozen=True)
class Choice(metaclass=CheckedCall):
    """A way to choose the next token: sampled, or greedy.

    >>> Choice(temperature=0.8, top_k=5, seed=7)
    Choice(temperature=0.8, top_k=5, top_p=None, greedy=False, seed=7)
    >>> Choice(temperature=0)
    Traceback (most recent call last):
    ...
    workings.engine.errors.OptionError: The logits are divided by the temperature, and 0 is not above 0.
      try:   To choose the most probable token each time, use greedy; for nearly that, a small temperature such as 0.1.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    greedy: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not _is_number(self.temperature) or not math.isfinite(self.temperature):
            raise OptionError(
                f"The temperature must be a number above 0, and is {self.temperature}.",
                option="temperature",
                hint="Give such a number: 1 leaves the logits as they are.",
            )
        if self.temperature <= 0:
            raise OptionError(
                f"The logits are divided by the temperature, and {self.temperature:g} is not above 0.",
                option="temperature",
                hint="To choose the most probable token each time, use greedy; for nearly that, a small temperature "
                "such as 0.1.",
            )
        if self.top_k is not None and (type(self.top_k) is not int or self.top_k < 1):
            raise OptionError(
                f"Top-k keeps the k most likely tokens: k must be a whole number of at least 1, and is {self.top_k}.",
                option="top_k",
                hint="Give such a number, or leave it out to keep all tokens.",
            )
        if self.top_p is not None and (not _is_number(self.top_p) or not 0 < self.top_p <= 1):
            raise OptionError(
                "Top-p keeps the most likely tokens whose probabilities add up to p: p must be above 0 and at most 1, "
                f"and is {self.top_p}.",
                option="top_p",
                hint="Give such a number, for example 0.9; 1 keeps all tokens.",
            )
        if self.greedy and (self.temperature != 1 or self.top_k is not None or self.top_p is not None):
            raise OptionError(
                "Greedy decoding takes the most likely token, so a temperature, top-k or top-p would change nothing.",
                option="greedy",
                hint="Leave out greedy, or leave out the others.",
            )
        Draws(self.seed)  # refuses anything but a seed

    def number(self, position: int) -> float:
        """The number that is drawn for the token at a position of the text. It depends only on the seed and the
        position, so a text that is continued from the middle goes on as before. float32 holds it exactly.

        >>> [round(Choice(seed=7).number(position), 3) for position in range(3)]
        [0.341, 0.579, 0.367]
        """
        return int(Draws.stream(self.seed, f"token {position}").whole(1, below=DRAWN_NUMBERS)[0]) / DRAWN_NUMBERS


def choose(logits: Tensor, choice: Choice, position: int) -> Tensor:
    """The token at a position, from the logits of all tokens.

    >>> from workings import given
    >>> logits = given([1.0, 3.0, 2.0], "vocab")
    >>> int(choose(logits, Choice(greedy=True), 4).array), int(choose(logits, Choice(top_k=2, seed=7), 4).array)
    (1, 1)
    """
    if choice.greedy:
        softmax(logits, axis="vocab", name="shares")  # to be seen next to the logits
        return argmax(logits, axis="vocab", name="chosen")
    scores = _cut(divide_by(logits, divisor=choice.temperature, name="tempered"), choice)
    shares = softmax(scores, axis="vocab", name="shares")
    drawn = random(choice.number(position), name="drawn", dtype=dtype_name(shares.array))
    return draw_by_share(shares, drawn, name="chosen")


def _cut(scores: Tensor, choice: Choice) -> Tensor:
    """The logits of the tokens that may be chosen; those of all others are -∞. First k is applied, then p."""
    size = scores.size("vocab")
    if choice.top_k is not None:
        if choice.top_k > size:
            raise OptionError(
                f"Top-k cannot keep {choice.top_k} tokens: the vocabulary has {size}.",
                option="top_k",
                hint=f"Give a number from 1 to {size}, or leave it out to keep all tokens.",
            )
        kept = keep_top_k(scores, k=choice.top_k, name="kept_by_k")
        scores = mask(scores, kept, name="cut" if choice.top_p is None else "cut_by_k")
    if choice.top_p is not None:
        uncut = softmax(scores, axis="vocab", name="uncut_shares")
        scores = mask(scores, keep_top_p(uncut, p=choice.top_p, name="kept_by_p"), name="cut")
    return scores


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
