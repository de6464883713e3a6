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
    wrong_step, names = (
        f"{A}.Q",
        frozenset(
            {
                "attention.queries_and_keys_exchanged",
                "linear.other_weight",
                "matmul.other_weight",
                "matmul.queries_and_keys_exchanged",
            }
        ),
    )
    used = ("W_K", "W_Q")
    says = "Queries are computed with W_K and keys with W_Q: each has its own matrix."

    def project(self, at: str, x: Array, weight: Array) -> Array:
        other = {f"{A}.Q": "W_K", f"{A}.K": "W_Q"}.get(at)
        return super().project(at, x, self.given[f"{A}.{other}"] if other else weight)


class KeysTimesQueries(Two):
    wrong_step, names = (
        f"{A}.scores",
        frozenset({"attention.queries_and_keys_exchanged", "matmul.queries_and_keys_exchanged", "matmul.reversed"}),
    )
    says = "The scores are K Qᵀ, so that their rows belong to the keys: they are Q Kᵀ."

    def scores(self, q: Array, k: Array) -> Array:
        return self.product(k, turned(q))


class WidthOfAHeadWithoutRoot(Scores):
    wrong_step, names = (
        "scaled",
        frozenset({"attention.root_forgotten", "divide_by.divided_twice", "divide_by_root.root_forgotten"}),
    )
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
    wrong_step, names = "weights", frozenset({"softmax.base_ten"})
    says = "The calculator's key 10^x was pressed in place of e^x: a softmax has powers of e."

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = 10**visible
        return powers / powers.sum(axis=-1, keepdims=True)


class PowersOfTheNegative(HelloWorld):
    wrong_step, names = "head1.weights", frozenset({"softmax.sign_turned"})
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
    wrong_step, names = f"{A}.weights", frozenset({"softmax.own_left_out"})
    says = "Each power is divided by the sum of the other powers of its row: its own belongs to the sum."

    def attention_weights(self, scaled: Array) -> Array:
        powers = np.exp(scaled)
        return powers / (powers.sum(axis=-1, keepdims=True) - powers)


class SoftmaxTwice(Masked):
    wrong_step, names = "weights", frozenset({"softmax.applied_twice"})
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
    wrong_step, names = "token1.block1.attention.masked", frozenset({"causal_mask.upper_triangle"})
    says = "In the prompt earlier tokens are hidden: later ones are."

    def masked(self, scaled: Array) -> Array:
        return np.where(np.tri(*scaled.shape, dtype=bool).T if len(scaled) > 1 else True, scaled, -np.inf)


# -- context vectors and heads ---------------------------------------------------------------------------


class MeanOfAllValues(Three):
    wrong_step, names = f"{A}.context", frozenset({"matmul.plain_average"})
    says = "Every token gets the plain mean of the values: it gets the mean that its attention weights give."

    def context(self, weights: Array, v: Array) -> Array:
        return np.tile(v.mean(axis=0), (len(weights), 1))


class OwnValueOnly(TokenI):
    wrong_step, names = "context", pending("own_value_only")
    says = "Each token's own value is multiplied by its weight for itself: the values of all tokens are averaged."

    def context(self, weights: Array, v: Array) -> Array:
        return np.diag(weights)[:, None] * v


class ValueOfTheLargestWeight(Cross):
    wrong_step, names = "context", frozenset({"matmul.only_largest"})
    says = "Each token takes the one value with the largest weight: it takes a weighted mean of all."

    def context(self, weights: Array, v: Array) -> Array:
        return v[weights.argmax(axis=-1)]


class WeightsOfTheFirstHead(HelloWorld):
    wrong_step, names = "head2.context", frozenset({"matmul.other_head_first"})
    used = ("head1.weights", "head2.weights")
    says = "The second head averages its values with the weights of the first: each head has its own."

    def context(self, weights: Array, v: Array) -> Array:
        return self.written["head1.weights"] @ v


class ValuesOfTheOtherHead(Heads):
    wrong_step, names = f"{A}.context", frozenset({"matmul.other_head"})
    says = "Each head averages the values of the other head: it averages its own."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights, v[::-1])


class HeadsJoinedInReverse(Encoder):
    wrong_step, names = "joined", frozenset({"merge_heads.heads_reversed"})
    says = "The second head comes first in each row: they are joined in order."

    def merged(self, parts: Array) -> Array:
        return super().merged(parts[::-1])


class FirstHeadForAll(Layers):
    wrong_step, names = f"{A}.context", frozenset({"matmul.other_head_first"})
    says = "All heads use the attention weights of the first one: each has its own."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights[[0] * len(weights)], v)


PEOPLE: tuple[type[Examinee], ...] = (
    QueriesAndKeysExchanged, KeysTimesQueries, WidthOfAHeadWithoutRoot, DividedByTheNumberOfHeads, PowersOfTen,
    PowersOfTheNegative, DividedByTheLargest, DividedByTheSumOfTheOthers, SoftmaxTwice, MinusOneForHidden,
    EarlierTokensOfThePromptHidden, MeanOfAllValues, OwnValueOnly, ValueOfTheLargestWeight, WeightsOfTheFirstHead,
    ValuesOfTheOtherHead, HeadsJoinedInReverse, FirstHeadForAll,
)  # fmt: skip
