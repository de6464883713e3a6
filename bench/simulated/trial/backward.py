"""Mistakes on the way back through linear layers, ReLUs, residuals and norms."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Five, Layers, Norm, One, Residual, Sleeping, Three, pending
from ..heldout.block import Block, Encoder
from ..heldout.examinee import Examinee
from ..heldout.token_i import TokenI
from ..programs.paper import Array

A, F = "block1.attention", "block1.feed_forward"

# -- linear layers and the table of embeddings -----------------------------------------------------------


class FirstRowForTheVocabulary(One):
    wrong_step, names = "dW_vocab", frozenset({"take_row.other_end"})
    says = "The gradient of W_vocab has the first token's row: the last one was multiplied."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return super().back_to_weight(at, self.kept[f"{A}.context"][0] if at == "dW_vocab" else x, gradient)


class QueriesGradientForTheKeys(Three):
    wrong_step, names = f"{A}.dW_K", pending("queries_gradient_for_the_keys")
    used = ("attention.dQ", "attention.dK")
    says = "The gradient of W_K is computed from dQ: it is computed from dK."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return super().back_to_weight(at, x, self.written[f"{A}.dQ"] if at == f"{A}.dW_K" else gradient)


class QueriesMatrixForTheKeysPath(Residual):
    wrong_step, names = "embedding.dX.via_K", frozenset({"linear.other_weight", "matmul.other_weight"})
    used = ("W_Q", "W_K")
    says = "dK is multiplied by the transposed W_Q: it is multiplied by the transposed W_K."

    def back_to_input(self, at: str, gradient: Array, weight: Array) -> Array:
        return super().back_to_input(at, gradient, self.given[f"{A}.W_Q"] if at.endswith("via_K") else weight)


class ResultForTheInput(TokenI):
    wrong_step, names = "dW_V", pending("result_for_the_input")
    used = ("V", "X")
    says = "The gradient of a weight is computed with the result of its layer: it has the layer's input."

    def of_weight(self, x: Array, gradient: Array, name: str) -> Array:
        return self.written[name[-1]].T @ gradient


class OutputMatrixNotTransposed(Layers):
    wrong_step, names = f"{A}.djoined", frozenset({"linear.not_transposed", "matmul.not_transposed"})
    says = "The gradient is multiplied by W_O itself: it is multiplied by its transpose."

    def back_to_input(self, at: str, gradient: Array, weight: Array) -> Array:
        return super().back_to_input(at, gradient, weight.T if at.endswith("djoined") else weight)


class BiasOfTheLastToken(Decoder):
    wrong_step, names = f"{F}.db_2", frozenset({"sum_to.last_only"})
    says = "The gradient of a bias is that of the last token: it is the sum over tokens."

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return gradient[-1]


class BiasBeforeTheGate(Five):
    wrong_step, names = f"{F}.db_1", pending("bias_before_the_gate")
    used = ("dactivated", "dhidden")
    says = "The gradient of b_1 adds up the gradient after the ReLU: it adds up that before it, dhidden."

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return super().back_to_bias(at, self.written[f"{F}.dactivated"] if at == f"{F}.db_1" else gradient)


class WeightBeforeTheGate(Layers):
    wrong_step, names = f"{F}.dW_1", pending("weight_before_the_gate")
    used = ("dactivated", "dhidden")
    says = "The gradient of W_1 has dactivated, which has not been through the ReLU: it has dhidden."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return super().back_to_weight(at, x, self.written[f"{F}.dactivated"] if at == f"{F}.dW_1" else gradient)


class WeightGradientAveraged(Sleeping):
    wrong_step, names = "dW_2", frozenset({"linear.weight_averaged", "matmul.weight_averaged"})
    factor = True
    says = "The gradient of a weight is averaged over the tokens: it is summed over them."

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return super().back_to_weight(at, x, gradient) / len(x)


class RowsByPosition(Residual):
    wrong_step, names = "embedding.dE", frozenset({"lookup.in_order_of_tokens"})
    says = "The gradient of the token at position i goes to row i of the table: it goes to the row of the token's id."

    def back_to_table(self, table: Array, tokens: Array, gradient: Array) -> Array:
        return super().back_to_table(table, np.arange(len(tokens)), gradient)


class TableAveraged(One):
    wrong_step, names = "embedding.dE", pending("table_averaged")
    factor = True
    says = "The gradients of the rows are divided by the number of tokens: each token's gradient is added whole."

    def back_to_table(self, table: Array, tokens: Array, gradient: Array) -> Array:
        return super().back_to_table(table, tokens, gradient) / len(tokens)


# -- ReLU and several paths ------------------------------------------------------------------------------


class TimesTheHiddenEntry(Sleeping):
    wrong_step, names = "dhidden", pending("times_the_hidden_entry")
    says = "The gradient is multiplied by the hidden entry: it is multiplied by the slope of the ReLU, 1 or 0."

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient * hidden


class TimesTheSign(Five):
    wrong_step, names = f"{F}.dhidden", pending("times_the_sign")
    says = "Where the hidden entry is negative, the gradient changes its sign: it becomes 0 there."

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient * np.sign(hidden)


class PathsAveraged(Encoder):
    wrong_step, names = "attention.norm.dnormed", frozenset({"collect.averaged"})
    factor = True
    says = "The gradients of the three paths are averaged: they are added."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        found = super().collected(paths, name)
        return found / len(paths) if name == "normed" else found


class StraightPathTwice(Five):
    wrong_step, names = f"{A}.dcontext", frozenset({"collect.first_path_twice"})
    says = "The gradient of the residual is added twice: each path is added once."

    def collect(self, at: str, *paths: Array) -> Array:
        return super().collect(at, paths[0], *paths) if at == f"{A}.dcontext" else super().collect(at, *paths)


class QueriesPathLost(Decoder):
    wrong_step, names = f"{A}.norm.dnormed", frozenset({"collect.last_path_forgotten"})
    says = "The paths of keys and values are added: that of the queries is added too."

    def collect(self, at: str, *paths: Array) -> Array:
        return super().collect(at, *(paths[:-1] if at.endswith("norm.dnormed") else paths))


class PathsMultiplied(Residual):
    wrong_step, names = "embedding.dX", frozenset({"collect.multiplied"})
    says = "The gradients of the paths are multiplied: they are added."

    def collect(self, at: str, *paths: Array) -> Array:
        return np.prod(paths, axis=0)


# -- norms -----------------------------------------------------------------------------------------------


class TimesTheRootGoingBack(Norm):
    wrong_step, names = "dx", pending("times_the_root_going_back")
    says = "The gradient of the norm is multiplied by the standard deviation: it is divided by it."

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        return super().back_through_norm(at, gradient, x, gamma) * self.centered(x)[1] ** 2


class SumsForMeans(Block):
    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.terms_not_averaged"})
    says = "Sums over the row are subtracted going back through the norm: their means are."

    def mean_term(self, h: Array) -> Array:
        return h.sum(axis=-1, keepdims=True)

    def stretch_term(self, h: Array, normalized: Array) -> Array:
        return (h * normalized).sum(axis=-1, keepdims=True)


class NormSkippedGoingBack(Encoder):
    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.gradient_let_through"})
    used = ("feed_forward.norm.dnormed", "dresidual.via_normed")
    says = "The gradient of the norm's result is taken for that of its input: it goes back through the norm."

    def through_norm(self, dnormed: Array, x: Array, part: str) -> Array:
        return dnormed


class GammaOfTheScaledGradient(Norm):
    wrong_step, names = "dgamma.unsummed", pending("gamma_of_the_scaled_gradient")
    says = "The gradient of gamma has the gradient times gamma: it has the gradient of the norm's result as it arrives."

    def back_to_gamma(self, gradient: Array, x: Array) -> Array:
        return super().back_to_gamma(gradient * self.given["gamma"], x)


class DeviationsForGamma(Decoder):
    wrong_step, names = f"{F}.norm.dgamma.unsummed", frozenset({"layer_norm.not_divided"})
    says = "The gradient of gamma has the deviations from the mean, undivided: it has the normalized rows."

    def back_to_gamma(self, gradient: Array, x: Array) -> Array:
        return gradient * (x - x.mean(axis=-1, keepdims=True))


class BetaWithGamma(Encoder):
    wrong_step, names = "feed_forward.norm.dbeta", pending("beta_with_gamma")
    says = "The gradient of beta is multiplied by gamma: it is the sum of the gradient of the norm's result."

    def of_norm(self, part: str, dnormed: Array, x: Array, normed: Array) -> None:
        super().of_norm(part, dnormed, x, normed)
        self.write(f"{part}.norm.dbeta", (dnormed * self.norm_weights(part)[0]).sum(axis=0))


PEOPLE: tuple[type[Examinee], ...] = (
    FirstRowForTheVocabulary, QueriesGradientForTheKeys, QueriesMatrixForTheKeysPath, ResultForTheInput,
    OutputMatrixNotTransposed, BiasOfTheLastToken, BiasBeforeTheGate, WeightBeforeTheGate, WeightGradientAveraged,
    RowsByPosition, TableAveraged, TimesTheHiddenEntry, TimesTheSign, PathsAveraged, StraightPathTwice,
    QueriesPathLost, PathsMultiplied, TimesTheRootGoingBack, SumsForMeans, NormSkippedGoingBack,
    GammaOfTheScaledGradient, DeviationsForGamma, BetaWithGamma,
)  # fmt: skip
