"""Mistakes with residuals, norms and feed-forward networks."""

from __future__ import annotations

import numpy as np

from ..heldout.block import Block
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..programs.paper import Array
from .lessons import Five, Layers, Norm, Residual, Six, Sleeping, pending

F = "block1.feed_forward"


class NoResidual(Residual):
    wrong_step, names = "block1.attention.residual", frozenset({"add.forgotten", "add.residual_forgotten"})
    says = "The output of attention is taken as it is: the input has to be added to it."

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return result


# -- norms -----------------------------------------------------------------------------------------------


class DividedByTheVariance(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.root_forgotten"})
    says = "Deviations are divided by the variance: they are divided by its root, the standard deviation."

    def normalized(self, x: Array) -> Array:
        deviations = x - x.mean(axis=-1, keepdims=True)
        return deviations / (x.var(axis=-1, keepdims=True) + 1e-6)


class ShiftedBeforeScaled(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.shifted_first"})
    says = "Beta is added before gamma multiplies: it is gamma times the normalized row, then plus beta."

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return (self.normalized(x) + beta) * gamma


class GammaForBeta(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.swapped"})
    says = "Beta multiplies and gamma is added: gamma multiplies and beta is added."

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x) * beta + gamma


class UnitLength(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.not_averaged"})
    says = "Deviations are divided by their length: they are divided by the root of their mean square."

    def normalized(self, x: Array) -> Array:
        deviations = x - x.mean(axis=-1, keepdims=True)
        return deviations / np.sqrt((deviations**2).sum(axis=-1, keepdims=True))


class MeanNotSubtracted(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.shifted"})
    says = "The row itself is divided by its standard deviation: the mean has to be subtracted first."

    def normalized(self, x: Array) -> Array:
        return x / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-6)


class SquaresOfTheInput(Norm):
    wrong_step, names = "squares", frozenset({"layer_norm.variance_not_centred"})
    says = "The entries of x are squared: the deviations from the mean are."

    def squares(self, deviations: Array) -> Array:
        return self.given["x"] ** 2


class AveragedOverTokens(Six):
    wrong_step, names = "block1.attention.norm.normed", frozenset({"layer_norm.columns"})
    says = "Mean and variance are taken down each column, over the tokens: a layer norm takes them along each row."

    def centered(self, x: Array) -> tuple[Array, Array]:
        deviations = x - x.mean(axis=0, keepdims=True)
        return deviations, np.sqrt((deviations**2).mean(axis=0, keepdims=True) + 1e-6)


class NormOfTheBranchAlone(Block):
    wrong_step, names = "feed_forward.norm.normed", frozenset({"add.residual_forgotten"})
    says = "The second norm gets the output of attention alone: it gets the residual stream, with the input added."

    def second_norm(self, middle: Array, attended: Array) -> Array:
        return self.normed(attended, *self.norm_weights("feed_forward"))


# -- feed-forward networks -------------------------------------------------------------------------------


class FirstBiasForgotten(Five):
    wrong_step, names = f"{F}.hidden", frozenset({"add.bias_forgotten", "add.forgotten", "linear.bias_forgotten"})
    says = "b_1 is not added to the hidden layer: it is x W_1 + b_1."

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        product = self.product(x, weight)
        return product if at.endswith("hidden") else product + bias


class BiasAfterTheRelu(Layers):
    wrong_step, names = f"{F}.activated", pending("relu_before_bias")
    says = "The ReLU is taken of x W_1 and the bias is added after it: it is taken of x W_1 + b_1."

    def activate(self, hidden: Array) -> Array:
        bias = self.given[f"{F}.b_1"]
        return np.maximum(hidden - bias, 0) + bias


class SigmoidForRelu(Sleeping):
    wrong_step, names = "H", frozenset({"relu.as_sigmoid"})
    says = "The hidden layer goes through a sigmoid: its nonlinearity is a ReLU."

    def activate(self, hidden: Array) -> Array:
        return 1 / (1 + np.exp(-hidden))


class ActivationSkipped(HelloWorld):
    wrong_step, names = "output", frozenset({"linear.reads_hidden", "matmul.reads_hidden", "relu.forgotten"})
    says = "The second layer gets the numbers from before the ReLU: it gets the activated ones."

    def output(self, output: Array) -> Array:
        return self.written["hidden"] @ self.given["W_2"] + self.given["b_2"]


class SecondBiasForgotten(Layers):
    wrong_step, names = f"{F}.output", frozenset({"add.bias_forgotten", "add.forgotten", "linear.bias_forgotten"})
    says = "b_2 is not added after the second layer: it is activated times W_2, plus b_2."

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return self.product(activated, weight)


PEOPLE: tuple[type[Examinee], ...] = (
    NoResidual, DividedByTheVariance, ShiftedBeforeScaled, GammaForBeta, UnitLength, MeanNotSubtracted,
    SquaresOfTheInput, AveragedOverTokens, NormOfTheBranchAlone, FirstBiasForgotten, BiasAfterTheRelu,
    SigmoidForRelu, ActivationSkipped, SecondBiasForgotten,
)  # fmt: skip
