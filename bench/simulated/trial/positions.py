"""Mistakes with positions: most of them from issues of repositories that people learn from."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Places, pending
from ..heldout.block import Block, Encoder
from ..heldout.cache import Cached
from ..heldout.examinee import Examinee
from ..programs.operations import BASE
from ..programs.paper import Array

PLACES = "embedding.position.places"


class BaseOfAThousand(Places):
    wrong_step, names = PLACES, pending("base_of_a_thousand")
    says = "The base of the frequencies is 1000, one zero short: it is 10000."

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / (BASE / 10) ** (np.arange(0, width, 2) / width)
        return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(order), width)


class AnglesInDegrees(Decoder):
    wrong_step, names = PLACES, frozenset({"positional_encoding.in_degrees"})
    says = "The calculator was set to degrees: the angles are in radians."

    def positions(self, order: Array, width: int) -> Array:
        angles = np.radians(order[:, None] / BASE ** (np.arange(0, width, 2) / width))
        return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(order), width)


class CosineOneFurther(Block):
    wrong_step, names = "places", pending("cosine_one_further")
    says = "The cosines have the exponent 2 (i + 1), that of the next pair: a sine and its cosine share 2 i."

    def places(self, order: Array, width: int) -> Array:
        even = np.arange(0, width, 2)
        sines, cosines = (
            np.sin(order[:, None] / BASE ** (even / width)),
            order[:, None] / BASE ** ((even + 2) / width),
        )
        return np.stack((sines, np.cos(cosines)), axis=-1).reshape(len(order), width)


class SinesEverywhere(Encoder):
    wrong_step, names = "places", frozenset({"positional_encoding.all_sines"})
    says = "All columns have sines: odd ones have cosines."

    def places(self, order: Array, width: int) -> Array:
        return np.repeat(np.sin(order[:, None] / BASE ** (np.arange(0, width, 2) / width)), 2, axis=1)


class PositionOfTheLength(Places):
    wrong_step, names = PLACES, pending("position_of_the_length")
    says = "Every token gets the position number of the text's length: each has a position of its own."

    def order(self, tokens: int) -> Array:
        return np.full(tokens, tokens)


class PositionsFromTheEnd(Places):
    wrong_step, names = PLACES, frozenset({"positional_encoding.from_the_end"})
    says = "Positions are counted from the end of the text: the first token has position 0."

    def order(self, tokens: int) -> Array:
        return np.arange(tokens)[::-1]


class PositionsMultiplied(Decoder):
    wrong_step, names = "embedding.X", frozenset({"add.multiplied"})
    says = "Embeddings are multiplied by the positions, entry by entry: positions are added."

    def add_positions(self, embedded: Array, places: Array) -> Array:
        return embedded * places


class PositionsTwice(Block):
    wrong_step, names = "X", frozenset({"add.position_twice"})
    says = "The positions are added twice: they are added once."

    def placed_at(self, embedded: Array, places: Array) -> Array:
        return embedded + places + places


class PositionsSubtracted(Encoder):
    wrong_step, names = "X", frozenset({"add.subtracted"})
    says = "The positions are subtracted from the embeddings: they are added."

    def placed_at(self, embedded: Array, places: Array) -> Array:
        return embedded - places


class FirstRowOfPositionsForAll(Cached):
    wrong_step, names = "token1.embedding.X", pending("first_position_for_all")
    says = "Every token of the prompt gets the first row of positions: each has its own row."

    def placed_at(self, embedded: Array, places: Array, at: str) -> Array:
        return embedded + places[:1]


PEOPLE: tuple[type[Examinee], ...] = (
    BaseOfAThousand, AnglesInDegrees, CosineOneFurther, SinesEverywhere, PositionOfTheLength, PositionsFromTheEnd,
    PositionsMultiplied, PositionsTwice, PositionsSubtracted, FirstRowOfPositionsForAll,
)  # fmt: skip
