"""Mistakes on the way back through attention."""

from __future__ import annotations

from ..fresh.lessons import Decoder, Heads, Layers, Three, pending
from ..heldout.attention import flipped, softmax
from ..heldout.batch import Batch
from ..heldout.block import Encoder
from ..heldout.cross import Cross, Scores
from ..heldout.examinee import Examinee
from ..heldout.tips import Tips
from ..programs.paper import Array

A = "block1.attention"


class PlainMeanSubtracted(Three):
    wrong_step, names = f"{A}.dscaled", frozenset({"softmax.plain_mean"})
    says = "The plain mean of the row's gradients is subtracted: it is the mean weighted by the attention weights."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (gradient - gradient.mean(axis=-1, keepdims=True))


class AverageAdded(Tips):
    wrong_step, names = "dscaled", frozenset({"softmax.average_added"})
    says = "The weighted mean is added to the gradients: it is subtracted."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return weights * (dweights + (weights * dweights).sum(axis=-1, keepdims=True))


class DifferenceTurned(Layers):
    wrong_step, names = f"{A}.dscaled", pending("difference_turned")
    factor = True
    says = "The gradients are subtracted from their weighted mean: it is the other way around."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * ((weights * gradient).sum(axis=-1, keepdims=True) - gradient)


class SoftmaxOfTheGradient(Cross):
    wrong_step, names = "dscaled", pending("softmax_of_the_gradient")
    says = "The gradient goes through a softmax itself: it is multiplied by the slope of the softmax."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return softmax(dweights)


class MeanOverTheQueries(Heads):
    wrong_step, names = f"{A}.dscaled", frozenset({"softmax.average_of_columns", "softmax.wrong_axis"})
    says = "The weighted mean of the gradients is taken down each column: it is taken along each row."

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (gradient - (weights * gradient).sum(axis=-2, keepdims=True))


class ValuesForTheUpstream(Scores):
    wrong_step, names = "dV", pending("values_for_the_upstream")
    used = ("V", "dcontext")
    says = "The transposed weights are multiplied by the values: they are multiplied by the gradient of the context."

    def to_values(self, weights: Array, dcontext: Array) -> Array:
        return flipped(weights) @ self.given["V"]


class KeysBeforeTheScale(Batch):
    wrong_step, names = "example3.block1.attention.dK_T", frozenset({"divide_by_root.gradient_not_divided"})
    used = ("example3.block1.attention.dscaled", "example3.block1.attention.dscores")
    says = "The gradient of the keys is computed from that of the scaled scores: it has that of the scores."

    def to_keys(self, dscores: Array, q: Array, dscaled: Array) -> Array:
        return super().to_keys(dscaled, q, dscaled)


class ValuesForTheKeys(Encoder):
    wrong_step, names = "dQ_heads", frozenset({"matmul.values_for_keys"})
    used = ("V_heads", "K_heads")
    says = "The gradient of the queries is computed with the values: they met the keys."

    def to_queries(self, dscores: Array, k: Array) -> Array:
        return dscores @ self.written["V_heads"]


class UpstreamTransposed(Heads):
    wrong_step, names = (
        f"{A}.dweights",
        frozenset({"matmul.factors_exchanged", "matmul.reversed", "matmul.upstream_transposed"}),
    )
    says = "The gradient of the weights is V dCᵀ: it is dC Vᵀ."

    def back_to_weights_of_attention(self, dcontext: Array, v: Array) -> Array:
        return self.product(v, flipped(dcontext))


class CutByReshape(Decoder):
    wrong_step, names = f"{A}.dcontext", frozenset({"merge_heads.back_without_transpose"})
    says = "The gradient is cut into heads by a reshape alone, which mixes tokens: each head gets its columns."

    def split_back(self, joined: Array, heads: int) -> Array:
        return joined.reshape(heads, len(joined), -1)


class JoinedBackByReshape(Layers):
    wrong_step, names = f"{A}.dV", frozenset({"split_heads.back_without_transpose"})
    says = "The gradients of the heads are joined by a reshape alone: heads and tokens change places first."

    def merge_back(self, parts: Array) -> Array:
        return parts.reshape(parts.shape[1], -1)


PEOPLE: tuple[type[Examinee], ...] = (
    PlainMeanSubtracted, AverageAdded, DifferenceTurned, SoftmaxOfTheGradient, MeanOverTheQueries,
    ValuesForTheUpstream, KeysBeforeTheScale, ValuesForTheKeys, UpstreamTransposed, CutByReshape, JoinedBackByReshape,
)  # fmt: skip
