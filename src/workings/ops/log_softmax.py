"""log_softmax: the logarithms of the softmax probabilities."""

from __future__ import annotations

import math

from ..engine import hand
from ..engine.arrays import Array, Index, namespace
from ..engine.form import Axis, position
from ..engine.hand import Hand, Lines, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .exp import exp
from .log import log
from .parts.powers import powers_of
from .row_max import row_max
from .softmax import refuse_masked_rows, softmax
from .sub import sub
from .sum import sum


class LogSoftmax(Composite):
    """Turns a row of scores into log-probabilities: the closer to 0, the more likely.

    It never takes the logarithm of a probability that was rounded to 0. A masked score stays -∞.
    """

    @formula(r"y_{ij} = x_{ij} - \ln \sum_k e^{x_{ik}}")
    def forward(self, x: Tensor, *, axis: Axis = -1) -> Tensor:
        # Subtracting the largest score changes no probability, and keeps e^x from overflowing.
        shifted = sub(x, row_max(x, axis=axis, name="max"), name="shifted")
        total = sum(exp(shifted, name="exp"), axis=axis, keep=True, name="total")
        return shifted - log(total, name="log")

    @rule("x", r"dx_{ij} = dy_{ij} - P_{ij} \sum_k dy_{ik}, \quad P_{ij} = e^{y_{ij}}")
    def dx(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        P = exp(out, name="P")
        return g - P * sum(g, axis=axis, keep=True, name="total")

    derivation = (
        (r"y_j = \ln \frac{e^{x_j}}{S} = x_j - \ln S, \quad S = \sum_k e^{x_k}", "one row"),
        (r"\frac{\partial \ln S}{\partial x_j} = \frac{e^{x_j}}{S} = P_j", "only one term of S contains this score"),
        (r"\frac{\partial y_j}{\partial x_j} = 1 - P_j", "increasing a score raises its own log-probability"),
        (r"\frac{\partial y_k}{\partial x_j} = -P_j", "and lowers all others, each by the same amount"),
        (r"dx_j = dy_j - P_j \sum_k dy_k", "chain rule: the score affects the loss through its whole row"),
    )

    def by_hand(self, at: Index, x: Paper, *, axis: int) -> Lines:
        row = yield from powers_of(x.line(at, axis))
        logarithm = yield "log", hand.ln(row.total)
        return row.shifted[at[axis]] - logarithm

    def by_hand_dx(self, at: Index, g: Paper, out: Paper, *, axis: int) -> Hand:
        P = yield "P", hand.exp(out[at])
        total = yield "total", hand.add(g.line(at, axis))
        part = yield "product", P * total
        return g[at] - part

    @mistake("You applied softmax along the other axis.")
    def wrong_axis(self, x: Tensor, *, axis: Axis) -> Tensor:
        return log_softmax(x, axis=-2 if position(x.form, axis) == -1 else -1)

    @mistake("You gave the probabilities themselves: the result is their logarithms.")
    def logarithm_forgotten(self, x: Tensor, *, axis: Axis) -> Tensor:
        return softmax(x, axis=axis)

    @mistake("You subtracted the sum of the exponentials: subtract its logarithm.")
    def sum_subtracted(self, x: Tensor, *, axis: Axis) -> Tensor:
        return x - sum(exp(x), axis=axis, keep=True)

    @mistake("You used log base 10: the natural logarithm, ln, is the inverse of e^x.")
    def base_ten(self, x: Tensor, *, axis: Axis) -> Tensor:
        return log_softmax(x, axis=axis) / math.log(10)

    @mistake("You used log base 2: the natural logarithm, ln, is the inverse of e^x.")
    def base_two(self, x: Tensor, *, axis: Axis) -> Tensor:
        return log_softmax(x, axis=axis) / math.log(2)

    @mistake("You subtracted the largest score inside the sum only: subtract it from the score itself too.")
    def maximum_forgotten(self, x: Tensor, *, axis: Axis) -> Tensor:
        return log_softmax(x, axis=axis) + row_max(x, axis=axis)

    @mistake("You flipped the sign: the logarithm of a probability is negative.")
    def sign_turned(self, x: Tensor, *, axis: Axis) -> Tensor:
        return -log_softmax(x, axis=axis)

    @mistake("You used the gradient of softmax: here the gradients of the row are summed unweighted.", of="x")
    def rule_of_softmax(self, g: Tensor, out: Tensor, *, axis: Axis) -> Tensor:
        return softmax.dx(g, exp(out), axis=axis)

    @mistake("You forgot that a score also changes the other probabilities of its row.", of="x")
    def others_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g * (1 - exp(out))

    @mistake("You forgot to multiply P by the sum of the gradients of the row.", of="x")
    def sum_forgotten(self, g: Tensor, out: Tensor) -> Tensor:
        return g - exp(out)

    @mistake("You left out the factor P: each score gets its own part of the sum.", of="x")
    def probability_forgotten(self, g: Tensor, *, axis: Axis) -> Tensor:
        return g - sum(g, axis=axis, keep=True)

    @mistake("You passed the gradient through unchanged: a score also changes the sum of its row.", of="x")
    def gradient_let_through(self, g: Tensor) -> Tensor:
        return 1.0 * g

    def check(self, x: Array, *, axis: int) -> None:
        top = namespace(x).max(x, axis=axis)
        refuse_masked_rows(top == -math.inf)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "token vocab"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.9]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head query key"),
            axis="query",
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


log_softmax = LogSoftmax()
