"""cross_entropy: the loss for one correct class per row, computed from logits."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, brackets, dtype_name
from ..engine.hand import Hand, Lines, Literal, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .exp import exp
from .log import log
from .one_hot import one_hot
from .parts.labels import refuse_masked, refuse_unpaired
from .parts.logit_gradients import LogitGradients
from .parts.powers import powers_of
from .parts.reduction import REDUCTIONS, reduced, reduced_by_hand, weighted, weighted_by_hand
from .pick import pick
from .row_max import row_max
from .softmax import softmax
from .sub import sub
from .sum import sum


class CrossEntropy(LogitGradients):
    """Takes the negative log of the probability that softmax gives to the target of each row; a perfect prediction
    costs 0.

    It reads logits rather than probabilities, so it never takes the logarithm of a probability that was rounded to 0.
    """

    choices = {"reduction": REDUCTIONS}
    conventions = {"loss_reduction": "reduction"}

    @formula(r"L = \frac{1}{n} \sum_t \left( \ln \sum_v e^{logits_{tv}} - logits_{t,target_t} \right)")
    @formula(r"L = \sum_t \left( \ln \sum_v e^{logits_{tv}} - logits_{t,target_t} \right)", reduction="sum")
    def forward(self, logits: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
        # Taking the largest score off every score changes no loss, and keeps e^x from overflowing.
        shifted = sub(logits, row_max(logits, axis=-1, name="max"), name="shifted")
        total = sum(exp(shifted, name="exp"), axis=-1, name="total")
        losses = sub(log(total, name="log"), pick(shifted, target, name="right"), name="losses")
        return reduced(losses, reduction)

    @rule("logits", r"dlogits_{tv} = dL \, \frac{P_{tv} - [v = target_t]}{n}, \quad P = \operatorname{softmax}(logits)")
    @rule(
        "logits",
        r"dlogits_{tv} = dL \, (P_{tv} - [v = target_t]), \quad P = \operatorname{softmax}(logits)",
        reduction="sum",
    )
    def dlogits(self, g: Tensor, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        P = softmax(logits, axis=-1, name="P")
        y = one_hot(target, size=logits.shape[-1], word=logits.axes[-1], dtype=dtype_name(logits.array), name="y")
        return weighted(g, sub(P, y, name="error"), target, reduction)

    no_rule = {"target": "Targets are class indices: they are given, not learned."}

    derivation = (
        (r"L = -\ln \frac{e^{logits_{target}}}{S}, \quad S = \sum_k e^{logits_k}", "one row: P of its target"),
        (r"L = \ln S - logits_{target}", "the logarithm of a quotient is a difference"),
        (
            r"\frac{\partial \ln S}{\partial logits_v} = \frac{e^{logits_v}}{S} = P_v",
            "only one term of S contains this logit",
        ),
        (r"\frac{\partial logits_{target}}{\partial logits_v} = [v = target]", "1 for the target, else 0"),
        (r"\frac{\partial L}{\partial logits_v} = P_v - [v = target]", "the prediction minus the one-hot target"),
        (r"dlogits_{tv} = dL \, \frac{P_{tv} - [v = target_t]}{n}", "a mean over n rows gives each a factor of 1/n"),
    )

    def by_hand(self, at: Index, logits: Paper, target: Paper, *, reduction: str) -> Lines:
        return (yield from reduced_by_hand(lambda row: self._loss(row, logits, target), target.shape, reduction))

    def _loss(self, at: Index, logits: Paper, target: Paper) -> Lines:
        tag = brackets(at)
        row = yield from powers_of(logits.line((*at, 0), -1), tag)
        logarithm = yield f"log{tag}", hand.ln(row.total)
        return logarithm - row.shifted[int(target[at].value)]

    def by_hand_dlogits(self, at: Index, g: Paper, logits: Paper, target: Paper, *, reduction: str) -> Hand:
        P = yield "P", (yield from softmax.by_hand(at, logits, axis=-1))
        y = yield "y", hand.is_equal(Literal(at[-1]), target[at[:-1]])
        error = yield "error", P - y
        return (yield from weighted_by_hand(g[()], error, target.shape, reduction))

    def probabilities(self, predicted: Tensor) -> Tensor:
        return softmax(predicted, axis=-1)

    @mistake("You took the negative logit of the target: first turn the logits into probabilities with softmax.")
    def no_softmax(self, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(-pick(logits, target), reduction)

    @mistake("You applied softmax first: this loss expects logits and applies softmax itself.")
    def softmax_twice(self, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return cross_entropy(softmax(logits, axis=-1), target, reduction=reduction)

    @mistake("You subtracted the largest logit inside the sum only: subtract it from the target's logit too.")
    def shift_forgotten(self, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        powers = exp(logits - row_max(logits, axis=-1))
        return reduced(log(sum(powers, axis=-1)) - pick(logits, target), reduction)

    @mistake(
        "You left out the logarithm of the sum: the loss is ln of the sum of exponentials, minus the target's logit."
    )
    def log_of_sum_forgotten(self, logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        shifted = logits - row_max(logits, axis=-1)
        return reduced(sum(exp(shifted), axis=-1) - pick(shifted, target), reduction)

    def check(self, logits: Array, target: Array, *, reduction: str) -> None:
        refuse_unpaired("cross_entropy", logits, target, "target")
        refuse_masked(logits, target)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "token vocab"), values([1, 2], "token"), cotangent=0.7
    )
    more_examples = (
        Example(
            values([[-0.6, 0.9, 0.2], [1.2, 0.5, -0.7]], "token vocab"),
            values([2, 0], "token"),
            reduction="sum",
            cotangent=-0.4,
        ),
        Example(values([2.0, 1.5, 0.3], "vocab"), values(1), cotangent=0.6),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch token vocab"),
            values([[1, 0], [1, 1]], "batch token"),
            cotangent=1.3,
        ),
    )


cross_entropy = CrossEntropy()
