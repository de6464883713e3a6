"""Mistakes on the way back through linear layers, ReLUs, residuals, norms and the recurrent network."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Five, Layers, Norm, Residual, Sleeping, Three, Two
from ..heldout.block import Block, Encoder
from ..heldout.cross import Cross
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.recurrent import Recurrent
from ..heldout.tips import Tips
from ..heldout.token_i import TokenI
from ..programs.paper import Array

A, F = "block1.attention", "block1.feed_forward"

# -- linear layers ---------------------------------------------------------------------------------------


class WeightNotTransposedBack(TokenI):
    wrong_step, names = "dX.via_V", frozenset({"linear.not_transposed", "matmul.not_transposed"})
    says = "The gradient is multiplied by the weight itself, which is square: it is multiplied by its transpose."

    def back_through(self, gradient: Array, weight: Array, name: str) -> Array:
        return gradient @ weight


class WeightGradientTransposed(Three):
    wrong_step = f"{A}.dW_V"
    names = frozenset(
        {"linear.factors_exchanged", "linear.pytorch_layout", "matmul.factors_exchanged", "matmul.pytorch_layout"}
    )
    says = "The gradient of W_V is dVᵀ X, the layout of PyTorch: with X W_V it is Xᵀ dV."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return self.product(gradient.T, x) if x.ndim > 1 else super().back_to_weight(at, x, gradient)


class HiddenForTheSecondWeight(Sleeping):
    wrong_step, names = "dW_2", frozenset({"linear.reads_hidden", "matmul.reads_hidden"})
    used = ("hidden", "H")
    says = "The gradient of W_2 has the numbers before the ReLU: W_2 was multiplied by those after it."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return super().back_to_weight(at, self.written["hidden"] if at == "dW_2" else x, gradient)


class RawRowsForTheFirstWeight(Decoder):
    wrong_step, names = f"{F}.dW_1", frozenset({"linear.reads_unnormed", "matmul.reads_unnormed"})
    used = ("attention.residual", "feed_forward.norm.normed")
    says = "The gradient of W_1 has the rows before the norm: W_1 was multiplied by the normalized ones."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return super().back_to_weight(at, self.kept[f"{F}.input"] if at == f"{F}.dW_1" else x, gradient)


class BiasGradientAveraged(Five):
    wrong_step, names = f"{F}.db_2", frozenset({"linear.bias_averaged", "sum_to.averaged"})
    factor = True
    says = "The gradient of a bias is the mean over the tokens: it is their sum."

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return gradient.mean(axis=0)


class GradientForEveryToken(Two):
    wrong_step, names = f"{A}.dcontext", frozenset({"place_row.to_all_rows", "take_row.to_all_rows"})
    says = "The gradient of the last row is written into all rows: the other tokens do not predict and get 0."

    def back_to_rows(self, dlast: Array, rows: int) -> Array:
        return np.tile(dlast, (rows, 1))


# -- ReLU and tanh ---------------------------------------------------------------------------------------


class NoGate(HelloWorld):
    wrong_step, names = "dhidden", frozenset({"relu.mask_forgotten"})
    says = "The gradient passes the ReLU unchanged: it is 0 where the hidden entry was negative."

    def through_relu(self, dactivated: Array, hidden: Array, activated: Array) -> Array:
        return dactivated


class GateByTheGradient(Layers):
    wrong_step, names = f"{F}.dhidden", frozenset({"relu.mask_from_gradient"})
    says = "Negative gradients are set to 0: what counts is whether the hidden entry was negative."

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return np.maximum(gradient, 0)


class TimesTheActivation(Five):
    wrong_step, names = f"{F}.dhidden", frozenset({"relu.times_activation"})
    says = "The gradient is multiplied by the result of the ReLU: it is multiplied by its slope, 1 or 0."

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient * activated


class SlopeOfTanhIgnored(Recurrent):
    wrong_step, names = "dsum_sat", frozenset({"tanh.slope_forgotten"})
    says = "The gradient passes the tanh unchanged: it is multiplied by 1 - h²."

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        return gradient


# -- several paths ---------------------------------------------------------------------------------------


class ResidualPathLost(Residual):
    wrong_step, names = "embedding.dX", frozenset({"collect.first_path_forgotten", "collect.residual_path_forgotten"})
    says = "The gradient of X has the paths of queries, keys and values only: that of the residual is added."

    def collect(self, at: str, *paths: Array) -> Array:
        return np.sum(paths[1:], axis=0)


class OnlyTheResidualPath(Five):
    wrong_step = f"{A}.dcontext"
    names = frozenset(
        {
            "collect.last_path_forgotten",
            "collect.only_first_path",
            "collect.only_residual_path",
            "collect.second_path_forgotten",
        }
    )
    says = "The gradient comes back through the residual only: that through the network is added."

    def collect(self, at: str, *paths: Array) -> Array:
        return paths[0] if at == f"{A}.dcontext" else super().collect(at, *paths)


class ResidualPathLostInTheBlock(Encoder):
    wrong_step = "attention.dresidual"
    names = frozenset(
        {
            "collect.assigned",
            "collect.first_path_forgotten",
            "collect.only_second_path",
            "collect.residual_path_forgotten",
        }
    )
    says = "Only the gradient through the norm comes back: that of the residual around the network is added."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return paths["norm"] if name == "residual" else super().collected(paths, name)


class OnlyTheValuesPath(Tips):
    wrong_step, names = "dX", frozenset({"collect.only_first_path"})
    says = "The gradient of X is that of the values' path: those of queries and keys are added."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return paths["V"]


class KeysPathLost(Cross):
    wrong_step = "dmemory"
    names = frozenset({"collect.last_path_forgotten", "collect.only_first_path", "collect.second_path_forgotten"})
    says = "The gradient of the memory comes through the values only: that through the keys is added."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return paths["V"]


# -- norms -----------------------------------------------------------------------------------------------


class NormAsAConstantFactor(Block):
    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.direct_way"})
    says = "The gradient is only multiplied by gamma and divided by the deviation: mean and variance depend on x too."

    def through_norm(self, dnormed: Array, x: Array, part: str) -> Array:
        return dnormed * self.norm_weights(part)[0] / self.deviation(x)


class GammaLostGoingBack(Norm):
    wrong_step, names = "dx", frozenset({"layer_norm.gradient_without_gamma"})
    says = "The gradient goes back through the norm without gamma: it is multiplied by gamma first."

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        return super().back_through_norm(at, gradient, x, np.ones_like(gamma))


class VarianceTermForgotten(Decoder):
    wrong_step, names = f"{A}.dresidual.via_normed", frozenset({"layer_norm.variance_term_forgotten"})
    says = "Only the mean is subtracted from the gradient of the norm: the part through the variance is subtracted too."

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        h = gradient * gamma
        return (h - h.mean(axis=-1, keepdims=True)) / self.centered(x)[1]


class MeanTermForgotten(Encoder):
    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.mean_term_forgotten"})
    says = "Only the part through the variance is subtracted in the norm: the part through the mean is subtracted too."

    def mean_term(self, h: Array) -> Array:
        return np.zeros_like(h)


class GammaTimesTheRawRows(Decoder):
    wrong_step, names = f"{F}.norm.dgamma.unsummed", frozenset({"layer_norm.not_normalised"})
    used = ("attention.residual", "feed_forward.norm.dgamma.normalized")
    says = "The gradient of gamma has the rows before the norm: gamma multiplied the normalized ones."

    def back_to_gamma(self, gradient: Array, x: Array) -> Array:
        return gradient * x


class GammaTimesTheResult(Encoder):
    wrong_step, names = "feed_forward.norm.dgamma.unsummed", frozenset({"layer_norm.times_output"})
    used = ("feed_forward.norm.normed", "feed_forward.norm.dgamma.normalized")
    says = "The gradient of gamma has the norm's result: it has the normalized rows before gamma and beta."

    def counterpart(self, x: Array, normed: Array) -> Array:
        return normed


PEOPLE: tuple[type[Examinee], ...] = (
    WeightNotTransposedBack, WeightGradientTransposed, HiddenForTheSecondWeight, RawRowsForTheFirstWeight,
    BiasGradientAveraged, GradientForEveryToken, NoGate, GateByTheGradient, TimesTheActivation, SlopeOfTanhIgnored,
    ResidualPathLost, OnlyTheResidualPath, ResidualPathLostInTheBlock, OnlyTheValuesPath, KeysPathLost,
    NormAsAConstantFactor, GammaLostGoingBack, VarianceTermForgotten, MeanTermForgotten, GammaTimesTheRawRows,
    GammaTimesTheResult,
)  # fmt: skip
