"""Mistakes with the backward pass of linear layers, residuals, norms, embeddings and recurrences."""

from __future__ import annotations

import numpy as np

from ..heldout.batch import Batch
from ..heldout.block import Encoder
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.recurrent import WORDS, Recurrent
from ..heldout.token_i import TokenI
from ..programs.paper import Array
from .lessons import Decoder, Five, Layers, Norm, One, Residual, Sleeping, Three, pending

F = "block1.feed_forward"


class UpdatedTooEarly(Three):
    wrong_step, names = "dlast", pending("gradient_with_updated_weight")
    says = "W_vocab is updated before the gradient passes it: every gradient uses the weights of the forward pass."

    def back_to_input(self, at: str, gradient: Array, weight: Array) -> Array:
        if at == "dlast":
            weight = weight - self.rate * np.outer(self.written["last"], gradient)
        return self.product(gradient, weight.T)


class WeightNotTransposedBack(Sleeping):
    wrong_step = "dO"
    names = frozenset(
        {"linear.not_transposed", "matmul.not_transposed", "matmul.second_transposed", "transpose.forgotten"}
    )
    says = "The gradient is multiplied by W_1 as it is: going back it is multiplied by the transposed weight."

    def back_to_input(self, at: str, gradient: Array, weight: Array) -> Array:
        return self.product(gradient, weight if at == "dO" else weight.T)


class WeightGradientAveraged(HelloWorld):
    wrong_step, names = "dW_O", frozenset({"linear.weight_averaged", "matmul.weight_averaged"})
    says = "The gradient of a weight is divided by the number of tokens: the products of the tokens are added up."

    def of_weight(self, x: Array, gradient: Array, name: str) -> Array:
        return x.T @ gradient / len(x)


class OwnOutputInTheWeightGradient(Five):
    wrong_step, names = f"{F}.dW_1", pending("weight_gradient_from_output")
    says = "dW_1 is made of the layer's output: a weight's gradient is the layer's input, transposed, times dhidden."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return super().back_to_weight(at, self.kept[f"{F}.activated"] if at.endswith("dW_1") else x, gradient)


class WeightGradientTransposed(Residual):
    wrong_step = "block1.attention.dW_V"
    names = frozenset(
        {"linear.factors_exchanged", "linear.pytorch_layout", "matmul.factors_exchanged", "matmul.pytorch_layout"}
    )
    says = "The gradient of a weight is dyᵀ x, transposed: it is xᵀ dy and has the shape of the weight."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return self.product(gradient.T, x)


class BiasGradientAveraged(Layers):
    wrong_step, names = f"{F}.db_2", frozenset({"linear.bias_averaged", "sum_to.averaged"})
    says = "The gradient of a bias is the mean over the tokens: it is their sum."

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return gradient.mean(axis=0)


class NegativeGradientsStopped(Five):
    wrong_step, names = f"{F}.dhidden", frozenset({"relu.mask_from_gradient"})
    says = "Negative gradients are set to 0: the ReLU stops gradients where its input was negative."

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return np.maximum(gradient, 0)


class GateIgnored(Sleeping):
    wrong_step, names = "dhidden", frozenset({"relu.mask_forgotten"})
    says = "The gradient passes the ReLU unchanged: it is 0 where the input of the ReLU was negative."

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient


class GradientAtTheFirstToken(One):
    wrong_step = "block1.attention.dcontext"
    names = frozenset({"place_row.other_end", "take_row.gradient_at_other_end", "take_row.gradient_one_row_before"})
    says = "The gradient goes to the row of the first token: the last token predicted, so its row gets it."

    def back_to_rows(self, dlast: Array, rows: int) -> Array:
        found = np.zeros((rows, len(dlast)))
        found[0] = dlast
        return found


class MeanOfThePaths(Residual):
    wrong_step, names = "embedding.dX", frozenset({"collect.averaged"})
    says = "The gradients of the paths are averaged: where paths meet, gradients are added."

    def collect(self, at: str, *paths: Array) -> Array:
        return np.mean(paths, axis=0)


class QueriesPathForgotten(TokenI):
    wrong_step, names = "dX", frozenset({"collect.last_path_forgotten"})
    says = "The path through the queries is left out: X also makes the queries, so its gradient is added too."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return super().collected({way: path for way, path in paths.items() if way != "Q"}, name)


