"""Mistakes with predictions, losses and the gradient of the logits."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Five, One, Sleeping, Three, Two, pending
from ..heldout.batch import Batch
from ..heldout.block import Block
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.sampling import Sampling
from ..heldout.tips import Tips
from ..programs.paper import Array

# -- predictions -----------------------------------------------------------------------------------------


class SigmoidOfEachLogit(Batch):
    wrong_step, names = "example1.P", frozenset({"softmax.as_sigmoid"})
    says = "Each logit goes through a sigmoid of its own: the probabilities of all words are a softmax and sum to 1."

    def probabilities(self, logits: Array) -> Array:
        return 1 / (1 + np.exp(-logits))


class SoftmaxOverPositions(Decoder):
    wrong_step, names = "P", frozenset({"softmax.wrong_axis"})
    says = "The softmax of the logits runs over the positions: it runs over the vocabulary."

    def probabilities(self, logits: Array) -> Array:
        return self.softmax(logits.T).T


# -- the loss --------------------------------------------------------------------------------------------


class LogarithmToBaseTwo(Tips):
    wrong_step, names = (
        "loss",
        frozenset({"cross_entropy.base_two", "log.base_two", "negative_log_likelihood.base_two"}),
    )
    factor = True
    says = "The logarithm has base 2, so the loss is in bits: it is natural."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -np.log2(p[target])


class OneMinusTheProbability(One):
    wrong_step, names = "loss", frozenset({"cross_entropy.no_logarithm", "negative_log_likelihood.no_logarithm"})
    says = "The loss is 1 minus the probability of the target: it is minus its logarithm."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return 1 - p[target]


class PerplexityForTheLoss(Three):
    wrong_step, names = "loss", frozenset({"cross_entropy.perplexity", "negative_log_likelihood.perplexity"})
    says = "The loss is 1 over the probability, the perplexity: it is the logarithm of that."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return 1 / p[target]


class LogarithmOfTheRest(Two):
    wrong_step, names = "loss", frozenset({"cross_entropy.log_of_rest", "negative_log_likelihood.log_of_rest"})
    says = "The loss is minus the logarithm of 1 - p: it is minus the logarithm of p."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -np.log(1 - p[target])


class EntropyForTheLoss(Five):
    wrong_step, names = "loss", frozenset({"cross_entropy.entropy", "negative_log_likelihood.entropy"})
    says = "The loss is the entropy of the predicted distribution: it has the target's logarithm only."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -(p * np.log(p)).sum()


class LogarithmWeighted(Batch):
    wrong_step, names = "example1.loss", pending("logarithm_weighted")
    says = "The logarithm is multiplied by the probability again, -p log p: it stays as it is."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -p[target] * np.log(p[target])


class LikeliestForTheTarget(HelloWorld):
    wrong_step, names = "loss", frozenset({"cross_entropy.likeliest", "negative_log_likelihood.likeliest"})
    says = "The loss has the largest probability: it has that of the target."

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -np.log(p.max())


class OnePositionLess(Decoder):
    wrong_step, names = "loss", frozenset({"mean.one_less"})
    factor = True
    says = "The sum of the losses is divided by one less than the number of positions: it is divided by their number."

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) * len(p) / (len(p) - 1)


class LastPositionOnly(Block):
    wrong_step, names = (
        "loss",
        frozenset({"cross_entropy.only_last_position", "negative_log_likelihood.only_last_position"}),
    )
    says = "The loss is that of the last position: it is the mean over all positions."

    def mean_loss(self, p: Array, target: Array, logits: Array) -> Array:
        return -np.log(p[-1, target[-1]])


class PositiveLogarithms(Sleeping):
    wrong_step, names = (
        "loss",
        frozenset({"binary_cross_entropy.sign_forgotten", "binary_cross_entropy_from_logits.sign_forgotten"}),
    )
    factor = True
    says = "The logarithms are added up without the minus: the loss is minus their sum."

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return -super().binary_cross_entropy(y, labels)


class PerplexityOfTheSum(Sampling):
    wrong_step, names = "coin_perplexity", pending("perplexity_of_the_sum")
    says = "The perplexity is e to the sum of the losses: it is e to their mean."

    def perplexity(self, loss: Array) -> Array:
        return np.exp(loss * self.written["coin_logs"].size)


class TemperatureSubtracted(Sampling):
    wrong_step, names = "cold", pending("temperature_subtracted")
    says = "The temperature is subtracted from the logits: they are divided by it."

    def tempered(self, scores: Array, temperature: float) -> Array:
        return scores - temperature


# -- the gradient of the logits --------------------------------------------------------------------------


class OneAtTheLikeliest(HelloWorld):
    wrong_step, names = "dlogits", pending("one_at_the_likeliest")
    says = "The 1 is subtracted at the likeliest word: it is subtracted at the target."

    def error(self, p: Array, target: int) -> Array:
        return p - (p == p.max())


class TargetsEntryOnly(Three):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.only_answer"})
    says = "Only the target's entry has a gradient: those of the other words are their probabilities."

    def error(self, p: Array, y: Array) -> Array:
        return (p - y) * y


class TwiceTheError(Five):
    wrong_step, names = "dlogits", pending("twice_the_error")
    factor = True
    says = "The gradient is 2 (p - y), as for squares: it is p - y."

    def error(self, p: Array, y: Array) -> Array:
        return 2 * (p - y)


class PositionsAveragedTwice(Decoder):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.gradient_divided_twice"})
    factor = True
    says = "The error is divided by the number of positions twice: it is divided once."

    def error(self, p: Array, y: Array) -> Array:
        return super().error(p, y) / len(p)


class LogitsForProbabilities(Two):
    wrong_step, names = "dlogits", frozenset({"cross_entropy.softmax_forgotten"})
    used = ("logits", "P")
    says = "The 1 is subtracted from the target's logit: it is subtracted from its probability."

    def error(self, p: Array, y: Array) -> Array:
        return self.written["logits"] - y


class LabelsNotSubtracted(Sleeping):
    wrong_step, names = "dz", frozenset({"binary_cross_entropy_from_logits.label_forgotten"})
    says = "The gradient of z is y itself: the label is subtracted."

    def error_of_labels(self, y: Array, labels: Array) -> Array:
        return y


PEOPLE: tuple[type[Examinee], ...] = (
    SigmoidOfEachLogit, SoftmaxOverPositions, LogarithmToBaseTwo, OneMinusTheProbability, PerplexityForTheLoss,
    LogarithmOfTheRest, EntropyForTheLoss, LogarithmWeighted, LikeliestForTheTarget, OnePositionLess,
    LastPositionOnly, PositiveLogarithms, PerplexityOfTheSum, TemperatureSubtracted, OneAtTheLikeliest,
    TargetsEntryOnly, TwiceTheError, PositionsAveragedTwice, LogitsForProbabilities, LabelsNotSubtracted,
)  # fmt: skip
