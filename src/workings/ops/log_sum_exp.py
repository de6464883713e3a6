"""log_sum_exp: the logarithm of a sum of exponentials, a smooth maximum."""

from __future__ import annotations

import math

from ..engine import hand
from ..engine.arrays import Array, Index, namespace
from ..engine.form import Axis, position, reduced
from ..engine.hand import Hand, Lines, Paper, without
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .add import add
from .exp import exp
from .log import log
from .parts.powers import powers_of
from .reshape import reshape
from .row_max import row_max
from .softmax import refuse_masked_rows, softmax
from .sub import sub
from .sum import sum


class LogSumExp(Composite):
    """Sums the exponentials of a row and takes the logarithm: slightly more than the row's largest score.

    It is the logarithm of the denominator of softmax. `keep` keeps the axis with one entry. A masked score, -∞, adds
    nothing to the sum.
    """

    @formula(r"y_i = \ln \sum_k e^{x_{ik}}")
    def forward(self, x: Tensor, *, axis: Axis = -1, keep: bool = False) -> Tensor:
        # Subtracting the largest score, and adding it again at the end, keeps e^x from overflowing.
        top = row_max(x, axis=axis, name="max")
        powers = exp(sub(x, top, name="shifted"), name="exp")
        total = sum(powers, axis=axis, keep=True, name="total")
        result = add(log(total, name="log"), top, name="with_max")
        if keep:
            return result
        small = reduced(x.form, (position(x.form, axis),), keep=False)
        return reshape(result, shape=small.shape, axes=small.axes)

    @rule("x", r"dx_{ij} = dy_i \, P_{ij}, \quad P = \operatorname{softmax}(x)")
    def dx(self, g: Tensor, x: Tensor, *, axis: Axis, keep: bool) -> Tensor:
        return sum.dx(g, x, axis=axis, keep=keep) * softmax(x, axis=axis, name="P")

    derivation = (
        (r"y = \ln S, \quad S = \sum_k e^{x_k}", "one row"),
        (r"y = m + \ln \sum_k e^{x_k - m}", "the same for every m, since e to the power m is a factor of all terms"),
        (
            r"\frac{\partial S}{\partial x_j} = e^{x_j}",
            "only one term of S contains this score, and e^x is its own derivative",
        ),
        (
            r"\frac{\partial y}{\partial x_j} = \frac{e^{x_j}}{S} = P_j",
            "the derivative of ln S is 1 / S: this is softmax",
        ),
        (r"dx_j = dy \, P_j", "the gradient is distributed by the softmax probabilities, which sum to 1"),
    )

    def by_hand(self, at: Index, x: Paper, *, axis: int, keep: bool) -> Lines:
        row = yield from powers_of(x.block(at, (axis,), keep))
        logarithm = yield "log", hand.ln(row.total)
        return logarithm + row.top

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, axis: int, keep: bool) -> Hand:
        P = yield "P", (yield from softmax.by_hand(at, x, axis=axis))
        return g[at if keep else without(at, (axis,))] * P

    @mistake("You summed along the other axis.")
    def wrong_axis(self, x: Tensor, *, axis: Axis, keep: bool) -> Tensor:
        return log_sum_exp(x, axis=-2 if position(x.form, axis) == -1 else -1, keep=keep)

    @mistake("You forgot to add back the largest score, which you had subtracted.")
    def maximum_forgotten(self, x: Tensor, *, axis: Axis, keep: bool) -> Tensor:
        return log(sum(exp(x - row_max(x, axis=axis)), axis=axis, keep=keep))

    @mistake("You summed the scores: exponentiate each one first; the logarithm comes last.")
    def scores_added(self, x: Tensor, *, axis: Axis, keep: bool) -> Tensor:
        return sum(x, axis=axis, keep=keep)

    @mistake("You used log base 10: the natural logarithm, ln, is the inverse of e^x.")
    def base_ten(self, x: Tensor, *, axis: Axis, keep: bool) -> Tensor:
        return log_sum_exp(x, axis=axis, keep=keep) / math.log(10)

    @mistake("You gave every score the whole gradient: multiply it by the score's softmax probability.", of="x")
    def shares_forgotten(self, g: Tensor, x: Tensor, *, axis: Axis, keep: bool) -> Tensor:
        return sum.dx(g, x, axis=axis, keep=keep)

    @mistake("You used the exponentials as they are: divide them by their sum.", of="x")
    def not_normalised(self, g: Tensor, x: Tensor, *, axis: Axis, keep: bool) -> Tensor:
        return sum.dx(g, x, axis=axis, keep=keep) * exp(x)

    def check(self, x: Array, *, axis: int, keep: bool) -> None:
        top = namespace(x).max(x, axis=axis)
        refuse_masked_rows(top == -math.inf)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
        cotangent=[0.7, -0.4],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head query key"),
            axis="query",
            keep=True,
            cotangent=[[[0.3, -0.7]], [[0.2, 0.9]]],
        ),
        Example(values([2.0, 1.5, 0.3], "vocab"), cotangent=0.6),
    )


log_sum_exp = LogSumExp()
