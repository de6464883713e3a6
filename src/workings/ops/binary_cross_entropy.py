"""binary_cross_entropy: the loss for binary labels, computed from probabilities."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, brackets
from ..engine.checks import refuse, refuse_other_shape
from ..engine.hand import Hand, Lines, Literal, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .add import add
from .log import log
from .mul import mul
from .parts.reduction import REDUCTIONS, reduced, reduced_by_hand, weighted, weighted_by_hand
from .parts.yes_no_mistakes import YesNoMistakes
from .sub import sub


class BinaryCrossEntropy(YesNoMistakes):
    """Takes -ln p where the label is 1, and -ln(1 - p) where it is 0, for each predicted probability p."""

    choices = {"reduction": REDUCTIONS}
    conventions = {"loss_reduction": "reduction"}

    @formula(r"L = -\frac{1}{n} \sum_i \left( y_i \ln p_i + (1 - y_i) \ln (1 - p_i) \right)")
    @formula(r"L = -\sum_i \left( y_i \ln p_i + (1 - y_i) \ln (1 - p_i) \right)", reduction="sum")
    def forward(self, p: Tensor, y: Tensor, *, reduction: str = "mean") -> Tensor:
        first = mul(y, log(p, name="log_p"), name="first")
        second = mul(1 - y, log(1 - p, name="log_rest"), name="second")
        return reduced(-add(first, second, name="total"), reduction)

    @rule("p", r"dp_i = dL \, \frac{p_i - y_i}{n \, p_i (1 - p_i)}")
    @rule("p", r"dp_i = dL \, \frac{p_i - y_i}{p_i (1 - p_i)}", reduction="sum")
    def dp(self, g: Tensor, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        error = sub(p, y, name="error")
        return weighted(g, error / (p * (1 - p)), p, reduction)

    no_rule = {"y": "Labels are given, not learned."}

    derivation = (
        (r"L = -y \ln p - (1 - y) \ln (1 - p)", "one prediction"),
        (r"\frac{\partial L}{\partial p} = -\frac{y}{p} + \frac{1 - y}{1 - p}", "the derivative of ln x is 1 / x"),
        (r"\frac{\partial L}{\partial p} = \frac{p - y}{p (1 - p)}", "both fractions over a common denominator"),
        (r"dp_i = dL \, \frac{p_i - y_i}{n \, p_i (1 - p_i)}", "a mean over n predictions gives each a factor of 1/n"),
    )

    def by_hand(self, at: Index, p: Paper, y: Paper, *, reduction: str) -> Lines:
        return (yield from reduced_by_hand(lambda place: self._loss(place, p, y), p.shape, reduction))

    def _loss(self, at: Index, p: Paper, y: Paper) -> Lines:
        tag = brackets(at)
        log_p = yield f"log_p{tag}", hand.ln(p[at])
        first = yield f"first{tag}", y[at] * log_p
        rest = yield f"rest{tag}", Literal(1) - p[at]
        log_rest = yield f"log_rest{tag}", hand.ln(rest)
        not_y = yield f"not_y{tag}", Literal(1) - y[at]
        second = yield f"second{tag}", not_y * log_rest
        total = yield f"total{tag}", first + second
        return -total

    def by_hand_dp(self, at: Index, g: Paper, p: Paper, y: Paper, *, reduction: str) -> Hand:
        error = yield "error", p[at] - y[at]
        rest = yield "rest", Literal(1) - p[at]
        product = yield "product", p[at] * rest
        slope = yield "slope", error / product
        return (yield from weighted_by_hand(g[()], slope, p.shape, reduction))

    def probabilities(self, predicted: Tensor) -> Tensor:
        return predicted

    @mistake("You left out the second term: where the label is 0, the loss is -ln(1 - p).")
    def no_forgotten(self, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(-(y * log(p)), reduction)

    @mistake("You swapped the labels: where the label is 1, the loss is -ln p.")
    def labels_exchanged(self, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return binary_cross_entropy(p, 1 - y, reduction=reduction)

    @mistake("You used -ln p for every prediction: where the label is 0, the loss is -ln(1 - p).")
    def same_for_no(self, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(-log(p), reduction)

    @mistake("You subtracted the second term: add both terms; the minus sign in front applies to both.")
    def no_subtracted(self, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced((1 - y) * log(1 - p) - y * log(p), reduction)

    @mistake("You gave the gradient with respect to the logit: here p - y is divided by p (1 - p).", of="p")
    def slope_of_score(self, g: Tensor, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, p - y, p, reduction)

    @mistake("You flipped the sign: the error is the prediction minus the label, p - y.", of="p")
    def error_turned(self, g: Tensor, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return -self.dp(g, p, y, reduction=reduction)

    @mistake("You did not divide by the number of predictions: the loss is their mean.", of="p")
    def gradient_not_divided(self, g: Tensor, p: Tensor, y: Tensor) -> Tensor:
        return self.dp(g, p, y, reduction="sum")

    @mistake("You multiplied by p (1 - p): p - y is divided by it.", of="p")
    def slope_multiplied(self, g: Tensor, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, (p - y) * p * (1 - p), p, reduction)

    @mistake("You left out the second term: where the label is 0, the derivative is 1 / (1 - p).", of="p")
    def only_yes(self, g: Tensor, p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, -(y / p), p, reduction)

    @mistake("You divided by the number of predictions: the loss is their sum, not their mean.", of="p")
    def gradient_divided(self, g: Tensor, p: Tensor, y: Tensor) -> Tensor:
        return self.dp(g, p, y, reduction="mean")

    def check(self, p: Array, y: Array, *, reduction: str) -> None:
        refuse_other_shape(p, y)
        refuse(
            (p <= 0) | (p >= 1),
            p,
            "{value} (entry {index}) is not strictly between 0 and 1.",
            hint="Use binary_cross_entropy_from_logits on the logits, before the sigmoid.",
        )

    example = Example(values([0.8, 0.3, 0.6], "token"), values([1.0, 0.0, 0.0], "token"), cotangent=0.7)
    more_examples = (
        Example(values([0.8, 0.3], "token"), values([0.0, 1.0], "token"), reduction="sum", cotangent=-0.4),
        Example(values(0.7), values(1.0), cotangent=0.6),
        Example(
            values([[0.8, 0.3], [0.4, 0.9]], "batch token"),
            values([[1.0, 0.0], [0.0, 1.0]], "batch token"),
            cotangent=1.3,
        ),
    )


binary_cross_entropy = BinaryCrossEntropy()