class RowsByPosition(Batch):
    wrong_step, names = "dE.via_X", frozenset({"lookup.in_order_of_tokens"})
    says = "The gradients go to the first rows of the table: each goes to the row of its token's id."

    def to_rows(self, dx: Array, tokens: Array) -> Array:
        return super().to_rows(dx, np.arange(len(tokens)))


# -- norms -----------------------------------------------------------------------------------------------


class StatisticsHeldFixed(Norm):
    wrong_step, names = "dx", frozenset({"layer_norm.direct_way"})
    says = "dx is the gradient times gamma over the deviation: mean and deviation depend on x too, with a term each."

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        return gradient * gamma / self.centered(x)[1]


class RootForgottenInTheNorm(Decoder):
    wrong_step, names = "block1.attention.dresidual.via_normed", frozenset({"layer_norm.gradient_not_divided"})
    says = "The gradient of the norm is not divided by the standard deviation: the norm divided by it."

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        return super().back_through_norm(at, gradient, x, gamma) * self.centered(x)[1]


class GammaLeftOutGoingBack(Encoder):
    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.gradient_without_gamma"})
    says = "The gradient enters the norm without gamma: it is multiplied by gamma first."

    def through_norm(self, dnormed: Array, x: Array, part: str) -> Array:
        return super().through_norm(dnormed / self.norm_weights(part)[0], x, part)


class GammaTimesDeviations(Norm):
    wrong_step, names = "dgamma.unsummed", pending("gamma_gradient_from_deviations")
    says = "The gradient of gamma is made of the deviations: it is made of the normalized numbers."

    def back_to_gamma(self, gradient: Array, x: Array) -> Array:
        return gradient * self.centered(x)[0]


class BetaGetsGamma(Norm):
    wrong_step, names = "dbeta", pending("beta_gradient_times_gamma")
    says = "The gradient of beta is multiplied by gamma: beta is added after gamma, so its gradient arrives unchanged."

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return super().back_to_bias(at, gradient * self.given["gamma"] if at == "dbeta" else gradient)


# -- a recurrent network ---------------------------------------------------------------------------------


class SlopeOfTheSum(Recurrent):
    wrong_step, names = "dsum_sat", frozenset({"tanh.slope_of_input"})
    says = "The slope of tanh is computed as 1 - z² from its input: it is 1 - h², from its output."

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        z = self.written["from_The" if word == "The" else f"sum_{word}"]
        return gradient * (1 - z * z)


class SlopeOfTanhForgotten(Recurrent):
    wrong_step, names = "dsum_sat", frozenset({"tanh.slope_forgotten"})
    says = "The gradient passes tanh unchanged: it is multiplied by the slope 1 - h²."

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        return gradient


class StateOfTheSameWord(Recurrent):
    wrong_step, names = "dW_h.via_carried_sat", pending("recurrent_gradient_from_new_state")
    says = "The new state of each word makes the gradient of W_h: W_h multiplied the state of the word before."

    def of_state(self, before: Array, through: Array) -> Array:
        states = np.array([self.written[f"h_{word}"] for word in WORDS])
        place = int(np.abs(states - before).sum(axis=1).argmin())  # the sheet may print it rounded
        return np.outer(states[place + 1], through)


class RecurrentWeightNotTransposed(Recurrent):
    wrong_step = "dh_yesterday"
    names = frozenset(
        {"linear.not_transposed", "matmul.not_transposed", "matmul.second_transposed", "transpose.forgotten"}
    )
    says = "The gradient goes back through W_h as it is: going back, the weight is transposed."

    def work(self) -> None:
        forward = self.given["W_h"]
        self.carrying = forward
        self.given = {**self.given, "W_h": forward.T}
        super().work()

    def carried(self, state: Array) -> Array:
        return state @ self.carrying


PEOPLE: tuple[type[Examinee], ...] = (
    UpdatedTooEarly, WeightNotTransposedBack, WeightGradientAveraged, OwnOutputInTheWeightGradient,
    WeightGradientTransposed, BiasGradientAveraged, NegativeGradientsStopped, GateIgnored, GradientAtTheFirstToken,
    MeanOfThePaths, QueriesPathForgotten, RowsByPosition, StatisticsHeldFixed, RootForgottenInTheNorm,
    GammaLeftOutGoingBack, GammaTimesDeviations, BetaGetsGamma, SlopeOfTheSum, SlopeOfTanhForgotten,
    StateOfTheSameWord, RecurrentWeightNotTransposed,
)  # fmt: skip
