"""What goes wrong in a softmax, forward and backward, besides the mistakes on its page."""

from __future__ import annotations

import math

from ...engine.changes import Changes
from ...engine.checks import refuse
from ...engine.form import Axis, position, wrong_rank
from ...engine.op import OPS, Composite
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from ..dot import dot
from ..exp import exp
from ..mean import mean
from ..relu import positive
from ..reshape import reshape
from ..row_max import row_max
from ..sigmoid import sigmoid
from ..sum import sum
from .attention_wires import MASKS, before_scale


class SoftmaxMistakes(Composite):
    """Mistakes with the powers, with their sum, and with the average that the gradient is compared with."""

    @mistake("You used powers of 2: softmax uses powers of e.")
    def base_two(self, x: Tensor, *, axis: Axis) -> Tensor:
        return self._softmax(x * math.log(2), axis)

    @mistake("You used powers of 10: softmax uses powers of e.")
    def base_ten(self, x: Tensor, *, axis: Axis) -> Tensor:
        return self._softmax(x * math.log(10), axis)

    @mistake("You flipped the sign of the scores: e^-x gives the smallest score the largest probability.")
    def sign_turned(self, x: Tensor, *, axis: Axis) -> Tensor:
        return self._softmax(-x, axis)

    @mistake("You applied the sigmoid to each score by itself: the probabilities of a row must sum to 1.")
    def as_sigmoid(self, x: Tensor) -> Tensor:
        return sigmoid(x)

    @mistake("You gave the log-probabilities: the result is the probabilities themselves.")
    def logarithm_kept(self, x: Tensor, *, axis: Axis) -> Tensor:
        wrong: Tensor = OPS["log_softmax"](x, axis=axis)
        return wrong

    @mistake("You subtracted the largest score in the numerator only: subtract it in the sum too.")
    def maximum_only_above(self, x: Tensor, *, axis: Axis) -> Tensor:
        return _shifted_powers(x, axis) / sum(exp(x), axis=axis, keep=True)

    @mistake("You subtracted the largest score in the denominator only: subtract it in the numerator too.")
    def maximum_only_below(self, x: Tensor, *, axis: Axis) -> Tensor:
        return exp(x) / sum(_shifted_powers(x, axis), axis=axis, keep=True)

    @mistake("You stopped at the exponentials: divide them by their sum.")
    def not_divided(self, x: Tensor, *, axis: Axis) -> Tensor:
        return _shifted_powers(x, axis)

    @mistake("You divided each exponential by the sum of the others: the sum includes its own.")
    def own_left_out(self, x: Tensor, *, axis: Axis) -> Tensor:
        powers = _shifted_powers(x, axis)
        return powers / (sum(powers, axis=axis, keep=True) - powers)

    @mistake("You divided by the sum of each whole matrix: divide each row by its own sum.")
    def over_each_matrix(self, x: Tensor) -> Tensor:
        if x.ndim < 3:
            raise wrong_rank("softmax.over_each_matrix", "three axes or more", x.ndim)
        flat = reshape(x, shape=(*x.shape[:-2], x.shape[-2] * x.shape[-1]), axes=(*x.axes[:-2], ""))
        return reshape(self._softmax(flat, -1), shape=x.shape, axes=x.axes)

    @mistake("You summed the exponentials of the whole matrix: divide each row by its own sum.")
    def total_of_matrix(self, x: Tensor, *, axis: Axis) -> Tensor:
        powers = _shifted_powers(x, axis)
        return powers / sum(sum(powers, axis=-1, keep=True), axis=-2, keep=True)

    @mistake("You normalized across the heads: the attention weights of each query sum to 1 within its head.")
    def over_heads(self, x: Tensor) -> Tensor:
        return self._softmax(x, "head")

    @mistake("You subtracted the plain mean of the gradients: weight each one by its probability.", of="x")
    def plain_mean(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return out * (g - mean(g, axis=axis, keep=True))

    @mistake("You subtracted the plain sum of the gradients: weight each one by its probability.", of="x")
    def plain_sum(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return out * (g - sum(g, axis=axis, keep=True))

    @mistake("You added the average of the row's gradients: subtract it.", of="x")
    def average_added(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return out * (g + dot(g, out, axis=axis))

    @mistake("You multiplied by P before subtracting the average: P multiplies the whole bracket.", of="x")
    def bracket_forgotten(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return out * g - dot(g, out, axis=axis)

    @mistake("You left out the minus sign in the derivative by the other scores: it is -P_k P_j.", of="x")
    def minus_forgotten(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return out * (g - 2.0 * (g * out) + dot(g, out, axis=axis))

    @mistake("You averaged over each column: subtract the average of the row.", of="x")
    def average_of_columns(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return out * (g - dot(g, out, axis=-2 if position(g.form, axis) == -1 else -1))

    @mistake("You subtracted one average for the whole matrix: each row has its own.", of="x")
    def average_of_all_rows(self, g: Tensor, out: Tensor) -> Tensor:
        return out * (g - sum(g * out))

    @mistake("You used the gradient of log-softmax: here the gradients are weighted by their probabilities.", of="x")
    def rule_of_log_softmax(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return g - out * sum(g, axis=axis, keep=True)

    @mistake("You passed the gradient through unchanged: multiply it by the derivative of softmax.", of="x")
    def gradient_let_through(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You gave P (1 - P) alone: multiply by the upstream gradient.", of="x")
    def gradient_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return out * (1 - out)

    @mistake("You used the scores instead of the probabilities: the derivative contains the result, P.", of="x")
    def scores_for_probabilities(self, g: Tensor, x: Tensor, *, axis: Axis) -> Tensor:
        refuse(x.array == -math.inf, x.array, "The score at {index} is masked.", hint="Use scores that are numbers.")
        return x * (g - dot(g, x, axis=axis))

    @mistake("You applied softmax twice: once is enough.")
    def applied_twice(self, x: Tensor, *, axis: Axis) -> Tensor:
        return self._softmax(self._softmax(x, axis), axis)

    @mistake("You left out the softmax, so the next step reads the scores themselves.", across="wire")
    def left_out(self, here: Site) -> Changes | None:
        scores = here.input("x")
        return here.left_out_for(scores) if here.readers() and not scores.is_a(*MASKS) else None

    @mistake(
        "You scaled after the softmax, so the probabilities no longer sum to 1: scale the scores first.",
        surroundings=before_scale,
    )
    def scaled_afterwards(self, x: Tensor, scores: Tensor, scaled: Tensor, *, axis: Axis) -> Tensor:
        factor = sum(scaled * scaled) / sum(scaled * scores)  # what the scores were multiplied by
        return self._softmax(self._masked(scores, x, axis), axis) * factor

    def _softmax(self, x: Tensor, axis: Axis) -> Tensor:
        probabilities: Tensor = self(x, axis=axis)
        return probabilities

    def _masked(self, scores: Tensor, x: Tensor, axis: Axis) -> Tensor:
        """The scores with those masked that are masked in x."""
        masked: Tensor = OPS["mask"](scores, positive(self._softmax(x, axis)))
        return masked


def _shifted_powers(x: Tensor, axis: Axis) -> Tensor:
    return exp(x - row_max(x, axis=axis))
