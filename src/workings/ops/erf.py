"""erf: the error function, the area under a bell curve."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

from ..engine import hand
from ..engine.arrays import Array, Index, indices, is_float, namespace
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .exp import exp
from .root_scale import divide_by_root
from .tanh import tanh


@lru_cache(maxsize=16)
def error_function(xp: Any) -> Callable[[Array], Array]:
    """The error function for arrays of a library. The array API has none, but PyTorch does, and SciPy for NumPy;
    with any other library the standard one of Python takes the entries one by one.
    """
    if hasattr(xp, "erf"):
        own: Callable[[Array], Array] = xp.erf
        return own
    if xp.__name__ == "numpy":
        try:
            of_scipy: Callable[[Array], Array] = import_module("scipy.special").erf
            return of_scipy
        except ImportError:  # it is an extra, and only faster
            return _entry_by_entry
    return _entry_by_entry


def _entry_by_entry(x: Array) -> Array:
    xp: Any = namespace(x)
    numbers = [math.erf(float(x[at])) for at in indices(x.shape)]
    return xp.reshape(xp.asarray(numbers, dtype=xp.float64), x.shape)


class Erf(Primitive):
    """Computes the error function: the area under a normalized bell curve between -x and x, with the sign of x.

    Like tanh, it runs from -1 to 1. Pocket calculators have no key for it; spreadsheets have the function ERF, and
    textbooks have tables.
    """

    @formula(r"y_{ij} = \operatorname{erf}(x_{ij})")
    def forward(self, x: Array) -> Array:
        xp: Any = namespace(x)
        return xp.astype(error_function(xp)(x), x.dtype if is_float(x) else xp.float64, copy=False)

    def into(self, x: Array, *, out: Array) -> Array:
        out[...] = self.forward(x)
        return out

    @rule("x", r"dx_{ij} = dy_{ij} \, \frac{2}{\sqrt{\pi}} \, e^{-x_{ij}^2}")
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        bell = exp(-(x * x), name="bell")
        return divide_by_root(2 * (g * bell), d=math.pi)

    derivation = (
        (r"y = \frac{2}{\sqrt{\pi}} \, A(x)", "one entry; A is the area under the curve below, from 0 to x"),
        (r"\frac{\partial A}{\partial x} = e^{-x^2}", "increasing x adds a strip as high as the curve is there"),
        (r"\frac{\partial y}{\partial x} = \frac{2}{\sqrt{\pi}} \, e^{-x^2}", "this factor makes the whole area 1"),
        (r"dx = dy \, \frac{2}{\sqrt{\pi}} \, e^{-x^2}", "chain rule"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return hand.erf(x[at])

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        square = yield "square", x[at] * x[at]
        bell = yield "bell", hand.exp(-square)
        product = yield "product", g[at] * bell
        double = yield "double", product * Literal(2)
        divisor = yield "root", hand.root(hand.PI)
        return double / divisor

    @mistake("You used tanh: it looks similar, but erf is steeper and approaches 1 sooner.")
    def as_tanh(self, x: Tensor) -> Tensor:
        return tanh(x)

    @mistake("You computed the area below x: erf is the area between -x and x.")
    def share_below(self, x: Tensor) -> Tensor:
        return (1 + erf(x)) / 2

    @mistake("You divided by √2 first: the normal distribution does that, erf itself does not.")
    def divided_by_root_two(self, x: Tensor) -> Tensor:
        return erf(divide_by_root(x, d=2))

    @mistake("You left out the factor 2 / √π.", of="x")
    def factor_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        return g * exp(-(x * x))

    @mistake("You halved the square: the derivative contains e to the power -x².", of="x")
    def half_square(self, g: Tensor, x: Tensor) -> Tensor:
        return divide_by_root(2 * (g * exp(-(x * x) / 2)), d=math.pi)

    example = Example(
        values([[0.5, -1.2, 0.3], [2.0, 0.1, -0.4]], "token hidden"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )
    more_examples = (
        Example(values(0.7), cotangent=-0.6),
        Example(
            values([[[2.0, -1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch token hidden"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


erf = Erf()
