"""exp: the exponential function."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.checks import refuse
from ..engine.hand import Hand, Paper
from ..engine.hand import exp as hand_exp
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


@lru_cache(maxsize=16)
def largest_power(xp: Any, dtype: Any) -> float:
    """The largest x for which e^x is still a number of this type; the powers of whole numbers are float64."""
    dtype = dtype if xp.isdtype(dtype, "real floating") else xp.float64
    return math.log(float(xp.finfo(dtype).max))


class Exp(Primitive):
    """Raises e = 2.718... to the power of each entry: always positive, and steeper the larger the entry."""

    emit = "exp({0}, {out})"

    @formula(r"y_{ij} = e^{x_{ij}}")
    def forward(self, x: Array) -> Array:
        return namespace(x).exp(x)

    @rule("x", r"dx_{ij} = dy_{ij} \, y_{ij}")
    def dx(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out

    derivation = (
        (r"y = e^{x}", "one entry"),
        (r"\frac{\partial y}{\partial x} = e^{x} = y", "the exponential is its own derivative"),
        (r"dx = dy \cdot y", "chain rule: the backward pass reuses the result of the forward pass"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return hand_exp(x[at])

    def by_hand_dx(self, at: Index, g: Paper, out: Paper) -> Hand:
        return g[at] * out[at]

    @mistake("You multiplied by e: raise e to the power of the entry.")
    def times_e(self, x: Tensor) -> Tensor:
        return math.e * x

    @mistake("You raised 10 to the power of the entry: the base is e.")
    def base_ten(self, x: Tensor) -> Tensor:
        return exp(math.log(10) * x)

    @mistake("You multiplied by x: the derivative of the exponential is the exponential itself.", of="x")
    def slope_is_input(self, g: Tensor, x: Tensor) -> Tensor:
        return g * x

    def check(self, x: Array) -> None:
        refuse(
            x > largest_power(namespace(x), x.dtype),
            x,
            "e to the power {value} (entry {index}) is larger than any number of type {dtype}.",
            hint="Subtract the row's largest entry first, as softmax does.",
        )

    example = Example(
        values([[0.5, -1.2, 0.3], [2.0, 0.1, -0.4]], "query key"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )


exp = Exp()
