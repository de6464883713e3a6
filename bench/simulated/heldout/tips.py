"""Two tokens, three words: the sheet of hand-calculation-tips."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import Attending, softmax
from .examinee import PATH_FORGOTTEN


class Tips(Attending):
    """Nothing is wrong here."""

    lesson = "hand-calculation-tips"

    def work(self) -> None:
        given, target = self.given, int(self.given["target"])
        x = given["X"]
        q, k, v = (self.write(name, self.projected(x, name)) for name in "QKV")
        weights, context = self.attend(q, k, v)
        last = self.write("last", self.last(context))
        logits = self.write("logits", last @ given["W_vocab"])
        p = self.write("P", self.probabilities(logits))
        self.write("loss", self.loss(p, target, logits))
        dlogits = self.write("dlogits", self.error(p, target))
        dlast = self.write("dlast", self.back_through(dlogits, given["W_vocab"], "W_vocab"))
        self.write("dW_vocab", np.outer(last, dlogits))
        dcontext = self.write("dcontext", self.placed(dlast, len(x)))
        dq, dk, dv = self.attend_back(q, k, v, weights, dcontext)
        paths = {}
        for name, gradient in (("V", dv), ("K", dk), ("Q", dq)):
            back = self.back_through(gradient, given[f"W_{name}"], f"W_{name}")
            paths[name] = self.write(f"dX.via_{name}", back)
            self.write(f"dW_{name}", self.of_weight(x, gradient, f"W_{name}"))
        self.write("dX", self.collected(paths, "X"))

    def projected(self, x: Array, name: str) -> Array:
        return x @ self.given[f"W_{name}"]


class QueriesFromTheKeysMatrix(Tips):
    wrong_step, names = "Q", frozenset({"matmul.other_weight"})

    def projected(self, x: Array, name: str) -> Array:
        return x @ self.given["W_K" if name == "Q" else f"W_{name}"]


class ScaledUp(Tips):
    wrong_step, names = "scaled", frozenset({"divide_by_root.multiplied"})

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores * np.sqrt(q.shape[-1])


class OneSumForTheWholeMatrix(Tips):
    """np.exp(x) / np.sum(np.exp(x)) on a matrix, as in countless first programs."""

    wrong_step, names = "weights", frozenset({"softmax.over_all_rows", "softmax.whole_table"})
    says = "You divided by the sum of the whole matrix; each row is divided by its own sum."

    def weights(self, visible: Array, scores: Array) -> Array:
        return np.exp(visible) / np.exp(visible).sum()


class MaximumOnlyAbove(Tips):
    """The maximum is subtracted in the numerator and forgotten in the denominator."""

    wrong_step, names = "weights", frozenset({"softmax.maximum_only_above"})
    says = "You subtracted the maximum in the numerator only; the sum below must subtract it too."

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = np.exp(visible - visible.max(axis=-1, keepdims=True))
        return powers / np.exp(visible).sum(axis=-1, keepdims=True)


class UnscaledScoresIntoSoftmax(Tips):
    """The scaled scores are written down, and then not used."""

    wrong_step, names = "weights", frozenset({"divide_by_root.not_divided", "attention.unscaled"})

    def weights(self, visible: Array, scores: Array) -> Array:
        return softmax(scores)


class WeightsFlipped(Tips):
    wrong_step, names = "context", frozenset({"matmul.first_transposed"})
    says = "You used the columns of the attention weights; row i of the result takes row i of the weights."

    def context(self, weights: Array, v: Array) -> Array:
        return weights.T @ v


class MeanOfAllTokens(Tips):
    wrong_step, names = "last", frozenset({"take_row.averaged"})
    says = "You averaged all rows; only the last position predicts the next token."

    def last(self, rows: Array) -> Array:
        return rows.mean(axis=0)


class LogitsOverTheirSum(Tips):
    wrong_step, names = "P", frozenset({"softmax.no_exponential"})

    def probabilities(self, logits: Array) -> Array:
        return logits / logits.sum()


class OneMinusP(Tips):
    wrong_step, names = "loss", frozenset({"cross_entropy.one_minus_p", "negative_log_likelihood.no_logarithm"})
    says = "You took 1 - P as the loss; it is the negative logarithm of P."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return 1 - p[target]


class SquaredErrorAsLoss(Tips):
    wrong_step, names = "loss", frozenset({"cross_entropy.squared_error"})
    says = "You added up squared errors; cross-entropy is the negative logarithm of the right word's probability."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return ((p - np.eye(len(p))[target]) ** 2).sum()


class LossOfAllWords(Tips):
    wrong_step, names = "loss", frozenset({"cross_entropy.all_classes"})
    says = "You averaged over all words of the vocabulary; only the right one counts."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -np.log(p).mean()


class EntropyAsLoss(Tips):
    wrong_step, names = "loss", frozenset({"cross_entropy.entropy"})
    says = "You computed the entropy of P with itself; cross-entropy weights the logarithms with the labels."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -(p * np.log(p)).sum()


class YesOrNoForEveryWord(Tips):
    """Binary cross-entropy over the vocabulary."""

    wrong_step, names = "loss", frozenset({"cross_entropy.binary"})
    says = "You added ln(1 - P) of the wrong words; that is binary cross-entropy, a yes or no for each word."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        y = np.eye(len(p))[target]
        return -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum()


class TargetCountedFromOne(Tips):
    wrong_step = "loss"
    names = frozenset({"cross_entropy.counted_from_one", "pick.counted_from_one"})
    says = "You counted the words from 1, and took the probability of another word."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -np.log(p[target - 1])


class GradientOfPForLogits(Tips):
    """-1/P of the right word: the gradient before the softmax is walked back through."""

    wrong_step, names = "dlogits", frozenset({"cross_entropy.gradient_of_probabilities"})
    says = "You stopped at the gradient of P, -1/P for the right word; the softmax lies between P and the logits."

    def error(self, p: Array, target: int) -> Array:
        return -np.eye(len(p))[target] / p


class SigmoidSlopeInTheError(Tips):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.slope_again"})
    says = "You multiplied P - y by P (1 - P) once more; with softmax and cross-entropy together the slope is P - y."

    def error(self, p: Array, target: int) -> Array:
        return super().error(p, target) * p * (1 - p)


class OneSubtractedEverywhere(Tips):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.subtracted_everywhere"})
    says = "You subtracted 1 from every probability; only the right word's gets it."

    def error(self, p: Array, target: int) -> Array:
        return p - 1


class OnlyTheRightWordMoves(Tips):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.target_only"})
    says = "You gave only the right word a gradient; every logit moves the probabilities."

    def error(self, p: Array, target: int) -> Array:
        return (p - 1) * np.eye(len(p))[target]


class RowForEveryToken(Tips):
    wrong_step, names = "dcontext", frozenset({"take_row.to_all_rows"})

    def placed(self, row: Array, rows: int) -> Array:
        return np.tile(row, (rows, 1))


class PTimesG(Tips):
    """Softmax backward as if it worked entry by entry."""

    wrong_step, names = "dscaled", frozenset({"softmax.average_forgotten"})
    says = "You multiplied P by the gradient; the weighted average of the gradients is subtracted first."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return weights * dweights


class SlopeFromTheScores(Tips):
    """s (1 - s) with the inputs of the softmax in the place of its outputs."""

    wrong_step, names = "dscaled", frozenset({"softmax.slope_of_input"})
    says = "You put the scores into the slope; it is made of the probabilities."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        scaled = self.written["scaled"]
        return scaled * (dweights - (scaled * dweights).sum(axis=-1, keepdims=True))


class PlainMeanSubtracted(Tips):
    wrong_step, names = "dscaled", frozenset({"softmax.plain_mean"})
    says = "You subtracted the plain mean of the gradients; it is weighted with P."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return weights * (dweights - dweights.mean(axis=-1, keepdims=True))


class InputOfAnotherStep(Tips):
    """Gradient of W_Q with the queries in the place of the input that was multiplied."""

    wrong_step, names = "dW_Q", frozenset({"matmul.own_output"})
    says = "You used the queries; the gradient of W_Q contains what was multiplied by W_Q."

    def of_weight(self, x: Array, gradient: Array, name: str) -> Array:
        return (self.written["Q"] if name == "W_Q" else x).T @ gradient


class ValuesPathForgotten(Tips):
    wrong_step, names = "dX", PATH_FORGOTTEN
    says = "You added two of three gradients; the one that comes through the values is missing."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return paths["K"] + paths["Q"]


PEOPLE = (
    Tips,
    QueriesFromTheKeysMatrix,
    ScaledUp,
    OneSumForTheWholeMatrix,
    MaximumOnlyAbove,
    UnscaledScoresIntoSoftmax,
    WeightsFlipped,
    MeanOfAllTokens,
    LogitsOverTheirSum,
    OneMinusP,
    SquaredErrorAsLoss,
    LossOfAllWords,
    EntropyAsLoss,
    YesOrNoForEveryWord,
    TargetCountedFromOne,
    GradientOfPForLogits,
    SigmoidSlopeInTheError,
    OneSubtractedEverywhere,
    OnlyTheRightWordMoves,
    RowForEveryToken,
    PTimesG,
    SlopeFromTheScores,
    PlainMeanSubtracted,
    InputOfAnotherStep,
    ValuesPathForgotten,
)
