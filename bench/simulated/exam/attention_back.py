"""Mistakes on the way back through attention."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Heads, Layers, Masked, One, Sleeping, Three, pending
from ..heldout.attention import flipped
from ..heldout.batch import Batch
from ..heldout.block import Encoder
from ..heldout.cross import Cross, Scores
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.tips import Tips
from ..heldout.token_i import TokenI
from ..programs.operations import turned
from ..programs.paper import Array

A = "block1.attention"


class DiagonalOfTheJacobian(Three):
    wrong_step, names = f"{A}.dscaled", frozenset({"softmax.diagonal_only"})
    says = "The softmax goes back as p (1 - p) times the gradient, entry by entry: the entries of a row are coupled."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (1 - weights) * gradient


class SoftmaxSkippedGoingBack(One):
    wrong_step, names = f"{A}.dscaled", frozenset({"softmax.gradient_let_through"})
    says = "The gradient of the attention weights is taken for that of the scores: it goes through the softmax first."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return gradient


class WeightsNotMultiplied(Cross):
    wrong_step, names = "dscaled", frozenset({"softmax.factor_forgotten"})
    says = "The weighted mean is subtracted from the gradient, and that is all: the rest is multiplied by the weights."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return dweights - (weights * dweights).sum(axis=-1, keepdims=True)


class OneMeanForAllRows(Masked):
    wrong_step, names = "dmasked", frozenset({"softmax.average_of_all_rows"})
    says = "The sum of weight times gradient is taken over the whole matrix: each row has its own."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (gradient - (weights * gradient).sum())


class NotScaledGoingBack(Batch):
    wrong_step, names = "example3.block1.attention.dscores", frozenset({"divide_by_root.gradient_not_divided"})
    factor = True
    says = "The gradient is not divided by the root of the width: going back, it is divided as the scores were."

    def through_root(self, dscaled: Array, q: Array) -> Array:
        return dscaled


class ScaledUpGoingBack(Encoder):
    wrong_step, names = "dscores", frozenset({"divide_by_root.gradient_multiplied"})
    factor = True
    says = "The gradient is multiplied by the root of the width: going back, it is divided as the scores were."

    def through_root(self, dscaled: Array, q: Array) -> Array:
        return dscaled * np.sqrt(q.shape[-1])


class ScoreGradientNotTransposed(HelloWorld):
    wrong_step, names = "head2.dK_T", frozenset({"matmul.gradient_transposed"})
    says = "The gradient of the keys is dS Q: it is dSᵀ Q."

    def to_keys(self, dscores: Array, q: Array, dscaled: Array) -> Array:
        return flipped(dscores @ q)


class KeysOfTheKeys(TokenI):
    wrong_step, names = "dK_T", frozenset({"matmul.keys_by_keys"})
    used = ("attention.K", "attention.Q")
    says = "The gradient of the keys is computed with the keys: they met the queries."

    def to_keys(self, dscores: Array, q: Array, dscaled: Array) -> Array:
        return flipped(self.written["K"]) @ dscores


class QueriesOfTheQueries(Layers):
    wrong_step, names = f"{A}.dQ_heads", frozenset({"matmul.queries_by_queries"})
    used = ("Q_heads", "K_heads")
    says = "The gradient of the queries is computed with the queries: they met the keys."

    def back_to_queries(self, dscores: Array, k: Array) -> Array:
        return self.product(dscores, self.kept[f"{A}.Q_heads"])


class WeightsNotTransposedForValues(Sleeping):
    wrong_step, names = "dV", frozenset({"matmul.first_not_transposed"})
    says = "The gradient of the values is the weights times that of the context: the weights are transposed."

    def back_to_values(self, weights: Array, dcontext: Array) -> Array:
        return self.product(weights, dcontext)


class WeightsNotTransposedOnThePage(Scores):
    wrong_step, names = "dV", frozenset({"matmul.first_not_transposed"})
    says = "The gradient of V is A dC: it is Aᵀ dC, since a value is used by all the tokens in its column."

    def to_values(self, weights: Array, dcontext: Array) -> Array:
        return weights @ dcontext


class ScoresGoBackToValues(Tips):
    wrong_step, names = "dV", frozenset({"softmax.left_out"})
    used = ("scaled", "weights")
    says = "The gradient of the values is computed with the scaled scores: it takes the attention weights."

    def to_values(self, weights: Array, dcontext: Array) -> Array:
        return flipped(self.written["scaled"]) @ dcontext


class KeysForValuesGoingBack(Heads):
    wrong_step, names = f"{A}.dweights", pending("keys_for_values_going_back")
    used = ("K_heads", "V_heads")
    says = "The gradient of the attention weights is computed with the keys: the weights met the values."

    def back_to_weights_of_attention(self, dcontext: Array, v: Array) -> Array:
        return self.product(dcontext, turned(self.kept[f"{A}.K_heads"]))


PEOPLE: tuple[type[Examinee], ...] = (
    DiagonalOfTheJacobian, SoftmaxSkippedGoingBack, WeightsNotMultiplied, OneMeanForAllRows, NotScaledGoingBack,
    ScaledUpGoingBack, ScoreGradientNotTransposed, KeysOfTheKeys, QueriesOfTheQueries, WeightsNotTransposedForValues,
    WeightsNotTransposedOnThePage, ScoresGoBackToValues, KeysForValuesGoingBack,
)  # fmt: skip
