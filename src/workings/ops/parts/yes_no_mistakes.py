"""What goes wrong in the loss of yes-or-no answers, from probabilities or scores: mistakes that two pages share."""

from __future__ import annotations

from ...engine.page import mistake
from ...engine.tensor import Tensor
from .loss_mistakes import LogLossMistakes
from .reduction import reduced


class YesNoMistakes(LogLossMistakes):
    """A page says how the probabilities of yes are made from what it reads."""

    def probabilities(self, predicted: Tensor) -> Tensor:
        """The probability of yes of each answer."""
        raise NotImplementedError

    @mistake("You took 1 minus the probability of the label: the loss is its negative logarithm.")
    def no_logarithm(self, predicted: Tensor, label: Tensor, *, reduction: str) -> Tensor:
        p = self.probabilities(predicted)
        return reduced(p + label - 2 * (p * label), reduction)

    @mistake("You squared the errors p - y: the loss is the negative logarithm of the label's probability.")
    def squared_error(self, predicted: Tensor, label: Tensor, *, reduction: str) -> Tensor:
        error = self.probabilities(predicted) - label
        return reduced(error * error, reduction)
