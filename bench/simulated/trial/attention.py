"""Mistakes with projections, scores, masks, heads and context vectors."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Five, Heads, Layers, Masked, One, Three, Two, pending
from ..heldout.block import Encoder
from ..heldout.cache import Cached
from ..heldout.cross import Cross, Scores
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.tips import Tips
from ..heldout.token_i import TokenI
from ..programs.operations import turned
from ..programs.paper import Array

A = "block1.attention"

# -- projections and scores ------------------------------------------------------------------------------


class QueriesAndKeysExchanged(One):
    wrong_step, names = f"{A}.Q", pending("queries_and_keys_exchanged")
    used = ("W_K", "W_Q")
    says = "Queries are computed with W_K and keys with W_Q: each has its own matrix."

    def project(self, at: str, x: Array, weight: Array) -> Array:
        other = {f"{A}.Q": "W_K", f"{A}.K": "W_Q"}.get(at)
        return super().project(at, x, self.given[f"{A}.{other}"] if other else weight)


class KeysTimesQueries(Two):
    wrong_step, names = f"{A}.scores", pending("keys_times_queries")
    says = "The scores are K Qᵀ, so that their rows belong to the keys: they are Q Kᵀ."

    def scores(self, q: Array, k: Array) -> Array:
        return self.product(k, turned(q))


class WidthOfAHeadWithoutRoot(Scores):
    wrong_step, names = "scaled", pending("width_of_a_head_without_root")
    factor = True
    says = "The scores of heads with 64 numbers are divided by 64: they are divided by its root, 8."

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / 64


class DividedByTheNumberOfHeads(Encoder):
    wrong_step, names = "scaled", pending("divided_by_the_number_of_heads")
    factor = True
    says = "The scores are divided by the number of heads: they are divided by the root of a head's width."

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / len(q)


# -- attention weights -----------------------------------------------------------------------------------


class PowersOfTen(Tips):
    wrong_step, names = "weights", pending("powers_of_ten")
    says = "The calculator's key 10^x was pressed in place of e^x: a softmax has powers of e."

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = 10**visible
        return powers / powers.sum(axis=-1, keepdims=True)


class PowersOfTheNegative(HelloWorld):
    wrong_step, names = "head1.weights", pending("powers_of_the_negative")
    says = "The powers are e to the minus score, as in a sigmoid: in a softmax the exponent is the score itself."

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = np.exp(-visible)
        return powers / powers.sum(axis=-1, keepdims=True)


class DividedByTheLargest(Five):
    wrong_step, names = f"{A}.weights", pending("divided_by_the_largest")
    says = "Each power is divided by the largest of its row: it is divided by the sum of its row."

    def attention_weights(self, scaled: Array) -> Array:
        powers = np.exp(scaled)
        return powers / powers.max(axis=-1, keepdims=True)


class DividedByTheSumOfTheOthers(Three):
    wrong_step, names = f"{A}.weights", pending("divided_by_the_sum_of_the_others")
    says = "Each power is divided by the sum of the other powers of its row: its own belongs to the sum."

    def attention_weights(self, scaled: Array) -> Array:
        powers = np.exp(scaled)
        return powers / (powers.sum(axis=-1, keepdims=True) - powers)


class SoftmaxTwice(Masked):
    wrong_step, names = "weights", pending("softmax_twice")
    says = "The softmax is applied to its own result: it is applied once."

    def attention_weights(self, scaled: Array) -> Array:
        return self.softmax(self.softmax(scaled))


# -- masks -----------------------------------------------------------------------------------------------


class MinusOneForHidden(Masked):
    wrong_step, names = "masked", pending("minus_one_for_hidden")
    says = "Hidden scores become -1, which still gets a weight: they become -∞."

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(len(scaled), dtype=bool), scaled, -1.0)


class EarlierTokensOfThePromptHidden(Cached):
    wrong_step, names = "token1.block1.attention.masked", pending("earlier_tokens_hidden")
    says = "In the prompt earlier tokens are hidden: later ones are."

    def masked(self, scaled: Array) -> Array:
        return np.where(np.tri(*scaled.shape, dtype=bool).T if len(scaled) > 1 else True, scaled, -np.inf)


# -- context vectors and heads ---------------------------------------------------------------------------


class MeanOfAllValues(Three):
    wrong_step, names = f"{A}.context", pending("mean_of_all_values")
    says = "Every token gets the plain mean of the values: it gets the mean that its attention weights give."

    def context(self, weights: Array, v: Array) -> Array:
        return np.tile(v.mean(axis=0), (len(weights), 1))


class OwnValueOnly(TokenI):
    wrong_step, names = "context", pending("own_value_only")
    says = "Each token's own value is multiplied by its weight for itself: the values of all tokens are averaged."

    def context(self, weights: Array, v: Array) -> Array:
        return np.diag(weights)[:, None] * v


class ValueOfTheLargestWeight(Cross):
    wrong_step, names = "context", pending("value_of_the_largest_weight")
    says = "Each token takes the one value with the largest weight: it takes a weighted mean of all."

    def context(self, weights: Array, v: Array) -> Array:
        return v[weights.argmax(axis=-1)]


class WeightsOfTheFirstHead(HelloWorld):
    wrong_step, names = "head2.context", pending("weights_of_the_first_head")
    used = ("head1.weights", "head2.weights")
    says = "The second head averages its values with the weights of the first: each head has its own."

    def context(self, weights: Array, v: Array) -> Array:
        return self.written["head1.weights"] @ v


class ValuesOfTheOtherHead(Heads):
    wrong_step, names = f"{A}.context", pending("values_of_the_other_head")
    says = "Each head averages the values of the other head: it averages its own."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights, v[::-1])


class HeadsJoinedInReverse(Encoder):
    wrong_step, names = "joined", pending("heads_joined_in_reverse")
    says = "The second head comes first in each row: they are joined in order."

    def merged(self, parts: Array) -> Array:
        return super().merged(parts[::-1])


class FirstHeadForAll(Layers):
    wrong_step, names = f"{A}.context", pending("first_head_for_all")
    says = "All heads use the attention weights of the first one: each has its own."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights[[0] * len(weights)], v)


PEOPLE: tuple[type[Examinee], ...] = (
    QueriesAndKeysExchanged, KeysTimesQueries, WidthOfAHeadWithoutRoot, DividedByTheNumberOfHeads, PowersOfTen,
    PowersOfTheNegative, DividedByTheLargest, DividedByTheSumOfTheOthers, SoftmaxTwice, MinusOneForHidden,
    EarlierTokensOfThePromptHidden, MeanOfAllValues, OwnValueOnly, ValueOfTheLargestWeight, WeightsOfTheFirstHead,
    ValuesOfTheOtherHead, HeadsJoinedInReverse, FirstHeadForAll,
)  # fmt: skip
