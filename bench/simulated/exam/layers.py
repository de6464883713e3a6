"""Mistakes with norms, residuals, feed-forward networks, dropout and recurrent layers."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Five, Layers, Norm, Six, Sleeping
from ..heldout.block import EPSILON, Block, Encoder
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.recurrent import Recurrent
from ..heldout.sampling import Dropping
from ..heldout.token_i import TokenI
from ..programs.paper import Array

A, F = "block1.attention", "block1.feed_forward"

# -- norms -----------------------------------------------------------------------------------------------


class NormOverTokens(Encoder):
    wrong_step, names = "attention.norm.normed", frozenset({"layer_norm.columns"})
    says = "Mean and variance are taken down each column, over the tokens: each token has its own, over its numbers."

    def normalized(self, x: Array) -> Array:
        return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + EPSILON)


class OneNormForAllTokens(Block):
    wrong_step, names = "attention.norm.normed", frozenset({"layer_norm.whole_table"})
    says = "All tokens share one mean and one variance: each token has its own."

    def normalized(self, x: Array) -> Array:
        return (x - x.mean()) / np.sqrt(x.var() + EPSILON)


class DividedByTheVariance(Six):
    wrong_step, names = f"{A}.norm.normed", frozenset({"layer_norm.root_forgotten"})
    says = "Deviations are divided by the variance: they are divided by its root."

    def centered(self, x: Array) -> tuple[Array, Array]:
        deviations, root = super().centered(x)
        return deviations, root**2


class VarianceOfASample(Decoder):
    wrong_step, names = f"{A}.norm.normed", frozenset({"convention.norm_correction.1", "layer_norm.wrong_n"})
    says = "The variance is divided by n - 1, the default of torch.std: here it is divided by n."

    def centered(self, x: Array) -> tuple[Array, Array]:
        deviations, _ = super().centered(x)
        return deviations, np.sqrt(x.var(axis=-1, ddof=1, keepdims=True) + EPSILON)


class MeanNotSubtracted(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.shifted"})
    says = "The row is divided by its deviation without subtracting its mean: the mean is subtracted first."

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return x / self.centered(x)[1] * gamma + beta


class GammaAndBetaExchanged(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.swapped"})
    says = "The normalized row is multiplied by beta and gamma is added: gamma multiplies, and beta is added."

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return super().layer_norm(at, x, beta, gamma)


class GammaAndBetaForgotten(Decoder):
    wrong_step = f"{A}.norm.normed"
    names = frozenset(
        {"layer_norm.beta_forgotten", "layer_norm.gamma_and_beta_forgotten", "layer_norm.gamma_forgotten"}
    )
    says = "The norm ends with the division: the result is multiplied by gamma, and beta is added."

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x)


class ProjectedBeforeTheNorm(Block):
    wrong_step, names = "Q", frozenset({"layer_norm.left_out", "linear.reads_unnormed", "matmul.reads_unnormed"})
    used = ("X", "attention.norm.normed")
    says = "Queries, keys and values come from the raw input: in a pre-norm block they come from the normalized rows."

    def input_of(self, name: str, x: Array, normed: Array) -> Array:
        return x


class NormOfTheBranch(Encoder):
    wrong_step, names = "feed_forward.norm.normed", frozenset({"add.residual_forgotten"})
    used = ("attended", "attention.residual")
    says = "The second norm reads what attention gave, without the residual: it reads their sum."

    def second_norm(self, middle: Array, attended: Array) -> Array:
        return super().second_norm(attended, attended)


# -- residuals -------------------------------------------------------------------------------------------


class NormedRowsAsResidual(Decoder):
    wrong_step, names = f"{A}.residual", frozenset({"add.residual_of_normalised"})
    used = ("attention.norm.normed", "embedding.X")
    says = "The normalized rows are added to the branch: the residual adds the rows before the norm."

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return normed + result


class FirstInputAsSecondResidual(Block):
    wrong_step = "feed_forward.residual"
    names = frozenset({"add.residual_of_block_input", "add.residual_of_sublayer_before"})
    used = ("X", "attention.residual")
    says = "The second residual adds the input of the block once more: it adds what attention's residual gave."

    def second_residual(self, x: Array, middle: Array, output: Array) -> Array:
        return x + output


class ResidualLeftOut(TokenI):
    wrong_step, names = "residual", frozenset({"add.forgotten", "add.residual_forgotten"})
    says = "The context vectors go on alone: the input is added to them."

    def added(self, x: Array, context: Array) -> Array:
        return context


class NetworkWithoutResidual(Five):
    wrong_step, names = f"{F}.residual", frozenset({"add.forgotten", "add.residual_forgotten"})
    says = "The output of the feed-forward network goes on alone: its input is added to it."

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return result


# -- the feed-forward network ----------------------------------------------------------------------------


class ReluLeftOut(Sleeping):
    wrong_step, names = "H", frozenset({"relu.forgotten"})
    says = "The hidden layer is used without its ReLU: negative entries become 0."

    def activate(self, hidden: Array) -> Array:
        return hidden


class SecondLayerReadsHidden(Five):
    wrong_step, names = f"{F}.output", frozenset({"linear.reads_hidden", "matmul.reads_hidden"})
    used = ("feed_forward.hidden", "feed_forward.activated")
    says = "The second layer reads the numbers before the ReLU: it reads those after it."

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return self.linear(at, self.kept[f"{F}.hidden"], weight, bias)


class GeluAsInGpt(Layers):
    wrong_step, names = f"{F}.activated", frozenset({"convention.activation.gelu", "convention.activation.gelu_tanh"})
    says = "The activation is a GELU, as in GPT: in this lesson it is a ReLU."

    def activate(self, hidden: Array) -> Array:
        return hidden / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))


class NoBias(HelloWorld):
    wrong_step, names = "hidden", frozenset({"add.bias_forgotten", "add.forgotten", "linear.bias_forgotten"})
    says = "The first layer multiplies by W_1 only: b_1 is added."

    def hidden(self, attended: Array) -> Array:
        return attended @ self.given["W_1"]


class ReluAtTheEnd(Five):
    wrong_step, names = f"{F}.output", frozenset({"linear.relu_after_second_layer", "matmul.relu_after_second_layer"})
    says = "The second layer has a ReLU too: only the first one has."

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return np.maximum(super().second_layer(at, activated, weight, bias), 0)


# -- dropout and the recurrent network -------------------------------------------------------------------


class KeptOnesDropped(Dropping):
    wrong_step, names = "dropped", frozenset({"dropout.exchanged"})
    says = "The mask is read the other way around, and the kept entries become 0: a 1 keeps an entry."

    def dropped(self, x: Array, kept: Array) -> Array:
        return x * (1 - kept) / 0.5


class TimesTheRateOfKeeping(Dropping):
    wrong_step, names = "dropped", frozenset({"dropout.multiplied"})
    factor = True
    says = "Kept entries are multiplied by the probability of keeping them: in training they are divided by it."

    def dropped(self, x: Array, kept: Array) -> Array:
        return x * kept * 0.5


class NoMaskGoingBack(Dropping):
    wrong_step, names = "dx", frozenset({"dropout.marks_forgotten"})
    says = "The gradient also reaches the dropped entries: they get none."

    def back(self, gradient: Array, kept: Array) -> Array:
        return gradient / 0.5


class StateMatrixTransposed(Recurrent):
    wrong_step, names = "carried_cat", frozenset({"linear.weight_transposed", "matmul.second_transposed"})
    says = "The state is multiplied by the transposed W_h: W_h is used as it is given."

    def carried(self, state: Array) -> Array:
        return state @ self.given["W_h"].T


class InputMatrixForTheState(Recurrent):
    wrong_step, names = "carried_cat", frozenset({"linear.other_weight", "matmul.other_weight"})
    used = ("W_x", "W_h")
    says = "The state is multiplied by the matrix of the inputs: it has its own, W_h."

    def carried(self, state: Array) -> Array:
        return state @ self.given["W_x"]


PEOPLE: tuple[type[Examinee], ...] = (
    NormOverTokens, OneNormForAllTokens, DividedByTheVariance, VarianceOfASample, MeanNotSubtracted,
    GammaAndBetaExchanged, GammaAndBetaForgotten, ProjectedBeforeTheNorm, NormOfTheBranch, NormedRowsAsResidual,
    FirstInputAsSecondResidual, ResidualLeftOut, NetworkWithoutResidual, ReluLeftOut, SecondLayerReadsHidden,
    GeluAsInGpt, NoBias, ReluAtTheEnd, KeptOnesDropped, TimesTheRateOfKeeping, NoMaskGoingBack, StateMatrixTransposed,
    InputMatrixForTheState,
)  # fmt: skip
