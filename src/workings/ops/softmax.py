"""softmax: turns scores into probabilities."""

from __future__ import annotations

import math

from ..engine import hand
from ..engine.arrays import Array, Index, namespace
from ..engine.changes import Changes
from ..engine.checks import refuse
from ..engine.form import Axis, position
from ..engine.hand import Hand, Lines, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .dot import dot
from .exp import exp
from .parts.attention_wires import MASKS, before_masks
from .parts.powers import powers_of, refuse_harmless
from .parts.softmax_mistakes import SoftmaxMistakes
from .relu import positive
from .reshape import reshape
from .row_max import row_max
from .sum import sum


class Softmax(SoftmaxMistakes):
    """Turns a row of scores into a probability distribution: every entry is positive and the row sums to 1."""

    @formula(r"P_{ij} = \frac{e^{x_{ij}}}{\sum_k e^{x_{ik}}}")
    def forward(self, x: Tensor, *, axis: Axis = -1) -> Tensor:
        # Subtracting the largest score changes no probability, and keeps e^x from overflowing.
        shifted = x - row_max(x, axis=axis, name="max")
        powers = exp(shifted, name="exp")
        return powers / sum(powers, axis=axis, keep=True, name="total")

    @rule("x", r"dx_{ij} = P_{ij} \left( dP_{ij} - \sum_k dP_{ik} \, P_{ik} \right)")
    def dx(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return out * (g - dot(g, out, axis=axis))

    derivation = (
        (r"P_j = \frac{e^{x_j}}{\sum_k e^{x_k}}", "one row"),
        (
            r"\frac{\partial P_j}{\partial x_j} = P_j (1 - P_j)",
            "quotient rule: increasing a score raises its own probability",
        ),
        (r"\frac{\partial P_k}{\partial x_j} = -P_k P_j", "and lowers every other, because they sum to 1"),
        (
            r"dx_j = \sum_k dP_k \frac{\partial P_k}{\partial x_j} = P_j \, dP_j - P_j \sum_k dP_k P_k",
            "chain rule: a score affects the loss through all probabilities of its row",
        ),
        (
            r"dx_j = P_j \left( dP_j - \sum_k dP_k P_k \right)",
            "what matters is how far dP lies above its average, weighted by P",
        ),
    )

    def by_hand(self, at: Index, x: Paper, *, axis: int) -> Lines:
        row = yield from powers_of(x.line(at, axis))
        return row.powers[at[axis]] / row.total

    def by_hand_dx(self, at: Index, g: Paper, out: Paper, *, axis: int) -> Hand:
        average = yield "average", hand.dot(g.line(at, axis), out.line(at, axis))
        above = yield "difference", g[at] - average
        return out[at] * above

    @mistake("You normalized along the other axis: the probabilities must sum to 1 along this one.")
    def wrong_axis(self, x: Tensor, *, axis: Axis) -> Tensor:
        return softmax(x, axis=-2 if position(x.form, axis) == -1 else -1)

    @mistake("You did not divide by the sum of the row: the probabilities must sum to 1.")
    def not_normalised(self, x: Tensor) -> Tensor:
        return exp(x)

    @mistake("You divided the scores by their sum: exponentiate each score first.")
    def no_exponential(self, x: Tensor, *, axis: Axis) -> Tensor:
        return x / sum(x, axis=axis, keep=True)

    @mistake(
        "You did not subtract the largest score first. Usually that changes nothing, but these exponentials "
        "are so small that they lose most of their digits. Larger scores would overflow."
    )
    def naive(self, x: Tensor, *, axis: Axis) -> Tensor:
        refuse_harmless(x, axis)
        powers = exp(x)
        return powers / sum(powers, axis=axis, keep=True)

    @mistake("You divided by the sum of all entries: divide each row by its own sum.")
    def over_all_rows(self, x: Tensor) -> Tensor:
        flat = reshape(x, shape=(x.entries,), axes=("",))
        return reshape(softmax(flat), shape=x.shape, axes=x.axes)

    @mistake(
        "You multiplied the gradient by P alone: first subtract the weighted average of the row's gradients.", of="x"
    )
    def average_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out

    @mistake(
        "You used only the derivative of each probability by its own score: a score affects its whole row.", of="x"
    )
    def diagonal_only(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out * (1 - out)

    @mistake("You left out the factor P in front of the bracket.", of="x")
    def factor_forgotten(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return g - dot(g, out, axis=axis)

    @mistake("You read the scores before the mask, so tokens attend to tokens that they must not see.", across="wire")
    def mask_forgotten(self, here: Site) -> Changes | None:
        masked = here.input("x")
        return here.reading(x=masked.input("x")) if masked.is_a(*MASKS) else None

    @mistake(
        "You masked after the softmax, so the remaining weights no longer sum to 1: the mask comes first.",
        surroundings=before_masks,
    )
    def masked_afterwards(self, x: Tensor, masked: Tensor, *, axis: Axis) -> Tensor:
        return softmax(x, axis=axis) * positive(softmax(masked, axis=axis))

    def check(self, x: Array, *, axis: int) -> None:
        top = namespace(x).max(x, axis=axis)
        refuse_masked_rows(top == -math.inf)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head query key"),
            axis="query",
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
        Example(values([[-744.0, -745.0]], "query key"), cotangent=[[0.3, -0.7]]),  # e^x has one digit there
    )


def refuse_masked_rows(masked: Array) -> None:
    """Raise if all scores of a row are masked, which is true where `masked` is."""
    refuse(
        masked,
        masked,
        "Row {index} is masked everywhere: all its scores are -inf, so softmax has nothing to choose from.",
        hint="Leave at least one score of every row unmasked; under a causal mask that is the token itself.",
    )


softmax = Softmax()
