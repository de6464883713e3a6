"""Mistakes with projections, scores, attention weights and context vectors."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Heads, Layers, One, Residual, Sleeping, Three, Two
from ..heldout.attention import flipped
from ..heldout.block import Block, Encoder
from ..heldout.cross import Cross, Scores
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.tips import Tips
from ..heldout.token_i import TokenI
from ..programs.paper import Array

A = "block1.attention"

# -- projections -----------------------------------------------------------------------------------------


class WeightsOfPyTorch(Residual):
    wrong_step, names = f"{A}.Q", frozenset({"linear.weight_transposed", "matmul.second_transposed"})
    says = "X is multiplied by the transposed weights, as a layer of PyTorch keeps them: here it is X W."

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return self.product(x, weight.T)


class ValuesByTheKeysMatrix(Sleeping):
    wrong_step, names = "V", frozenset({"linear.other_weight", "matmul.other_weight"})
    used = ("W_K", "W_V")
    says = "The values are computed with the matrix of the keys, a line that was copied: they have their own, W_V."

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return super().project(at, x, self.given["W_K"] if at == ".V" else weight)


# -- scores ----------------------------------------------------------------------------------------------


class QueriesTimesQueries(HelloWorld):
    wrong_step, names = "head1.scores", frozenset({"matmul.queries_for_keys"})
    used = ("head1.Q", "head1.K")
    says = "The scores are Q Qᵀ: they are Q Kᵀ."

    def scores(self, q: Array, k: Array, at: str) -> Array:
        return q @ flipped(q)


class KeysNotTransposed(Tips):
    wrong_step, names = "scores", frozenset({"matmul.second_transposed", "transpose.forgotten"})
    says = "The scores are Q K, which the square shapes allow: the keys are transposed, Q Kᵀ."

    def scores(self, q: Array, k: Array, at: str) -> Array:
        return q @ k


class NotScaled(Three):
    wrong_step, names = f"{A}.scaled", frozenset({"attention.unscaled", "divide_by_root.not_divided"})
    factor = True
    says = "The scores go on as they are: they are divided by the square root of the keys' width."

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores


class NotScaledByEight(Scores):
    wrong_step = "scaled"
    names = frozenset({"attention.unscaled", "divide_by.not_divided", "divide_by_root.not_divided"})
    factor = True
    says = "The scores of heads with 64 numbers go on as they are: they are divided by 8."

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores


class RootOfAllHeads(Block):
    wrong_step, names = "scaled", frozenset({"convention.attention_scale.model", "divide_by_root.root_of_model"})
    factor = True
    says = "The scores are divided by the root of the embedding's width: a head's own width is what counts."

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / np.sqrt(len(q) * q.shape[-1])


class WidthWithoutRoot(TokenI):
    wrong_step, names = "scaled", frozenset({"attention.root_forgotten", "divide_by_root.root_forgotten"})
    factor = True
    says = "The scores are divided by the width itself: they are divided by its root."

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / q.shape[-1]


class TimesTheRoot(Residual):
    wrong_step, names = f"{A}.scaled", frozenset({"divide_by_root.multiplied"})
    factor = True
    says = "The scores are multiplied by the root of the width: they are divided by it."

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores * np.sqrt(size)


class RootOfTheSequence(Heads):
    wrong_step, names = f"{A}.scaled", frozenset({"divide_by_root.root_of_keys"})
    factor = True
    says = "The scores are divided by the root of the number of tokens: it is the root of a key's width."

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores / np.sqrt(scores.shape[-1])


# -- attention weights -----------------------------------------------------------------------------------


class SoftmaxOverQueries(Two):
    wrong_step, names = f"{A}.weights", frozenset({"attention.wrong_axis", "softmax.wrong_axis"})
    says = "The softmax goes down the columns, over the queries: it goes along each row, over the keys."

    def attention_weights(self, scaled: Array) -> Array:
        return self.softmax(scaled.T).T


class SoftmaxOverHeads(Encoder):
    wrong_step, names = "weights", frozenset({"softmax.over_heads", "softmax.wrong_axis"})
    says = "The softmax runs over the first axis, the heads, as axis 0 of one matrix: it runs over the last, the keys."

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = np.exp(visible)
        return powers / powers.sum(axis=0)


class OneSumForEverything(Cross):
    wrong_step, names = "weights", frozenset({"softmax.over_all_rows", "softmax.over_each_matrix"})
    says = "Powers are divided by the sum of the whole matrix: each row is divided by its own sum."

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = np.exp(visible)
        return powers / powers.sum()


class ScoresOverTheirSum(Layers):
    wrong_step, names = f"{A}.weights", frozenset({"softmax.no_exponential"})
    says = "Each score is divided by the sum of its row, without the exponential: a softmax divides powers of e."

    def attention_weights(self, scaled: Array) -> Array:
        return scaled / scaled.sum(axis=-1, keepdims=True)


class PowersNotDivided(Three):
    wrong_step, names = f"{A}.weights", frozenset({"softmax.not_normalised"})
    says = "The attention weights are the powers of e alone: each is divided by the sum of its row."

    def attention_weights(self, scaled: Array) -> Array:
        return np.exp(scaled)


# -- context vectors -------------------------------------------------------------------------------------


class ScoresForWeights(TokenI):
    wrong_step, names = "context", frozenset({"softmax.left_out"})
    used = ("scaled", "weights")
    says = "The scaled scores multiply the values: the attention weights do."

    def context(self, weights: Array, v: Array) -> Array:
        return self.written["scaled"] @ v


class WeightsTransposed(One):
    wrong_step, names = f"{A}.context", frozenset({"matmul.first_transposed"})
    says = "The attention weights are transposed before they average the values: a token's weights are its row."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights.T, v)


class KeysForValues(Heads):
    wrong_step, names = f"{A}.context", frozenset({"matmul.keys_for_values"})
    used = ("K_heads", "V_heads")
    says = "The attention weights average the keys of a head: they average its values."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights, self.kept[f"{A}.K_heads"])


class InputForValues(Two):
    wrong_step, names = f"{A}.context", frozenset({"linear.weight_forgotten", "matmul.weight_forgotten"})
    used = ("embedding.X", "attention.V")
    says = "The attention weights average the embeddings themselves: they average the values, X W_V."

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights, self.kept["embedding.X"])


PEOPLE: tuple[type[Examinee], ...] = (
    WeightsOfPyTorch, ValuesByTheKeysMatrix, QueriesTimesQueries, KeysNotTransposed, NotScaled, NotScaledByEight,
    RootOfAllHeads, WidthWithoutRoot, TimesTheRoot, RootOfTheSequence, SoftmaxOverQueries, SoftmaxOverHeads,
    OneSumForEverything, ScoresOverTheirSum, PowersNotDivided, ScoresForWeights, WeightsTransposed, KeysForValues,
    InputForValues,
)  # fmt: skip
