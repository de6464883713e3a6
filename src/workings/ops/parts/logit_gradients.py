"""What goes wrong in the gradient of the logits, P - y: the mistakes of the cross-entropy going back."""

from __future__ import annotations

from ...engine.page import mistake
from ...engine.tensor import Tensor
from ..softmax import softmax
from .answer_mistakes import AnswerMistakes, marks
from .reduction import weighted
from .rows import rolled


class LogitGradients(AnswerMistakes):
    """A page has the rule for its logits."""

    def dlogits(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        """The right gradient."""
        raise NotImplementedError

    @mistake("You flipped the sign: the error is the prediction minus the target, P - y.", of="logits")
    def error_turned(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return -self.dlogits(g, logits, target, reduction=reduction)

    @mistake("You did not divide by the number of rows: the loss is their mean.", of="logits")
    def gradient_not_divided(self, g: Tensor, logits: Tensor, target: Tensor) -> Tensor:
        return self.dlogits(g, logits, target, reduction="sum")

    @mistake("You divided by the number of classes as well: the mean is over the rows only.", of="logits")
    def gradient_over_classes(self, g: Tensor, logits: Tensor, target: Tensor) -> Tensor:
        return self.dlogits(g, logits, target, reduction="mean") / logits.size(-1)

    @mistake("You multiplied by P (1 - P) as well: P - y already is the gradient of the logits.", of="logits")
    def slope_again(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        P = softmax(logits, axis=-1)
        return self.dlogits(g, logits, target, reduction=reduction) * P * (1 - P)

    @mistake("You used the probabilities alone: subtract 1 from that of the target.", of="logits")
    def answer_forgotten(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, softmax(logits, axis=-1), target, reduction)

    @mistake("You divided by the number of rows: the loss is their sum, not their mean.", of="logits")
    def gradient_divided(self, g: Tensor, logits: Tensor, target: Tensor) -> Tensor:
        return self.dlogits(g, logits, target, reduction="mean")

    @mistake("You divided by the number of rows twice: divide once.", of="logits")
    def gradient_divided_twice(self, g: Tensor, logits: Tensor, target: Tensor) -> Tensor:
        return self.dlogits(g, logits, target, reduction="mean") / target.entries

    @mistake(
        "You set the gradients of the other classes to 0: every logit of a row has a gradient, P - y.", of="logits"
    )
    def only_answer(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return self.dlogits(g, logits, target, reduction=reduction) * marks(logits, target)

    @mistake("You gave the gradient of the probabilities, -1 / P: that of the logits is P - y.", of="logits")
    def gradient_of_probabilities(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, -marks(logits, target) / softmax(logits, axis=-1), target, reduction)

    @mistake("You subtracted 1 from every probability: subtract it only from that of the target.", of="logits")
    def one_from_all(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, softmax(logits, axis=-1) - 1, target, reduction)

    @mistake("You added the one-hot target: the error is P - y.", of="logits")
    def label_added(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, softmax(logits, axis=-1) + marks(logits, target), target, reduction)

    @mistake(
        "You subtracted the one-hot target from the logits: first turn the logits into probabilities with softmax.",
        of="logits",
    )
    def softmax_forgotten(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, logits - marks(logits, target), target, reduction)

    @mistake(
        "You passed P - y back through the softmax as well: it already is the gradient of the logits.", of="logits"
    )
    def softmax_rule_again(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        error = self.dlogits(g, logits, target, reduction=reduction)
        return softmax.dx(error, softmax(logits, axis=-1), axis=-1)

    @mistake("You used the target of the row before: each row has its own.", of="logits")
    def answer_of_row_before(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return self.dlogits(g, logits, rolled(target, target.size(-1) - 1), reduction=reduction)

    @mistake("You used the target of the next row: each row has its own.", of="logits")
    def answer_of_next_row(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return self.dlogits(g, logits, rolled(target, 1), reduction=reduction)

    @mistake("You multiplied by the loss: the backward pass starts from 1, the gradient of the loss.", of="logits")
    def times_loss(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return self.dlogits(g, logits, target, reduction=reduction) * self(logits, target, reduction=reduction)
