"""negative_log_likelihood: the loss for one correct class per row, computed from probabilities."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, brackets
from ..engine.hand import Hand, Lines, Literal, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .log import log, refuse_no_logarithm
from .parts.answer_mistakes import AnswerMistakes, marks
from .parts.labels import refuse_unpaired
from .parts.reduction import REDUCTIONS, reduced, reduced_by_hand, weighted, weighted_by_hand
from .pick import pick


class NegativeLogLikelihood(AnswerMistakes):
    """Takes the negative log of the probability that each row gives to its target; a perfect prediction costs 0.

    It expects probabilities. From logits, `cross_entropy` gives the same loss and never takes the logarithm of a
    probability that was rounded to 0.
    """

    choices = {"reduction": REDUCTIONS}
    conventions = {"loss_reduction": "reduction"}

    @formula(r"L = -\frac{1}{n} \sum_t \ln P_{t,target_t}")
    @formula(r"L = -\sum_t \ln P_{t,target_t}", reduction="sum")
    def forward(self, P: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
        right = pick(P, target, name="right")
        return reduced(-log(right, name="log"), reduction)

    @rule("P", r"dP_{tv} = -dL \, \frac{[v = target_t]}{n \, P_{tv}}")
    @rule("P", r"dP_{tv} = -dL \, \frac{[v = target_t]}{P_{tv}}", reduction="sum")
    def dP(self, g: Tensor, P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        slope = -1 / pick(P, target, name="right")
        return pick.dx(weighted(g, slope, target, reduction), P, target)

    no_rule = {"target": "Targets are class indices: they are given, not learned."}

    derivation = (
        (r"L = -\ln P_{target}", "one row"),
        (r"\frac{\partial L}{\partial P_{target}} = -\frac{1}{P_{target}}", "the derivative of ln x is 1 / x"),
        (r"\frac{\partial L}{\partial P_v} = 0", "the other probabilities do not appear in the loss"),
        (r"dP_{tv} = -dL \, \frac{[v = target_t]}{n \, P_{tv}}", "a mean over n rows gives each a factor of 1/n"),
    )

    def by_hand(self, at: Index, P: Paper, target: Paper, *, reduction: str) -> Lines:
        return (yield from reduced_by_hand(lambda row: self._loss(row, P, target), target.shape, reduction))

    def _loss(self, at: Index, P: Paper, target: Paper) -> Lines:
        logarithm = yield f"log{brackets(at)}", hand.ln(P[(*at, int(target[at].value))])
        return -logarithm

    def by_hand_dP(self, at: Index, g: Paper, P: Paper, target: Paper, *, reduction: str) -> Hand:
        if target[at[:-1]].value != at[-1]:
            return Literal(0.0)
        slope = yield "slope", Literal(-1) / P[at]
        return (yield from weighted_by_hand(g[()], slope, target.shape, reduction))

    def probabilities(self, predicted: Tensor) -> Tensor:
        return predicted

    @mistake("You left out the minus sign: the loss decreases as the probability of the target increases.", of="P")
    def gradient_sign_forgotten(self, g: Tensor, P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return -self.dP(g, P, target, reduction=reduction)

    @mistake("You did not divide by the number of rows: the loss is their mean.", of="P")
    def gradient_not_divided(self, g: Tensor, P: Tensor, target: Tensor) -> Tensor:
        return self.dP(g, P, target, reduction="sum")

    @mistake("You gave every probability a gradient: only that of the target appears in the loss.", of="P")
    def to_all(self, g: Tensor, P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, -1 / P, target, reduction)

    @mistake("You divided by the number of rows: the loss is their sum, not their mean.", of="P")
    def gradient_divided(self, g: Tensor, P: Tensor, target: Tensor) -> Tensor:
        return self.dP(g, P, target, reduction="mean")

    @mistake("You gave the gradient of the logits, P - y: that of the probabilities is -1 / P.", of="P")
    def slope_of_logits(self, g: Tensor, P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, P - marks(P, target), target, reduction)

    @mistake("You left out the derivative of the logarithm: divide by P.", of="P")
    def slope_forgotten(self, g: Tensor, P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, -marks(P, target), target, reduction)

    @mistake("You multiplied by P: the derivative of ln P is 1 / P.", of="P")
    def slope_multiplied(self, g: Tensor, P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, -(marks(P, target) * P), target, reduction)

    def check(self, P: Array, target: Array, *, reduction: str) -> None:
        refuse_unpaired("negative_log_likelihood", P, target, "target")
        refuse_no_logarithm(pick.forward(P, target))

    example = Example(
        values([[0.5, 0.2, 0.3], [0.1, 0.3, 0.6]], "token vocab"),
        values([1, 2], "token"),
        cotangent=0.7,
    )
    more_examples = (
        Example(
            values([[0.7, 0.1, 0.2], [0.4, 0.25, 0.35]], "token vocab"),
            values([2, 0], "token"),
            reduction="sum",
            cotangent=-0.4,
        ),
        Example(values([0.5, 0.2, 0.3], "vocab"), values(1), cotangent=0.6),
        Example(
            values([[[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]], [[0.1, 0.9], [0.5, 0.5], [0.35, 0.65]]], "batch token vocab"),
            values([[1, 0, 1], [1, 1, 0]], "batch token"),
            cotangent=1.3,
        ),
    )


negative_log_likelihood = NegativeLogLikelihood()
