"""binary_cross_entropy_from_logits: the loss of yes-or-no answers, from the scores before the sigmoid."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, brackets
from ..engine.checks import refuse_other_shape
from ..engine.hand import Hand, Lines, Literal, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .add import add
from .exp import exp
from .log import log
from .mul import mul
from .parts.reduction import REDUCTIONS, reduced, reduced_by_hand, weighted, weighted_by_hand
from .parts.yes_no_mistakes import YesNoMistakes
from .relu import relu
from .sigmoid import sigmoid
from .sub import sub


class BinaryCrossEntropyFromLogits(YesNoMistakes):
    """Measures scores of yes against labels: the binary cross-entropy of their sigmoid, safe for any score."""

    choices = {"reduction": REDUCTIONS}
    conventions = {"loss_reduction": "reduction"}

    @formula(r"L = \frac{1}{n} \sum_i \left( \max(0, z_i) - z_i \, y_i + \ln \left( 1 + e^{-|z_i|} \right) \right)")
    @formula(
        r"L = \sum_i \left( \max(0, z_i) - z_i \, y_i + \ln \left( 1 + e^{-|z_i|} \right) \right)", reduction="sum"
    )
    def forward(self, z: Tensor, y: Tensor, *, reduction: str = "mean") -> Tensor:
        above, below = relu(z, name="above"), relu(-z, name="below")
        power = exp(-add(above, below, name="size"), name="power")
        hinge = sub(above, mul(z, y, name="product"), name="hinge")
        return reduced(hinge + log(1 + power, name="log"), reduction)

    @rule("z", r"dz_i = dL \, \frac{p_i - y_i}{n}, \quad p_i = \frac{1}{1 + e^{-z_i}}")
    @rule("z", r"dz_i = dL \, (p_i - y_i), \quad p_i = \frac{1}{1 + e^{-z_i}}", reduction="sum")
    def dz(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        p = sigmoid(z, name="p")
        return weighted(g, sub(p, y, name="error"), z, reduction)

    no_rule = {"y": "Labels are given, not learned."}

    derivation = (
        (r"L = -y \ln p - (1 - y) \ln (1 - p), \quad p = \frac{1}{1 + e^{-z}}", "one answer"),
        (r"\ln p = -\ln (1 + e^{-z}), \quad \ln (1 - p) = -z - \ln (1 + e^{-z})", "the sigmoid put in"),
        (r"L = z - z \, y + \ln (1 + e^{-z})", "added up; below 0 write z + ln(1 + e^-z) as ln(1 + e^z)"),
        (r"\frac{\partial L}{\partial z} = 1 - y - \frac{e^{-z}}{1 + e^{-z}} = p - y", "the fraction is 1 - p"),
        (r"dz_i = dL \, \frac{p_i - y_i}{n}", "in a mean each answer counts for one part in n"),
    )

    def by_hand(self, at: Index, z: Paper, y: Paper, *, reduction: str) -> Lines:
        return (yield from reduced_by_hand(lambda place: self._loss(place, z, y), z.shape, reduction))

    def _loss(self, at: Index, z: Paper, y: Paper) -> Lines:
        tag = brackets(at)
        above = yield f"above{tag}", hand.largest((Literal(0), z[at]))
        below = yield f"below{tag}", hand.largest((Literal(0), -z[at]))
        size = yield f"size{tag}", above + below
        power = yield f"power{tag}", hand.exp(-size)
        product = yield f"product{tag}", z[at] * y[at]
        hinge = yield f"hinge{tag}", above - product
        total = yield f"total{tag}", Literal(1) + power
        logarithm = yield f"log{tag}", hand.ln(total)
        return hinge + logarithm

    def by_hand_dz(self, at: Index, g: Paper, z: Paper, y: Paper, *, reduction: str) -> Hand:
        p = yield "p", (yield from sigmoid.by_hand(at, z))
        error = yield "error", p - y[at]
        return (yield from weighted_by_hand(g[()], error, z.shape, reduction))

    def probabilities(self, predicted: Tensor) -> Tensor:
        return sigmoid(predicted)

    @mistake("You exchanged the labels: where the label is 1, a high score makes the loss small.")
    def labels_exchanged(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return binary_cross_entropy_from_logits(z, 1 - y, reduction=reduction)

    @mistake("You passed probabilities: the loss applies the sigmoid itself, so it was applied twice.")
    def sigmoid_twice(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return binary_cross_entropy_from_logits(sigmoid(z), y, reduction=reduction)

    @mistake("You left out the second half: where the label is 0, the logarithm of 1 - p counts.")
    def no_forgotten(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(-(y * log(sigmoid(z))), reduction)

    @mistake("You took -ln p for every answer; where the label is 0, it is -ln(1 - p).")
    def same_for_no(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(-log(sigmoid(z)), reduction)

    @mistake("You left out the absolute value: the power is e^-|z|, so that it is at most 1.")
    def absolute_forgotten(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(relu(z) - z * y + log(1 + exp(-z)), reduction)

    @mistake("You subtracted the label from the score; the sigmoid must first turn the score into p.", of="z")
    def sigmoid_forgotten(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, z - y, z, reduction)

    @mistake("You reversed the sign: the error is the prediction minus the label, p - y.", of="z")
    def error_turned(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return -self.dz(g, z, y, reduction=reduction)

    @mistake("You multiplied by p (1 - p) as well; p - y already is the gradient of the score.", of="z")
    def slope_again(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        p = sigmoid(z)
        return self.dz(g, z, y, reduction=reduction) * p * (1 - p)

    @mistake("You did not divide by the number of answers, although the loss is their mean.", of="z")
    def gradient_not_divided(self, g: Tensor, z: Tensor, y: Tensor) -> Tensor:
        return self.dz(g, z, y, reduction="sum")

    @mistake("You divided by the number of answers, although the loss is their sum.", of="z")
    def gradient_divided(self, g: Tensor, z: Tensor, y: Tensor) -> Tensor:
        return self.dz(g, z, y, reduction="mean")

    @mistake("You used the probability alone; subtract the label from it.", of="z")
    def label_forgotten(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, sigmoid(z), z, reduction)

    @mistake("You gave the gradient of the probability; that of the score is p - y alone.", of="z")
    def slope_of_probability(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        p = sigmoid(z)
        return weighted(g, (p - y) / (p * (1 - p)), z, reduction)

    def check(self, z: Array, y: Array, *, reduction: str) -> None:
        refuse_other_shape(z, y)

    example = Example(values([1.4, -0.8, 0.5], "token"), values([1.0, 0.0, 0.0], "token"), cotangent=0.7)
    more_examples = (
        Example(values([1.4, -0.8], "token"), values([0.0, 1.0], "token"), reduction="sum", cotangent=-0.4),
        Example(values(0.9), values(1.0), cotangent=0.6),
        Example(
            values([[1.4, -0.8], [-0.3, 2.1]], "batch token"),
            values([[1.0, 0.0], [0.0, 1.0]], "batch token"),
            cotangent=1.3,
        ),
    )


binary_cross_entropy_from_logits = BinaryCrossEntropyFromLogits()
