"""Mistakes with scores, masks, attention weights, context vectors and heads."""

from __future__ import annotations

import numpy as np

from ..heldout.attention import softmax
from ..heldout.cache import Cached
from ..heldout.cross import Cross, Scores
from ..heldout.examinee import Examinee
from ..heldout.tips import Tips
from ..programs.paper import Array
from .lessons import Decoder, Five, Heads, Layers, Masked, Residual, Sleeping, Three, Two, pending

A = "block1.attention"


class ScoresOfKeysAgainstQueries(Residual):
    wrong_step = f"{A}.scores"
    names = frozenset({"attention.queries_and_keys_exchanged", "matmul.queries_and_keys_exchanged"})
    says = "The scores are K Qᵀ, so that rows and columns are exchanged: the row of a token has its query, Q Kᵀ."

    def scores(self, q: Array, k: Array) -> Array:
        return self.product(k, q.T)


class RootOfTheModelWidth(Heads):
    wrong_step, names = f"{A}.scaled", frozenset({"convention.attention_scale.model", "divide_by_root.root_of_model"})
    says = "Scores are divided by the root of the model's width: with heads, it is the root of one head's width."

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores / np.sqrt(width)


class DividedWithoutTheRoot(Sleeping):
    wrong_step, names = "scaled", frozenset({"attention.root_forgotten", "divide_by_root.root_forgotten"})
    says = "Scores are divided by the width of the keys: they are divided by its square root."

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores / size


class DividedBySixtyFour(Scores):
    wrong_step, names = "scaled", frozenset({"attention.root_forgotten", "divide_by_root.root_forgotten"})
    says = "Scores of heads with 64 numbers are divided by 64: they are divided by its root, 8."

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / 64


class RootOfTheCachedKeys(Cached):
    wrong_step, names = "token2.block1.attention.scaled", frozenset({"divide_by_root.root_of_keys"})
    says = "Scores are divided by the root of the number of keys: it is the root of their width."

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / np.sqrt(scores.shape[-1])


class ScaledAfterTheSoftmax(Tips):
    wrong_step, names = "weights", frozenset({"softmax.not_scaled", "softmax.scaled_afterwards"})
    says = "The softmax is taken of the raw scores and then divided by the root: scores are divided before it."

    def weights(self, visible: Array, scores: Array) -> Array:
        return softmax(scores) / np.sqrt(2)


# -- masks -----------------------------------------------------------------------------------------------


class OwnTokenHidden(Masked):
    wrong_step, names = "masked", frozenset({"causal_mask.itself_hidden"})
    says = "The mask also hides the diagonal: a token may attend to itself."

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], k=-1, dtype=bool), scaled, -np.inf)


class NextTokenVisible(Masked):
    wrong_step, names = "masked", frozenset({"causal_mask.one_ahead"})
    says = "The mask begins one column too late: a token must not attend to the next one."

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], k=1, dtype=bool), scaled, -np.inf)


class HiddenAfterTheSoftmax(Masked):
    wrong_step, names = "weights", frozenset({"softmax.masked_afterwards"})
    says = "The softmax is taken of all scores and later tokens are set to 0: the mask comes first, so rows sum to 1."

    def attention_weights(self, scaled: Array) -> Array:
        return self.softmax(self.given["scores"]) * np.tri(len(scaled))


class MinusInfinityAsNothing(Masked):
    wrong_step, names = "weights", frozenset({"causal_mask.turned_into_zero", "mask.turned_into_zero"})
    says = "Hidden scores count as 0 in the softmax, and e⁰ is 1: the power of -∞ is 0."

    def attention_weights(self, scaled: Array) -> Array:
        return self.softmax(np.where(np.isneginf(scaled), 0, scaled))


class TinyForHugeNegative(Decoder):
    wrong_step, names = f"{A}.masked", frozenset({"causal_mask.turned_into_zero", "mask.turned_into_zero"})
    says = "Later tokens get the score 1e-9, a slip for -1e9: a hidden score is -∞ or a very large negative number."

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], dtype=bool), scaled, 1e-9)


# -- attention weights -----------------------------------------------------------------------------------


class PowersOfTen(Five):
    wrong_step, names = f"{A}.weights", frozenset({"softmax.base_ten"})
    says = "The softmax is taken with powers of 10: its base is e."

    def attention_weights(self, scaled: Array) -> Array:
        powers = 10.0**scaled
        return powers / powers.sum(axis=-1, keepdims=True)


class DividedBySumOfScores(Two):
    wrong_step, names = f"{A}.weights", pending("divided_by_sum_of_scores")
    says = "Each power is divided by the sum of the scores: it is divided by the sum of the powers."

    def attention_weights(self, scaled: Array) -> Array:
        return np.exp(scaled) / scaled.sum(axis=-1, keepdims=True)


class SigmoidOfEachScore(Cross):
    wrong_step, names = "weights", frozenset({"softmax.as_sigmoid"})
    says = "Each score goes through a sigmoid of its own: a softmax makes the weights of a row sum to 1."

    def weights(self, visible: Array, scores: Array) -> Array:
        return 1 / (1 + np.exp(-visible))


# -- context and heads -----------------------------------------------------------------------------------


class KeysAveraged(Residual):
    wrong_step, names = f"{A}.context", frozenset({"matmul.keys_for_values"})
    says = "The attention weights average the keys: they average the values."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights, self.kept[f"{A}.K"])


class ScoresAverageTheValues(Three):
    wrong_step, names = f"{A}.context", frozenset({"softmax.left_out"})
    says = "The values are multiplied by the scaled scores: they are averaged by the attention weights."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(self.kept[f"{A}.scaled"], v)


class ReshapedIntoHeads(Heads):
    wrong_step, names = f"{A}.Q_heads", frozenset({"permute.reshaped", "split_heads.reshape_without_transpose"})
    says = "Queries are reshaped to (heads, tokens, width) at once: a head has columns, so axes must be transposed."

    def split(self, part: Array, heads: int) -> Array:
        return part.reshape(heads, len(part), -1)


class JoinedInTheOrderOfMemory(Layers):
    wrong_step, names = f"{A}.joined", frozenset({"merge_heads.reshape_without_transpose", "permute.reshaped"})
    says = "The heads are reshaped to (tokens, width) at once: tokens must become the first axis before."

    def merge(self, parts: Array) -> Array:
        return parts.reshape(parts.shape[1], -1)


PEOPLE: tuple[type[Examinee], ...] = (
    ScoresOfKeysAgainstQueries, RootOfTheModelWidth, DividedWithoutTheRoot, DividedBySixtyFour, RootOfTheCachedKeys,
    ScaledAfterTheSoftmax, OwnTokenHidden, NextTokenVisible, HiddenAfterTheSoftmax, MinusInfinityAsNothing,
    TinyForHugeNegative, PowersOfTen, DividedBySumOfScores, SigmoidOfEachScore, KeysAveraged,
    ScoresAverageTheValues, ReshapedIntoHeads, JoinedInTheOrderOfMemory,
)  # fmt: skip
