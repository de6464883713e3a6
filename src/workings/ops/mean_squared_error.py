"""mean_squared_error: the mean squared difference between predictions and targets."""

from __future__ import annotations

from ..engine.arrays import Array, Index, brackets
from ..engine.checks import refuse_other_shape
from ..engine.hand import Lines, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .mul import mul
from .parts.reduction import REDUCTIONS, other, reduced, reduced_by_hand, weighted, weighted_by_hand
from .relu import relu
from .scale import scale
from .sqrt import sqrt
from .sub import sub


class MeanSquaredError(Composite):
    """Squares the difference between each number and its target, and averages; a perfect prediction costs 0.

    A difference twice as large costs four times as much, and its sign does not matter.
    """

    choices = {"reduction": REDUCTIONS}
    conventions = {"loss_reduction": "reduction"}

    @formula(r"L = \frac{1}{n} \sum_i (y_i - target_i)^2")
    @formula(r"L = \sum_i (y_i - target_i)^2", reduction="sum")
    def forward(self, y: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
        error = sub(y, target, name="error")
        return reduced(mul(error, error, name="losses"), reduction)

    @rule("y", r"dy_i = \frac{2}{n} \, (y_i - target_i) \, dL")
    @rule("y", r"dy_i = 2 \, (y_i - target_i) \, dL", reduction="sum")
    def dy(self, g: Tensor, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, scale(sub(y, target, name="error"), factor=2, name="slope"), y, reduction)

    @rule("target", r"dtarget_i = \frac{2}{n} \, (target_i - y_i) \, dL")
    @rule("target", r"dtarget_i = 2 \, (target_i - y_i) \, dL", reduction="sum")
    def dtarget(self, g: Tensor, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, scale(sub(target, y, name="error"), factor=2, name="slope"), y, reduction)

    derivation = (
        (r"L = error^2, \quad error = y - target", "one number"),
        (r"\frac{\partial L}{\partial error} = 2 \, error", "the derivative of a square is twice the number"),
        (r"\frac{\partial error}{\partial y} = 1", "the error increases with y"),
        (r"\frac{\partial error}{\partial target} = -1", "and decreases as the target increases"),
        (r"dy_i = \frac{2}{n} \, (y_i - target_i) \, dL", "a mean over n numbers gives each a factor of 1/n"),
        (r"dtarget_i = -dy_i", "the target has the opposite gradient"),
    )

    def by_hand(self, at: Index, y: Paper, target: Paper, *, reduction: str) -> Lines:
        return (yield from reduced_by_hand(lambda place: self._loss(place, y, target), y.shape, reduction))

    def _loss(self, at: Index, y: Paper, target: Paper) -> Lines:
        error = yield f"error{brackets(at)}", y[at] - target[at]
        return error * error

    def by_hand_dy(self, at: Index, g: Paper, y: Paper, target: Paper, *, reduction: str) -> Lines:
        error = yield "error", y[at] - target[at]
        slope = yield "slope", error * Literal(2)
        return (yield from weighted_by_hand(g[()], slope, y.shape, reduction))

    def by_hand_dtarget(self, at: Index, g: Paper, y: Paper, target: Paper, *, reduction: str) -> Lines:
        return (yield from self.by_hand_dy(at, g, target, y, reduction=reduction))

    @mistake("You mixed up mean and sum: the mean is the sum of the squares divided by their number.")
    def wrong_reduction(self, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return mean_squared_error(y, target, reduction=other(reduction))

    @mistake("You did not square the differences, so errors of opposite sign cancel.")
    def not_squared(self, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(y - target, reduction)

    @mistake("You squared the numbers first: subtract, then square the difference.")
    def squares_subtracted(self, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(y * y - target * target, reduction)

    @mistake("You squared the sum of the differences: square each difference, then sum.")
    def sum_squared(self, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        error = reduced(y - target, reduction)
        return error * error

    @mistake("You divided by the number of entries twice: divide once.")
    def mean_twice(self, y: Tensor, target: Tensor) -> Tensor:
        return mean_squared_error(y, target) / y.entries

    @mistake("You halved the squares: this loss has no factor 1/2, so its derivative has a factor 2.")
    def halved(self, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return mean_squared_error(y, target, reduction=reduction) / 2

    @mistake("You took absolute differences: square each difference.")
    def absolute(self, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return reduced(relu(y - target) + relu(target - y), reduction)

    @mistake("You took the square root at the end: the loss is the mean of the squares itself.")
    def root_taken(self, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return sqrt(mean_squared_error(y, target, reduction=reduction))

    @mistake("You left out the 2: the derivative of a square is twice the number.", of="y")
    def two_forgotten(self, g: Tensor, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return weighted(g, y - target, y, reduction)

    @mistake("You flipped the sign: the error is the prediction minus the target, y - target.", of="y")
    def error_turned(self, g: Tensor, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return self.dtarget(g, y, target, reduction=reduction)

    @mistake("You did not divide by the number of entries: the loss is their mean.", of="y")
    def gradient_not_divided(self, g: Tensor, y: Tensor, target: Tensor) -> Tensor:
        return self.dy(g, y, target, reduction="sum")

    @mistake("You kept the square: its derivative is twice the number, not twice its square.", of="y")
    def square_kept(self, g: Tensor, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        error = y - target
        return weighted(g, 2 * (error * error), y, reduction)

    @mistake("You divided by the number of entries: the loss is their sum, not their mean.", of="y")
    def gradient_divided(self, g: Tensor, y: Tensor, target: Tensor) -> Tensor:
        return self.dy(g, y, target, reduction="mean")

    @mistake("You gave the target the gradient of y: it has the opposite sign.", of="target")
    def sign_kept(self, g: Tensor, y: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        return self.dy(g, y, target, reduction=reduction)

    def check(self, y: Array, target: Array, *, reduction: str) -> None:
        refuse_other_shape(y, target)

    example = Example(values([0.8, -0.3, 1.6], "token"), values([1.0, 0.4, 1.1], "token"), cotangent=0.7)
    more_examples = (
        Example(values([0.8, -0.3], "token"), values([0.5, 0.9], "token"), reduction="sum", cotangent=-0.4),
        Example(values(0.7), values(1.2), cotangent=0.6),
        Example(
            values([[0.8, 0.3, -0.6], [0.4, 0.9, 0.2]], "batch token"),
            values([[1.0, -0.5, 0.1], [0.7, 0.3, -0.2]], "batch token"),
            cotangent=1.3,
        ),
    )


mean_squared_error = MeanSquaredError()
