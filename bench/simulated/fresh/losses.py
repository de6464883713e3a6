"""Mistakes with the prediction, the loss, and the gradient of the logits."""

from __future__ import annotations

import numpy as np

from ..heldout.batch import Batch
from ..heldout.block import Block
from ..heldout.examinee import Examinee
from ..heldout.tips import Tips
from ..programs.paper import Array
from .lessons import Decoder, Five, Layers, One, Sleeping, Three, Two, pending


class FirstTokenPredicts(Two):
    wrong_step, names = "last", frozenset({"take_row.other_end"})
    says = "The vector of the first token goes on: the last token predicts the next word."

    def last(self, rows: Array) -> Array:
        return rows[0]


class EachWordByASigmoid(One):
    wrong_step, names = "P", frozenset({"softmax.as_sigmoid"})
    says = "Each logit goes through a sigmoid: one softmax over the vocabulary makes probabilities that sum to 1."

    def probabilities(self, logits: Array) -> Array:
        return 1 / (1 + np.exp(-logits))


class LossInBits(One):
    wrong_step = "loss"
    names = frozenset({"cross_entropy.base_two", "log.base_two", "negative_log_likelihood.base_two"})
    says = "The logarithm has base 2: the loss uses the natural logarithm."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) / np.log(2)


class MinusForgotten(Two):
    wrong_step = "loss"
    names = frozenset({"cross_entropy.sign_forgotten", "neg.sign_kept", "negative_log_likelihood.sign_forgotten"})
    says = "The loss is ln p and negative: it is -ln p."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -super().cross_entropy(p, target)


class LogitAsLogProbability(Three):
    wrong_step, names = "loss", frozenset({"cross_entropy.no_softmax"})
    says = "The loss is minus the logit of the target: it is minus the logarithm of its probability."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -self.written["logits"][int(target)]


class LossOfTheLikeliestWord(Five):
    wrong_step = "loss"
    names = frozenset({"cross_entropy.likeliest", "negative_log_likelihood.likeliest", "pick.largest_picked"})
    says = "The loss is -ln of the largest probability: it is that of the target, likely or not."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -np.log(p.max())


class LossesOfAllPositionsAdded(Decoder):
    wrong_step = "loss"
    names = frozenset(
        {
            "convention.loss_reduction.sum",
            "cross_entropy.wrong_reduction",
            "mean.not_divided",
            "negative_log_likelihood.wrong_reduction",
        }
    )
    says = "The losses of the positions are added up: the loss is their mean."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) * len(target)


class LogarithmOfTheMean(Block):
    wrong_step, names = "loss", frozenset({"cross_entropy.log_of_mean", "negative_log_likelihood.log_of_mean"})
    says = "The probabilities of the targets are averaged before the logarithm: the logarithms are averaged."

    def mean_loss(self, p: Array, target: Array, logits: Array) -> Array:
        return -np.log(p[np.arange(len(p)), target].mean())


class SquaredDistances(Sleeping):
    wrong_step = "loss"
    names = frozenset({"binary_cross_entropy.squared_error", "binary_cross_entropy_from_logits.squared_error"})
    says = "The squared differences to the labels are added up: the loss is the binary cross-entropy."

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return ((y - labels) ** 2).sum()


class MeanOverTokensToo(Batch):
    wrong_step, names = "loss", pending("batch_loss_over_tokens")
    says = "The sum is divided by the six tokens of the batch: each example has one loss, so it is divided by 3."

    def mean(self, total: Array) -> Array:
        return total / 6


# -- the error of the logits -----------------------------------------------------------------------------


class TargetMinusProbability(One):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.error_turned"})
    says = "The gradient of the logits is one-hot minus p: it is p minus one-hot."

    def error(self, p: Array, y: Array) -> Array:
        return y - p


class NothingSubtracted(Two):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.answer_forgotten"})
    says = "The probabilities are taken as the gradient of the logits: 1 has to be subtracted at the target."

    def error(self, p: Array, y: Array) -> Array:
        return p


class ErrorOfEachPositionWhole(Decoder):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.gradient_not_divided"})
    says = "p minus one-hot is not divided: the loss is a mean over positions, so each has a third of it."

    def error(self, p: Array, y: Array) -> Array:
        return p - y


class ErrorTimesTheLoss(Tips):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.times_loss"})
    says = "The error is multiplied by the value of the loss: the gradient that arrives at the loss is 1."

    def error(self, p: Array, target: int) -> Array:
        return super().error(p, target) * -np.log(p[target])


class ErrorDoubled(Layers):
    wrong_step, names = "dlogits", pending("error_doubled")
    says = "The error is 2 (p - one-hot), as for squared errors: for the cross-entropy there is no factor 2."

    def error(self, p: Array, y: Array) -> Array:
        return 2 * (p - y)


class LogDerivativeOfLabels(Sleeping):
    wrong_step = "dz"
    names = frozenset({"binary_cross_entropy_from_logits.slope_of_probability", "sigmoid.slope_forgotten"})
    says = "The gradient of the loss with respect to y is written: the slope of the sigmoid makes it y minus label."

    def error_of_labels(self, y: Array, labels: Array) -> Array:
        return (y - labels) / (y * (1 - y))


PEOPLE: tuple[type[Examinee], ...] = (
    FirstTokenPredicts, EachWordByASigmoid, LossInBits, MinusForgotten, LogitAsLogProbability,
    LossOfTheLikeliestWord, LossesOfAllPositionsAdded, LogarithmOfTheMean, SquaredDistances, MeanOverTokensToo,
    TargetMinusProbability, NothingSubtracted, ErrorOfEachPositionWhole, ErrorTimesTheLoss, ErrorDoubled,
    LogDerivativeOfLabels,
)  # fmt: skip
