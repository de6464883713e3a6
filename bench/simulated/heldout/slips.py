"""People who know how it goes, and whose pencil slips once; they go on from what they wrote."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .adam import Adam
from .batch import Batch
from .block import Encoder
from .cross import Cross, Scores
from .examinee import Examinee
from .hello_world import HelloWorld
from .recurrent import Recurrent
from .tips import Tips
from .token_i import TokenI


def largest(table: Array) -> tuple[int, ...]:
    """Where the largest entry is: a slip in a tiny one could hide behind a rounding."""
    return tuple(int(place) for place in np.unravel_index(int(np.abs(table).argmax()), table.shape))


def with_two_digits_swapped(number: float) -> float:
    """0.8134 becomes 0.8314: the first two different neighbors after the leading digit."""
    digits, power = f"{abs(number):.3e}".split("e")
    shown = digits.replace(".", "")
    place = next(place for place in range(1, 3) if shown[place] != shown[place + 1])
    swapped = shown[:place] + shown[place + 1] + shown[place] + shown[place + 2 :]
    return float(np.copysign(float(f"{swapped[0]}.{swapped[1:]}e{power}"), number))


class Slipping(Examinee):
    """`spoil` changes one entry of what was right."""

    def write(self, name: str, value: Array) -> Array:
        right = super().write(name, value)
        if name == self.wrong_step:
            self.written[name] = right.copy()
            self.spoil(self.written[name])
        return self.written[name]

    def spoil(self, right: Array) -> None:
        raise NotImplementedError


class MinusLost(Slipping, Tips):
    wrong_step, slip = "Q", "sign_lost"

    def spoil(self, right: Array) -> None:
        right[largest(right)] *= -1


class MinusLostGoingBack(Slipping, TokenI):
    wrong_step, slip = "dV", "sign_lost"

    def spoil(self, right: Array) -> None:
        right[largest(right)] *= -1


class TermDropped(Slipping, Cross):
    wrong_step, slip = "scores", "term_dropped"

    def spoil(self, right: Array) -> None:
        products = self.written["Q"][0] * self.written["K"][1]
        right[0, 1] -= products[largest(products)]


class TermDroppedInTheNetwork(Slipping, HelloWorld):
    wrong_step, slip = "hidden", "term_dropped"

    def spoil(self, right: Array) -> None:
        term = largest(self.given["W_1"])
        right[1, term[1]] -= self.written["attended"][1, term[0]] * self.given["W_1"][term]


class DigitsSwapped(Slipping, Batch):
    wrong_step, slip = "example2.logits", "digits_swapped"

    def spoil(self, right: Array) -> None:
        right[largest(right)] = with_two_digits_swapped(right[largest(right)])


class DigitsSwappedInANorm(Slipping, Encoder):
    wrong_step, slip = "attention.norm.normed", "digits_swapped"

    def spoil(self, right: Array) -> None:
        right[largest(right)] = with_two_digits_swapped(right[largest(right)])


class NeighborCopied(Slipping, TokenI):
    wrong_step, slip = "K", "neighbor_copied"

    def spoil(self, right: Array) -> None:
        right[0, 1] = right[0, 2]


class NeighborCopiedAtTheEnd(Slipping, Tips):
    wrong_step, slip = "P", "neighbor_copied"

    def spoil(self, right: Array) -> None:
        right[1] = right[0]


class PointMisplaced(Slipping, Scores):
    wrong_step, slip = "context", "point_misplaced"

    def spoil(self, right: Array) -> None:
        right[largest(right)] *= 10


class PointMisplacedGoingBack(Slipping, Recurrent):
    wrong_step, slip = "dX", "point_misplaced"

    def spoil(self, right: Array) -> None:
        right[largest(right)] /= 10


class DigitMisread(Slipping, Adam):
    """A 1 for a 7, or the other way round: three tenths of the leading digit."""

    wrong_step, slip = "step2.w_new", "digit_misread"

    def spoil(self, right: Array) -> None:
        where = largest(right)
        right[where] += 0.3 * 10 ** np.floor(np.log10(abs(right[where])))


PEOPLE = (
    MinusLost,
    MinusLostGoingBack,
    TermDropped,
    TermDroppedInTheNetwork,
    DigitsSwapped,
    DigitsSwappedInANorm,
    NeighborCopied,
    NeighborCopiedAtTheEnd,
    PointMisplaced,
    PointMisplacedGoingBack,
    DigitMisread,
)
