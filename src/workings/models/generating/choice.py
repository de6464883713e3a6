"""How the next token is chosen from its scores, written in ops, so that every number of it can be checked by hand.

    tempered = logits / temperature     above 1 evens the shares out, below 1 sharpens them
    cut      = only the k likeliest, or the fewest that make up the share p; all others become -∞
    shares   = softmax(cut)             what is left is shared out anew
    drawn    = a number from 0 to 1     from the seed and the position of the token
    chosen   = the first token whose running total is above it

Greedy takes the largest score, and draws nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...engine.arrays import dtype_name
from ...engine.errors import CallError
from ...engine.sentences import add_sentences
from ...engine.tensor import Tensor
from ...ops.argmax import argmax
from ...ops.draw_by_share import draw_by_share
from ...ops.drawing import Draws
from ...ops.given import random
from ...ops.keep_top_k import keep_top_k
from ...ops.keep_top_p import keep_top_p
from ...ops.mask import mask
from ...ops.scale import divide_by
from ...ops.softmax import softmax

PARTS = 2**24  # as many as float32 can tell apart


@dataclass(frozen=True)
class Choice:
    """A way to choose: drawn by share, or greedy.

    >>> Choice(temperature=0.8, top_k=5, seed=7)
    Choice(temperature=0.8, top_k=5, top_p=None, greedy=False, seed=7)
    >>> Choice(temperature=0)
    Traceback (most recent call last):
    ...
    workings.engine.errors.CallError: The scores are divided by the temperature, and 0 is not above 0.
      try:   For the likeliest token each time use greedy; for nearly that, a small temperature such as 0.1.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    greedy: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not _is_number(self.temperature) or not math.isfinite(self.temperature):
            raise CallError("choice.temperature.number", temperature=self.temperature)
        if self.temperature <= 0:
            raise CallError("choice.temperature", temperature=f"{self.temperature:g}")
        if self.top_k is not None and (type(self.top_k) is not int or self.top_k < 1):
            raise CallError("choice.top_k", k=self.top_k)
        if self.top_p is not None and (not _is_number(self.top_p) or not 0 < self.top_p <= 1):
            raise CallError("choice.top_p", p=self.top_p)
        if self.greedy and (self.temperature != 1 or self.top_k is not None or self.top_p is not None):
            raise CallError("choice.greedy")
        Draws(self.seed)  # refuses a seed that is none

    def number(self, position: int) -> float:
        """The number that is drawn for the token at a position of the text. It depends on nothing else but the seed:
        a text that is begun anew from the middle goes on as before. Every type of number can hold it to the last bit.

        >>> [round(Choice(seed=7).number(position), 3) for position in range(3)]
        [0.341, 0.579, 0.367]
        """
        return int(Draws.stream(self.seed, f"token {position}").whole(1, below=PARTS)[0]) / PARTS


def choose(logits: Tensor, choice: Choice, position: int) -> Tensor:
    """The token that comes at a position, from the scores of all tokens.

    >>> from workings import given
    >>> logits = given([1.0, 3.0, 2.0], "vocab")
    >>> int(choose(logits, Choice(greedy=True), 4).array), int(choose(logits, Choice(top_k=2, seed=7), 4).array)
    (1, 1)
    """
    if choice.greedy:
        softmax(logits, axis="vocab", name="shares")  # to be seen beside the scores
        return argmax(logits, axis="vocab", name="chosen")
    scores = _cut(divide_by(logits, divisor=choice.temperature, name="tempered"), choice)
    shares = softmax(scores, axis="vocab", name="shares")
    drawn = random(choice.number(position), name="drawn", dtype=dtype_name(shares.array))
    return draw_by_share(shares, drawn, name="chosen")


def _cut(scores: Tensor, choice: Choice) -> Tensor:
    """The scores of the tokens that may be chosen; those of all others are -∞. First k is looked at, then p."""
    size = scores.size("vocab")
    if choice.top_k is not None:
        if choice.top_k > size:
            raise CallError("choice.top_k.size", k=choice.top_k, size=size)
        kept = keep_top_k(scores, k=choice.top_k, name="kept_by_k")
        scores = mask(scores, kept, name="cut" if choice.top_p is None else "cut_by_k")
    if choice.top_p is not None:
        uncut = softmax(scores, axis="vocab", name="uncut_shares")
        scores = mask(scores, keep_top_p(uncut, p=choice.top_p, name="kept_by_p"), name="cut")
    return scores


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


add_sentences(
    "error",
    {
        "choice.temperature.number": "The temperature must be a number above 0, and is {temperature}.",
        "choice.temperature.number.try": "Give such a number: 1 leaves the scores as they are.",
        "choice.temperature": "The scores are divided by the temperature, and {temperature} is not above 0.",
        "choice.temperature.try": "For the likeliest token each time use greedy; for nearly that, a small temperature "
        "such as 0.1.",
        "choice.top_k": "Top-k keeps the k likeliest tokens: k must be a whole number of at least 1, and is {k}.",
        "choice.top_k.try": "Give such a number, or leave it out to keep all tokens.",
        "choice.top_k.size": "Top-k cannot keep {k} tokens: the vocabulary has {size}.",
        "choice.top_k.size.try": "Give a number from 1 to {size}, or leave it out to keep all tokens.",
        "choice.top_p": "Top-p keeps the likeliest tokens that make up the share p: p must be above 0 and at most 1, "
        "and is {p}.",
        "choice.top_p.try": "Give such a number, for example 0.9; 1 keeps all tokens.",
        "choice.greedy": "Greedy takes the likeliest token: nothing is drawn, and so there is nothing for a "
        "temperature, top-k or top-p to change.",
        "choice.greedy.try": "Leave out greedy, or leave out the others.",
    },
)
