"""Mistakes with the backward pass of attention."""

from __future__ import annotations

from ..heldout.attention import flipped
from ..heldout.block import Block
from ..heldout.cross import Cross
from ..heldout.examinee import Examinee
from ..heldout.tips import Tips
from ..heldout.token_i import TokenI
from ..programs.paper import Array
from .lessons import Heads, Masked, Residual, Three

A = "block1.attention"


class WeightsNotTransposedBack(Heads):
    wrong_step = f"{A}.dV_heads"
    names = frozenset({"matmul.first_not_transposed", "matmul.first_transposed", "transpose.forgotten"})
    says = "The gradient of the values is weights times dcontext: going back, the weights are transposed."

    def back_to_values(self, weights: Array, dcontext: Array) -> Array:
        return self.product(weights, dcontext)


class PlainSumSubtracted(Residual):
    wrong_step, names = f"{A}.dscaled", frozenset({"softmax.plain_sum"})
    says = "The plain sum of the gradients of a row is subtracted: each of them is weighted by its probability."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (gradient - gradient.sum(axis=-1, keepdims=True))


class AverageDownTheColumns(Masked):
    wrong_step, names = "dmasked", frozenset({"softmax.average_of_columns"})
    says = "The weighted average of the gradients is taken down each column: the softmax was taken along each row."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (gradient - (weights * gradient).sum(axis=0, keepdims=True))


class WeightsLeftOutAtTheEnd(Block):
    wrong_step, names = "dmasked", frozenset({"softmax.factor_forgotten"})
    says = "The average of a row is subtracted from its gradients and that is all: weights multiply the difference."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return self.let_through(self.write("dmasked", dweights - (weights * dweights).sum(axis=-1, keepdims=True)))


class SlopeOfEachWeightAlone(Three):
    wrong_step, names = f"{A}.dscaled", frozenset({"softmax.diagonal_only"})
    says = "Each gradient is multiplied by w (1 - w), as for a sigmoid: the other scores of a row matter too."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (1 - weights) * gradient


class SoftmaxPassedOver(Cross):
    wrong_step, names = "dscaled", frozenset({"softmax.gradient_let_through"})
    says = "The gradient of the weights is taken for that of the scores: it has to pass the softmax."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return dweights


class RootForgottenGoingBack(Heads):
    wrong_step, names = f"{A}.dscores", frozenset({"divide_by_root.gradient_not_divided", "divide_by_root.not_divided"})
    says = "The gradient passes the scaling unchanged: it is divided by the root too."

    def back_through_scale(self, gradient: Array, size: int) -> Array:
        return gradient


class QueriesForKeysGoingBack(Tips):
    wrong_step, names = "dQ", frozenset({"matmul.queries_by_queries"})
    says = "The gradient of the queries is dscores times Q: it is dscores times K."

    def to_queries(self, dscores: Array, k: Array) -> Array:
        return dscores @ self.written["Q"]


class ScoresNotTransposedForKeys(TokenI):
    wrong_step, names = "dK_T", frozenset({"matmul.gradient_transposed", "matmul.second_transposed"})
    says = "The gradient of the keys is dscores times Q: it is dscores transposed, times Q."

    def to_keys(self, dscores: Array, q: Array, dscaled: Array) -> Array:
        return flipped(q) @ flipped(dscores)


class HeadsCutWithoutTransposing(Heads):
    wrong_step = f"{A}.dcontext"
    names = frozenset(
        {"merge_heads.back_without_transpose", "permute.back_by_reshape", "split_heads.reshape_without_transpose"}
    )
    says = "The gradient of the joined heads is reshaped to (heads, tokens, width) at once: axes must be transposed."

    def split_back(self, joined: Array, heads: int) -> Array:
        return joined.reshape(heads, len(joined), -1)


PEOPLE: tuple[type[Examinee], ...] = (
    WeightsNotTransposedBack, PlainSumSubtracted, AverageDownTheColumns, WeightsLeftOutAtTheEnd,
    SlopeOfEachWeightAlone, SoftmaxPassedOver, RootForgottenGoingBack, QueriesForKeysGoingBack,
    ScoresNotTransposedForKeys, HeadsCutWithoutTransposing,
)  # fmt: skip
