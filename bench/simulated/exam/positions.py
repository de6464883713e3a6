"""Mistakes with embeddings and positions."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Places
from ..heldout.block import Block, Encoder
from ..heldout.cache import Cached
from ..heldout.examinee import Examinee
from ..programs.operations import BASE
from ..programs.paper import Array

PLACES = "embedding.position.places"


class CosinesInEvenColumns(Places):
    wrong_step, names = PLACES, frozenset({"positional_encoding.exchanged"})
    says = "Even columns have cosines and odd ones sines: even columns have the sines."

    def positions(self, order: Array, width: int) -> Array:
        places = super().positions(order, width)
        return places.reshape(len(order), -1, 2)[..., ::-1].reshape(places.shape)


class PositionsFromOne(Places):
    wrong_step, names = PLACES, frozenset({"positional_encoding.counted_from_one"})
    says = "Positions are counted from 1: the first token has position 0."

    def order(self, tokens: int) -> Array:
        return np.arange(1, tokens + 1)


class SinesThenCosines(Decoder):
    wrong_step, names = PLACES, frozenset({"convention.position.concatenated", "positional_encoding.other_layout"})
    says = "All sines come first and all cosines after them: they alternate from column to column."

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(0, width, 2) / width)
        return np.concatenate((np.sin(angles), np.cos(angles)), axis=1)


class EmbeddingsTimesRootOfWidth(Decoder):
    wrong_step, names = "embedding.X", frozenset({"add.embedding_scaled", "lookup.scaled_by_root"})
    says = "Embeddings are multiplied by the root of the width before positions are added: here they are just added."

    def add_positions(self, embedded: Array, places: Array) -> Array:
        return embedded * np.sqrt(embedded.shape[1]) + places


class FrequencyForEveryColumn(Encoder):
    wrong_step, names = "places", frozenset({"positional_encoding.cosine_exponent"})
    says = "Every column has a frequency of its own: a sine and the cosine next to it share one."

    def places(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(width) / width)
        return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))


class ExponentDoubled(Block):
    wrong_step, names = "places", frozenset({"positional_encoding.pairs_doubled"})
    says = "The exponent is doubled although i already goes up in twos: it is the even column's number over the width."

    def places(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (2 * np.arange(0, width, 2) / width)
        return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(order), width)


class PositionsLeftOut(Block):
    wrong_step, names = "X", frozenset({"add.position_forgotten"})
    says = "The embeddings enter the block without their positions: these are added first."

    def placed_at(self, embedded: Array, places: Array) -> Array:
        return embedded


class OnePositionTooFar(Cached):
    wrong_step, names = "token2.embedding.position.places", frozenset({"positional_encoding.counted_from_one"})
    says = "The new token gets the number of cached tokens plus one: counted from 0, its position is that number."

    def places(self, order: Array, at: str) -> Array:
        return super().places(order + (at != "token1."), at)


PEOPLE: tuple[type[Examinee], ...] = (
    CosinesInEvenColumns, PositionsFromOne, SinesThenCosines, EmbeddingsTimesRootOfWidth, FrequencyForEveryColumn,
    ExponentDoubled, PositionsLeftOut, OnePositionTooFar,
)  # fmt: skip
