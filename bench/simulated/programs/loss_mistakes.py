"""What people do wrong in predictions and losses, forward and backward."""

from __future__ import annotations

import numpy as np

from .operations import Calculation
from .paper import Array, Person, person
from .transformer import Example1, Example2, Example3, HeadsAndLayers, SmallDecoder


class FirstRow(Calculation):
    names = frozenset({"take_row.other_end"})

    def last(self, rows: Array) -> Array:
        return rows[0]


class MeanOfRows(Calculation):
    names = frozenset({"take_row.averaged"})

    def last(self, rows: Array) -> Array:
        return rows.mean(axis=0)


class ProbabilitiesNotNormalized(Calculation):
    """The loss and its gradient are computed from what is not a distribution."""

    names = frozenset({"softmax.not_normalised"})

    def probabilities(self, logits: Array) -> Array:
        return np.exp(logits)


class ProbabilitiesWithoutPowers(Calculation):
    names = frozenset({"softmax.no_exponential"})

    def probabilities(self, logits: Array) -> Array:
        return logits / logits.sum(axis=-1, keepdims=True)


class ToBaseTen(Calculation):
    names = frozenset({"cross_entropy.base_ten"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) / np.log(10)


class ToBaseTwo(Calculation):
    names = frozenset({"cross_entropy.base_two"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) / np.log(2)


class LossWithoutMinus(Calculation):
    names = frozenset({"cross_entropy.sign_forgotten"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -super().cross_entropy(p, target)


class OneMinusProbability(Calculation):
    names = frozenset({"cross_entropy.no_logarithm"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        rows, wanted = np.atleast_2d(p), np.atleast_1d(target)
        return (1 - rows[np.arange(len(wanted)), wanted]).mean()


class MeanOverClasses(Calculation):
    names = frozenset({"cross_entropy.mean_over_classes"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) / p.shape[-1]


class OfAllClasses(Calculation):
    """The logarithms of all probabilities are added up."""

    names = frozenset({"cross_entropy.all_classes"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -np.log(p).sum() / max(1, np.size(target))


class SoftmaxTwice(Calculation):
    names = frozenset({"cross_entropy.softmax_twice"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(self.softmax(p), target)


class ForAndAgainst(Calculation):
    """The binary form: the other classes are counted too."""

    names = frozenset({"cross_entropy.binary"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        y = np.eye(p.shape[-1])[target]
        return -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum() / max(1, np.size(target))


class LossOfTheLikeliest(Calculation):
    names = frozenset({"cross_entropy.likeliest"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return -np.log(p.max(axis=-1)).mean()


class LossAdded(Calculation):
    names = frozenset({"cross_entropy.wrong_reduction"})

    def cross_entropy(self, p: Array, target: Array) -> Array:
        return super().cross_entropy(p, target) * np.size(target)


class TargetsNotShifted(Calculation):
    """Each token is to predict itself."""

    names = frozenset({"cross_entropy.targets_not_shifted"})

    def targets(self) -> Array:
        return self.given["tokens"]


class TargetsShiftedTwice(Calculation):
    names = frozenset({"cross_entropy.targets_shifted_twice", "cross_entropy.targets_rolled"})

    def targets(self) -> Array:
        return np.roll(self.given["target"], -1)


class ErrorReversed(Calculation):
    names = frozenset({"cross_entropy.error_turned"})

    def error(self, p: Array, y: Array) -> Array:
        return -super().error(p, y)


class AnswerForgotten(Calculation):
    names = frozenset({"cross_entropy.answer_forgotten"})

    def error(self, p: Array, y: Array) -> Array:
        return super().error(p, 0 * y)


class ErrorNotDivided(Calculation):
    names = frozenset({"cross_entropy.gradient_not_divided"})

    def error(self, p: Array, y: Array) -> Array:
        return p - y


class ErrorOfAnswerOnly(Calculation):
    names = frozenset({"cross_entropy.only_answer"})

    def error(self, p: Array, y: Array) -> Array:
        return super().error(p, y) * y


class ErrorOfProbabilities(Calculation):
    """-1 / P of the answer: the gradient of the probabilities, not of the logits."""

    names = frozenset({"cross_entropy.gradient_of_probabilities"})

    def error(self, p: Array, y: Array) -> Array:
        return -y / p / (len(p) if p.ndim > 1 else 1)


class ErrorTimesSlope(Calculation):
    """The slope of the softmax is multiplied once more."""

    names = frozenset({"cross_entropy.slope_again"})

    def error(self, p: Array, y: Array) -> Array:
        return super().error(p, y) * p * (1 - p)


LOSSES = (
    ToBaseTen, ToBaseTwo, LossWithoutMinus, OneMinusProbability, MeanOverClasses, OfAllClasses, SoftmaxTwice,
    ForAndAgainst, LossOfTheLikeliest,
)  # fmt: skip
ERRORS = (ErrorReversed, AnswerForgotten, ErrorOfAnswerOnly, ErrorOfProbabilities, ErrorTimesSlope)
PREDICTIONS: tuple[type[Person], ...] = (
    *(person(mistake, lesson, "last") for mistake in (FirstRow, MeanOfRows) for lesson in (Example2, HeadsAndLayers)),
    *(
        person(mistake, lesson, "P")
        for mistake in (ProbabilitiesNotNormalized, ProbabilitiesWithoutPowers)
        for lesson in (Example3, HeadsAndLayers, SmallDecoder)
    ),
    *(person(mistake, lesson, "loss") for mistake in LOSSES for lesson in (Example1, HeadsAndLayers, SmallDecoder)),
    *(person(mistake, SmallDecoder, "loss") for mistake in (LossAdded, TargetsNotShifted, TargetsShiftedTwice)),
    *(person(mistake, lesson, "dlogits") for mistake in ERRORS for lesson in (Example1, HeadsAndLayers, SmallDecoder)),
    person(ErrorNotDivided, SmallDecoder, "dlogits"),
)
