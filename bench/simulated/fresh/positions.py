"""Mistakes with token ids, positions, and the projections to queries, keys and values."""

from __future__ import annotations

import numpy as np

from ..heldout.block import Encoder
from ..heldout.cache import Cached
from ..heldout.cross import Cross
from ..heldout.examinee import Examinee
from ..heldout.tips import Tips
from ..programs.paper import Array
from .lessons import Decoder, One, Places, Three, Two

PLACES = "embedding.position.places"


class IdsCountedFromOne(One):
    wrong_step, names = "embedding.X", frozenset({"lookup.counted_from_one"})
    says = "The row above the token's own is taken from the embedding table: ids count from 0, not from 1."

    def lookup(self, table: Array, tokens: Array) -> Array:
        return table[tokens - 1]


class AnglesInDegrees(Places):
    wrong_step, names = PLACES, frozenset({"cos.in_degrees", "positional_encoding.in_degrees", "sin.in_degrees"})
    says = "The calculator is set to degrees: the angles of the positional encoding are in radians."

    def positions(self, order: Array, width: int) -> Array:
        angles = np.deg2rad(order[:, None] / 10000 ** (np.arange(0, width, 2) / width))
        return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(order), width)


class FirstPositionIsOne(Places):
    wrong_step, names = PLACES, frozenset({"lookup.positions_from_one", "positional_encoding.counted_from_one"})
    says = "The first token gets position 1: positions count from 0."

    def order(self, tokens: int) -> Array:
        return np.arange(1, tokens + 1)


class SineForEvenTokens(Places):
    wrong_step, names = PLACES, frozenset({"positional_encoding.rows_alternate"})
    says = "Even tokens get sines and odd tokens cosines: it is the columns that alternate, not the rows."

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / 10000 ** (np.arange(width) // 2 * 2 / width)
        return np.where(order[:, None] % 2 == 0, np.sin(angles), np.cos(angles))


class EvenColumnDoubledAgain(Places):
    wrong_step, names = PLACES, frozenset({"positional_encoding.pairs_doubled"})
    says = "The exponent is twice the column, which was already 2i: it is 2i / d with i = 0, 1, ..., not 4i / d."

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / 10000 ** (2 * np.arange(0, width, 2) / width)
        return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(order), width)


class OnlySines(Decoder):
    wrong_step, names = PLACES, frozenset({"positional_encoding.all_sines"})
    says = "Every column is a sine: the odd columns are cosines."

    def positions(self, order: Array, width: int) -> Array:
        return np.sin(order[:, None] / 10000 ** (np.arange(width) // 2 * 2 / width))


class PositionsNeverAdded(Encoder):
    wrong_step, names = "X", frozenset({"add.position_forgotten"})
    says = "The block gets the bare embeddings: the positional encoding has to be added first."

    def placed_at(self, embedded: Array, places: Array) -> Array:
        return embedded


class NewPositionOneTooFar(Cached):
    wrong_step, names = "token2.embedding.position.places", frozenset({"positional_encoding.counted_from_one"})
    says = "The third token gets position 3: after the positions 0 and 1 it has position 2."

    def places(self, order: Array, at: str) -> Array:
        return super().places(order if at == "token1." else order + 1, at)


# -- projections -----------------------------------------------------------------------------------------


class QueryAndKeyMatricesExchanged(Two):
    wrong_step = "block1.attention.Q"
    names = frozenset(
        {
            "attention.queries_and_keys_exchanged",
            "linear.other_weight",
            "matmul.other_weight",
            "matmul.queries_and_keys_exchanged",
        }
    )
    says = "Queries are computed with W_K and keys with W_Q: each has the matrix of its own name."

    def project(self, at: str, x: Array, weight: Array) -> Array:
        other = {"Q": "W_K", "K": "W_Q"}.get(at[-1])
        return self.product(x, self.given[f"block1.attention.{other}"] if other else weight)


class WeightTransposedForward(Three):
    wrong_step, names = "block1.attention.Q", frozenset({"linear.weight_transposed", "matmul.second_transposed"})
    says = "The input is multiplied by the transposed weight, as in another library: it is X W, with W as it is given."

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return self.product(x, weight if at == "logits" else weight.T)


class WeightTimesInput(Tips):
    wrong_step, names = "Q", frozenset({"matmul.reversed"})
    says = "The weight is multiplied by the input, W X: the rows of X are the tokens, so it is X W."

    def projected(self, x: Array, name: str) -> Array:
        return self.given[f"W_{name}"] @ x


class ValuesAreTheInput(Tips):
    wrong_step, names = "V", frozenset({"linear.weight_forgotten", "matmul.weight_forgotten"})
    says = "The embeddings themselves serve as values: values are the embeddings times W_V."

    def projected(self, x: Array, name: str) -> Array:
        return x if name == "V" else super().projected(x, name)


class KeysWithTheQueryMatrix(Cross):
    wrong_step, names = "K", frozenset({"linear.other_weight", "matmul.other_weight"})
    says = "Keys are computed with W_Q, like queries: keys have the matrix W_K."

    def weight(self, name: str) -> Array:
        return self.given["W_Q"] if name == "K" else super().weight(name)


PEOPLE: tuple[type[Examinee], ...] = (
    IdsCountedFromOne, AnglesInDegrees, FirstPositionIsOne, SineForEvenTokens, EvenColumnDoubledAgain, OnlySines,
    PositionsNeverAdded, NewPositionOneTooFar, QueryAndKeyMatricesExchanged, WeightTransposedForward,
    WeightTimesInput, ValuesAreTheInput, KeysWithTheQueryMatrix,
)  # fmt: skip
