"""binary_cross_entropy_from_logits: the loss for binary labels, computed from logits."""

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
    """Applies the sigmoid and the binary cross-entropy in one step, which is numerically stable for any logit."""

    choices = {"reduction": REDUCTIONS}
    conventions = {"loss_reduction": "reduction"}

    @formula(r"L = \frac{1}{n} \sum_i \left( \max(0, z_i) - z_i \, y_i + \ln \left( 1 + e^{-|z_i|} \right) \right)")
    @formula(
        r"L = \sum_i \left( \max(0, z_i) - z_i \, y_i + \ln \left( 1 + e^{-|z_i|} \right) \right)", reduction="sum"
    )
    def forward(self, z: Tensor, y: Tensor, *, reduction: str = "mean") -> Tensor:
        positive, negative = relu(z, name="positive"), relu(-z, name="negative")
        power = exp(-add(positive, negative, name="absolute"), name="power")
        difference = sub(positive, mul(z, y, name="product"), name="difference")
        return reduced(difference + log(1 + power, name="log"), reduction)

    @rule("z", r"dz_i = dL \, \frac{p_i - y_i}{n}, \quad p_i = \frac{1}{1 + e^{-z_i}}")
    @rule("z", r"dz_i = dL \, (p_i - y_i), \quad p_i = \frac{1}{1 + e^{-z_i}}", reduction="sum")
    def dz(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        p = sigmoid(z, name="p")
        return weighted(g, sub(p, y, name="error"), z, reduction)

    no_rule = {"y": "Labels are given, not learned."}

    derivation = (
        (r"L = -y \ln p - (1 - y) \ln (1 - p), \quad p = \frac{1}{1 + e^{-z}}", "one prediction"),
        (r"\ln p = -\ln (1 + e^{-z}), \quad \ln (1 - p) = -z - \ln (1 + e^{-z})", "insert the sigmoid"),
        (r"L = z - z \, y + \ln (1 + e^{-z})", "simplify; below 0, rewrite z + ln(1 + e^-z) as ln(1 + e^z)"),
        (r"\frac{\partial L}{\partial z} = 1 - y - \frac{e^{-z}}{1 + e^{-z}} = p - y", "the fraction is 1 - p"),
        (r"dz_i = dL \, \frac{p_i - y_i}{n}", "a mean over n predictions gives each a factor of 1/n"),
    )

    def by_hand(self, at: Index, z: Paper, y: Paper, *, reduction: str) -> Lines:
        return (yield from reduced_by_hand(lambda place: self._loss(place, z, y), z.shape, reduction))

    def _loss(self, at: Index, z: Paper, y: Paper) -> Lines:
        tag = brackets(at)
        positive = yield f"positive{tag}", hand.largest((Literal(0), z[at]))
        negative = yield f"negative{tag}", hand.largest((Literal(0), -z[at]))
        absolute = yield f"absolute{tag}", positive + negative
        power = yield f"power{tag}", hand.exp(-absolute)
        product = yield f"product{tag}", z[at] * y[at]
        difference = yield f"difference{tag}", positive - product
        total = yield f"total{tag}", Literal(1) + power
        logarithm = yield f"log{tag}", hand.ln(total)
        return difference + logarithm

    def by_hand_dz(self, at: Index, g: Paper, z: Paper, y: Paper, *, reduction: str) -> Hand:
        p = yield "p", (yield from sigmoid.by_hand(at, z))
        error = yield "error", p - y[at]
        return (yield from weighted_by_hand(g[()], error, z.shape, reduction))

    def probabilities(self, predicted: Tensor) -> Tensor:
        return sigmoid(predicted)

    @mistake("You swapped the labels: where the label is 1, a large logit makes the loss small.")
    def labels_exchanged(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return binary_cross_entropy_from_logits(z, 1 - y, reduction=reduction)

    @mistake("You applied the sigmoid first: this loss expects logits and applies the sigmoid itself.")
    def sigmoid_twice(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return binary_cross_entropy_from_logits(sigmoid(z), y, reduction=reduction)

    @mistake("You left out the second term: where the label is 0, the loss is -ln(1 - p).")
    def no_forgotten(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(-(y * log(sigmoid(z))), reduction)

    @mistake("You used -ln p for every prediction: where the label is 0, the loss is -ln(1 - p).")
    def same_for_no(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(-log(sigmoid(z)), reduction)

    @mistake("You left out the absolute value: the exponential is e^-|z|, which is at most 1.")
    def absolute_forgotten(self, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return reduced(relu(z) - z * y + log(1 + exp(-z)), reduction)

    @mistake("You subtracted the label from the logit: first apply the sigmoid, which turns the logit into p.", of="z")
    def sigmoid_forgotten(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, z - y, z, reduction)

    @mistake("You flipped the sign: the error is the prediction minus the label, p - y.", of="z")
    def error_turned(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return -self.dz(g, z, y, reduction=reduction)

    @mistake("You multiplied by p (1 - p) as well: p - y already is the gradient of the logit.", of="z")
    def slope_again(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        p = sigmoid(z)
        return self.dz(g, z, y, reduction=reduction) * p * (1 - p)

    @mistake("You did not divide by the number of predictions: the loss is their mean.", of="z")
    def gradient_not_divided(self, g: Tensor, z: Tensor, y: Tensor) -> Tensor:
        return self.dz(g, z, y, reduction="sum")

    @mistake("You divided by the number of predictions: the loss is their sum, not their mean.", of="z")
    def gradient_divided(self, g: Tensor, z: Tensor, y: Tensor) -> Tensor:
        return self.dz(g, z, y, reduction="mean")

    @mistake("You used p alone: subtract the label from it.", of="z")
    def label_forgotten(self, g: Tensor, z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, sigmoid(z), z, reduction)

    @mistake("You gave the gradient with respect to the probability: that of the logit is just p - y.", of="z")
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
