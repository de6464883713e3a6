"""Mistakes with predictions, losses, the gradient of the logits, and decoding."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Five, Layers, One, Sleeping, Three, Two, pending
from ..heldout.batch import Batch
from ..heldout.block import Block
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.sampling import Sampling
from ..heldout.tips import Tips
from ..programs.paper import Array

# -- the row that predicts -------------------------------------------------------------------------------


class TokensAveraged(One):
    wrong_step, names = "last", frozenset({"take_row.averaged"})
    says = "The rows of all tokens are averaged for the prediction: the last one predicts the next token."

    def last(self, rows: Array) -> Array:
        return rows.mean(axis=0)


class FirstTokenPredicts(Three):
    wrong_step, names = "last", frozenset({"take_row.other_end"})
    says = "The first row predicts, as for a class token: the last one predicts the next token."

    def last(self, rows: Array) -> Array:
        return rows[0]


# -- the loss --------------------------------------------------------------------------------------------


class CommonLogarithm(Batch):
    wrong_step = "example1.loss"
    names = frozenset({"cross_entropy.base_ten", "log.base_ten", "negative_log_likelihood.base_ten"})
    factor = True
    says = "The key log of a calculator was used, which is to base 10: the loss has natural logarithms."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -np.log10(p[target])


class SignForgotten(Tips):
    wrong_step, names = "loss", frozenset({"cross_entropy.sign_forgotten", "negative_log_likelihood.sign_forgotten"})
    factor = True
    says = "The loss is the logarithm of the probability: it is minus that."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return np.log(p[target])


class TargetsNotShifted(Decoder):
    wrong_step = "loss"
    names = frozenset({"cross_entropy.targets_not_shifted", "negative_log_likelihood.targets_not_shifted"})
    used = ("tokens", "target")
    says = "Each position is asked for its own token: it is asked for the next one."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, self.given["tokens"])


class LossSummed(Block):
    wrong_step = "loss"
    names = frozenset(
        {"convention.loss_reduction.sum", "cross_entropy.wrong_reduction", "negative_log_likelihood.wrong_reduction"}
    )
    factor = True
    says = "The losses of all positions are added up: they are averaged."

    def mean_loss(self, p: Array, target: Array, logits: Array) -> Array:
        return -np.log(p[np.arange(len(p)), target]).sum()


class LossOverAllWords(Two):
    wrong_step = "loss"
    names = frozenset({"cross_entropy.mean_over_classes", "negative_log_likelihood.mean_over_classes"})
    factor = True
    says = "The loss is a mean over the words of the vocabulary: there is one prediction, so nothing is divided."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) / len(p)


class SoftmaxOfProbabilities(Three):
    wrong_step, names = "loss", frozenset({"cross_entropy.softmax_twice"})
    says = "The probabilities go through a softmax again inside the loss: it is taken of the logits, once."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(self.softmax(p), target)


class LogitAsLogarithm(HelloWorld):
    wrong_step, names = "loss", frozenset({"cross_entropy.no_softmax"})
    says = "The loss is minus the logit of the target: it is minus the logarithm of its probability."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -logits[target]


class SquaredDistance(Five):
    wrong_step, names = "loss", frozenset({"cross_entropy.squared_error", "negative_log_likelihood.squared_error"})
    says = "The loss is the sum of squared differences to the one-hot target: it is a cross-entropy."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return ((p - np.eye(len(p))[target]) ** 2).sum()


class SquaresForYesAndNo(Sleeping):
    wrong_step = "loss"
    names = frozenset({"binary_cross_entropy.squared_error", "binary_cross_entropy_from_logits.squared_error"})
    says = "The squared differences to the labels are added up: the loss is a binary cross-entropy."

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return ((y - labels) ** 2).sum()


# -- the gradient of the logits --------------------------------------------------------------------------


class LabelMinusProbability(HelloWorld):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.error_turned"})
    factor = True
    says = "The gradient of the logits is y - p: it is p - y."

    def error(self, p: Array, target: int) -> Array:
        return np.eye(len(p))[target] - p


class PositionsNotAveraged(Decoder):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.gradient_not_divided"})
    factor = True
    says = "The gradient of the logits is p - y although the loss is a mean: it is divided by the number of positions."

    def error(self, p: Array, y: Array) -> Array:
        return p - y


class GradientOfTheProbability(One):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.gradient_of_probabilities"})
    says = "The gradient of the logits is -y/p, that of the probabilities: with the softmax it becomes p - y."

    def error(self, p: Array, y: Array) -> Array:
        return -y / p


class SlopeOfASigmoid(Five):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.slope_again"})
    says = "The error p - y is multiplied by p (1 - p): in p - y the softmax is already contained."

    def error(self, p: Array, y: Array) -> Array:
        return (p - y) * p * (1 - p)


class TargetNotSubtracted(Batch):
    wrong_step, names = "example3.dlogits", frozenset({"cross_entropy.answer_forgotten"})
    says = "The probabilities themselves go back: 1 is subtracted from that of the target."

    def error(self, p: Array, target: int) -> Array:
        return p


class OneSubtractedAtOwnToken(Block):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.targets_not_shifted"})
    used = ("tokens", "target")
    says = "The 1 is subtracted at each position's own token: it is subtracted at the next token, the target."

    def errors(self, p: Array, target: Array) -> Array:
        return super().errors(p, self.given["tokens"])


class ErrorOverAllWords(Layers):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.gradient_over_classes"})
    factor = True
    says = "p - y is divided by the size of the vocabulary: there is one prediction, so nothing is divided."

    def error(self, p: Array, y: Array) -> Array:
        return (p - y) / len(p)


class GradientBeforeTheSigmoid(Sleeping):
    wrong_step, names = "dz", frozenset({"binary_cross_entropy_from_logits.slope_of_probability"})
    says = "The gradient of z is that of y, (y - label) / (y (1 - y)): with the sigmoid's slope it becomes y - label."

    def error_of_labels(self, y: Array, labels: Array) -> Array:
        return (y - labels) / (y * (1 - y))


# -- decoding --------------------------------------------------------------------------------------------


class LogitsTimesTemperature(Sampling):
    wrong_step, names = "cold", frozenset({"divide_by.multiplied"})
    factor = True
    says = "Logits are multiplied by the temperature: they are divided by it."

    def tempered(self, scores: Array, temperature: float) -> Array:
        return scores * temperature


class CutLogitsAreZero(Sampling):
    wrong_step, names = "cut_by_k", frozenset({"mask.turned_into_zero"})
    says = "Logits outside the top k become 0, which still has a probability: they become -∞."

    def cut(self, scores: Array, kept: Array) -> Array:
        return scores * kept


class PerplexityWithMinus(Sampling):
    wrong_step, names = "coin_perplexity", pending("perplexity_with_minus")
    says = "The perplexity is e to the minus loss: it is e to the loss."

    def perplexity(self, loss: Array) -> Array:
        return np.exp(-loss)


PEOPLE: tuple[type[Examinee], ...] = (
    TokensAveraged, FirstTokenPredicts, CommonLogarithm, SignForgotten, TargetsNotShifted, LossSummed,
    LossOverAllWords, SoftmaxOfProbabilities, LogitAsLogarithm, SquaredDistance, SquaresForYesAndNo,
    LabelMinusProbability, PositionsNotAveraged, GradientOfTheProbability, SlopeOfASigmoid, TargetNotSubtracted,
    OneSubtractedAtOwnToken, ErrorOverAllWords, GradientBeforeTheSigmoid, LogitsTimesTemperature, CutLogitsAreZero,
    PerplexityWithMinus,
)  # fmt: skip
