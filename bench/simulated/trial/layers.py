"""Mistakes with residuals, norms, feed-forward networks, dropout and the recurrent network."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Five, Layers, Norm, Places, Residual, Six, Sleeping, pending
from ..heldout.block import EPSILON, Block, Encoder
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.recurrent import Recurrent
from ..heldout.sampling import Dropping
from ..heldout.token_i import TokenI
from ..programs.paper import Array

A, F = "block1.attention", "block1.feed_forward"

# -- residuals -------------------------------------------------------------------------------------------


class ResidualSubtracted(TokenI):
    wrong_step, names = "residual", frozenset({"add.subtracted"})
    says = "The context vectors are subtracted from the input: they are added to it."

    def added(self, x: Array, context: Array) -> Array:
        return x - context


class ResidualAveraged(Places):
    wrong_step, names = f"{A}.residual", frozenset({"add.averaged"})
    factor = True
    says = "Input and context are averaged: they are added."

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return (x + result) / 2


class QueriesAsResidual(Residual):
    wrong_step, names = f"{A}.residual", pending("queries_as_residual")
    used = ("attention.Q", "embedding.X")
    says = "The queries are added to the context vectors: the input is added, before any projection."

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return self.kept[f"{A}.Q"] + result


class MiddleTwice(Encoder):
    wrong_step, names = "feed_forward.residual", frozenset({"add.residual_twice"})
    says = "The input of the network is added twice: it is added once."

    def second_residual(self, x: Array, middle: Array, output: Array) -> Array:
        return 2 * middle + output


class ReluAfterTheResidual(Block):
    wrong_step, names = "feed_forward.residual", pending("relu_after_the_residual")
    says = "The sum of the residual goes through another ReLU, as in ResNets: it stays as it is."

    def second_residual(self, x: Array, middle: Array, output: Array) -> Array:
        return np.maximum(middle + output, 0)


# -- norms -----------------------------------------------------------------------------------------------


class MeanAbsoluteDeviation(Norm):
    wrong_step, names = "normed", frozenset({"layer_norm.absolute_values"})
    says = "Rows are divided by the mean of the absolute deviations: they are divided by the standard deviation."

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        deviations = x - x.mean(axis=-1, keepdims=True)
        return deviations / np.abs(deviations).mean(axis=-1, keepdims=True) * gamma + beta


class MultipliedByTheRoot(Norm):
    wrong_step, names = "normalised", frozenset({"div.multiplied"})
    says = "The deviations are multiplied by the root of the variance: they are divided by it."

    def divided(self, deviations: Array, root: Array) -> Array:
        return deviations * root


class UnitLength(Decoder):
    wrong_step, names = f"{A}.norm.normed", pending("unit_length")
    says = "Each row is divided by its length, an L2 norm: mean and standard deviation make a layer norm."

    def normalized(self, x: Array) -> Array:
        return x / np.linalg.norm(x, axis=-1, keepdims=True)


class RootMeanSquare(Block):
    wrong_step, names = "attention.norm.normed", frozenset({"layer_norm.as_rms_norm"})
    says = "Rows are divided by their root mean square, as in Llama: a layer norm subtracts the mean first."

    def normalized(self, x: Array) -> Array:
        return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)


class OnePlusGamma(Encoder):
    wrong_step, names = "attention.norm.normed", frozenset({"layer_norm.gamma_plus_one"})
    says = "Rows are multiplied by 1 + gamma, as in Gemma: they are multiplied by gamma."

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        return super().normed(x, 1 + gamma, beta)


class CenteredOnly(Six):
    wrong_step, names = f"{A}.norm.normed", frozenset({"layer_norm.not_divided"})
    says = "The mean is subtracted and nothing is divided: rows are divided by their standard deviation."

    def centered(self, x: Array) -> tuple[Array, Array]:
        deviations, root = super().centered(x)
        return deviations, np.ones_like(root)


class WeightsOfTheOtherNorm(Block):
    wrong_step, names = "attention.norm.normed", frozenset({"layer_norm.weights_of_another_norm"})
    used = ("feed_forward.norm.gamma", "attention.norm.gamma")
    says = "The first norm has gamma and beta of the second: each has its own."

    def norm_weights(self, part: str) -> tuple[Array, Array]:
        return super().norm_weights("feed_forward")


# -- the feed-forward network ----------------------------------------------------------------------------


class ReluBeforeTheFirstLayer(Five):
    wrong_step, names = f"{F}.hidden", pending("relu_before_the_first_layer")
    says = "The input goes through a ReLU before the first layer: the ReLU comes after it."

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        return super().linear(at, np.maximum(x, 0) if at.endswith("hidden") else x, weight, bias)


class AbsoluteValues(Sleeping):
    wrong_step, names = "H", frozenset({"relu.absolute"})
    says = "Negative entries lose their sign: a ReLU makes them 0."

    def activate(self, hidden: Array) -> Array:
        return np.abs(hidden)


class SigmoidForRelu(Layers):
    wrong_step, names = f"{F}.activated", frozenset({"relu.as_sigmoid"})
    says = "The hidden layer has a sigmoid: it has a ReLU."

    def activate(self, hidden: Array) -> Array:
        return 1 / (1 + np.exp(-hidden))


class ReluUpsideDown(HelloWorld):
    wrong_step, names = "activated", frozenset({"relu.negative_kept"})
    says = "The smaller of 0 and the entry is kept: a ReLU keeps the larger."

    def activated(self, hidden: Array) -> Array:
        return np.minimum(hidden, 0)


class NoSecondBias(Five):
    wrong_step, names = f"{F}.output", frozenset({"add.bias_forgotten", "add.forgotten", "linear.bias_forgotten"})
    says = "The second layer multiplies by W_2 only: b_2 is added."

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return self.product(activated, weight)


class FirstBiasTwice(Layers):
    wrong_step, names = f"{F}.hidden", frozenset({"add.bias_twice", "linear.bias_twice"})
    says = "b_1 is added twice: it is added once."

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        return super().linear(at, x, weight, 2 * bias if at.endswith("hidden") else bias)


class ProjectedTwice(HelloWorld):
    wrong_step, names = "attended", pending("projected_twice")
    says = "The joined heads are multiplied by W_O twice: they are multiplied by it once."

    def mixed(self, joined: Array) -> Array:
        return joined @ self.given["W_O"] @ self.given["W_O"]


# -- dropout and the recurrent network -------------------------------------------------------------------


class DroppedEntriesNotZero(Dropping):
    wrong_step, names = "dropped", frozenset({"dropout.none_dropped"})
    says = "Kept entries are doubled and the others stay: dropped ones become 0."

    def dropped(self, x: Array, kept: Array) -> Array:
        return np.where(kept > 0, x / 0.5, x)


class NotScaledGoingBack(Dropping):
    wrong_step, names = "dx", frozenset({"dropout.gradient_not_divided"})
    factor = True
    says = "The gradient of kept entries passes as it is: it is divided by the probability of keeping, as they were."

    def back(self, gradient: Array, kept: Array) -> Array:
        return gradient * kept


class SumCarriedOn(Recurrent):
    wrong_step, names = "carried_cat", frozenset({"tanh.forgotten"})
    used = ("from_The", "h_The")
    says = "The sum before the tanh is carried on to the next word: the state, after the tanh, is."

    def carried(self, state: Array) -> Array:
        return super().carried(np.arctanh(state))


class CarriedEntryByEntry(Recurrent):
    wrong_step, names = "carried_cat", pending("carried_entry_by_entry")
    says = "The state is multiplied by the diagonal of W_h, entry by entry: it is multiplied by the matrix."

    def carried(self, state: Array) -> Array:
        return state * np.diag(self.given["W_h"])


class SlopeOfASigmoidForTanh(Recurrent):
    wrong_step, names = "dsum_sat", frozenset({"tanh.slope_of_sigmoid"})
    says = "The slope of the tanh is taken to be h (1 - h), that of a sigmoid: it is 1 - h²."

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        return gradient * h * (1 - h)


PEOPLE: tuple[type[Examinee], ...] = (
    ResidualSubtracted, ResidualAveraged, QueriesAsResidual, MiddleTwice, ReluAfterTheResidual, MeanAbsoluteDeviation,
    MultipliedByTheRoot, UnitLength, RootMeanSquare, OnePlusGamma, CenteredOnly, WeightsOfTheOtherNorm,
    ReluBeforeTheFirstLayer, AbsoluteValues, SigmoidForRelu, ReluUpsideDown, NoSecondBias, FirstBiasTwice,
    ProjectedTwice, DroppedEntriesNotZero, NotScaledGoingBack, SumCarriedOn, CarriedEntryByEntry,
    SlopeOfASigmoidForTanh,
)  # fmt: skip
