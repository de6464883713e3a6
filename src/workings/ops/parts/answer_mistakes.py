"""What goes wrong between a row of probabilities and the loss of its right answer: mistakes that two pages share."""

from __future__ import annotations

from ...engine.arrays import dtype_name
from ...engine.page import mistake
from ...engine.tensor import Tensor
from ..argmax import argmax
from ..exp import exp
from ..log import log
from ..mean import mean
from ..one_hot import one_hot
from ..pick import pick
from ..split import split
from ..sum import sum
from .loss_mistakes import ClassLossMistakes
from .reduction import reduced
from .rows import rolled


class AnswerMistakes(ClassLossMistakes):
    """A page says how the probabilities are made from what it reads."""

    def probabilities(self, predicted: Tensor) -> Tensor:
        """The probabilities of each row."""
        raise NotImplementedError

    @mistake("You took 1 minus the probability: the loss is its negative logarithm.")
    def no_logarithm(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(1 - pick(self.probabilities(predicted), target), reduction)

    @mistake("You took minus the probability: take its logarithm first.")
    def log_forgotten(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(-pick(self.probabilities(predicted), target), reduction)

    @mistake("You summed the logarithms of all probabilities of a row: only that of the target counts.")
    def all_classes(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(-sum(log(self.probabilities(predicted)), axis=-1), reduction)

    @mistake("You used binary cross-entropy for every class: here only the log-probability of the target counts.")
    def binary(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        P = self.probabilities(predicted)
        y = marks(P, target)
        return reduced(-sum(y * log(P) + (1 - y) * log(1 - P), axis=-1), reduction)

    @mistake("You took the probability of the most likely class: the loss uses that of the target.")
    def likeliest(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        P = self.probabilities(predicted)
        return reduced(-log(pick(P, argmax(P, axis=-1))), reduction)

    @mistake("You took the logarithm of 1 - P: the loss is the negative logarithm of P itself.")
    def log_of_rest(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(-log(1 - pick(self.probabilities(predicted), target)), reduction)

    @mistake("You computed the entropy of the prediction, -Σ P ln P: the loss is -ln P of the target.")
    def entropy(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        P = self.probabilities(predicted)
        return reduced(-sum(P * log(P), axis=-1), reduction)

    @mistake("You summed the squared errors of all classes: the loss is the negative log-probability of the target.")
    def squared_error(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(sum(self._squared_errors(predicted, target), axis=-1), reduction)

    @mistake(
        "You took the mean squared error over all classes: the loss is the negative log-probability of the target."
    )
    def squared_error_averaged(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(mean(self._squared_errors(predicted, target), axis=-1), reduction)

    @mistake("You took the logarithm of the mean probability: take the mean of the logarithms.")
    def log_of_mean(self, predicted: Tensor, target: Tensor) -> Tensor:
        return -log(mean(pick(self.probabilities(predicted), target)))

    @mistake("You gave the perplexity, e to the power of the loss: give the loss itself.")
    def perplexity(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return exp(self(predicted, target, reduction=reduction))

    @mistake("You used the loss of the last position alone: every position counts.")
    def only_last_position(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        sizes = (target.size("token") - 1, 1)
        rows = split(predicted, sizes=sizes, part=1, axis="token")
        return self(rows, split(target, sizes=sizes, part=1, axis="token"), reduction=reduction)

    @mistake(
        "You shifted the targets by one more position, moving the first to the end: they already are the next tokens."
    )
    def targets_rolled(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return self(predicted, rolled(target, 1, axis="token"), reduction=reduction)

    def _squared_errors(self, predicted: Tensor, target: Tensor) -> Tensor:
        P = self.probabilities(predicted)
        error = P - marks(P, target)
        return error * error


def marks(P: Tensor, target: Tensor) -> Tensor:
    """1 for the right answer of each row, 0 for every other class."""
    return one_hot(target, size=P.shape[-1], word=P.axes[-1], dtype=dtype_name(P.array))
