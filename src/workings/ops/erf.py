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
    """Takes the error function: the part of a bell curve that lies between -x and x, with the sign of x.

    It runs from -1 to 1, as tanh does. Pocket calculators have no key for it; books have tables,
    and spreadsheets have the function ERF.
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
        (r"\frac{\partial A}{\partial x} = e^{-x^2}", "moving x adds a strip that is as high as the curve is there"),
        (r"\frac{\partial y}{\partial x} = \frac{2}{\sqrt{\pi}} \, e^{-x^2}", "the factor makes the whole area 1"),
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

    @mistake("You took tanh: the two look alike, but erf is steeper and reaches 1 sooner.")
    def as_tanh(self, x: Tensor) -> Tensor:
        return tanh(x)

    @mistake("You took the part of the curve below x; erf is the part between -x and x.")
    def share_below(self, x: Tensor) -> Tensor:
        return (1 + erf(x)) / 2

    @mistake("You divided by the root of 2 first; that belongs to the normal distribution, not to erf itself.")
    def divided_by_root_two(self, x: Tensor) -> Tensor:
        return erf(divide_by_root(x, d=2))

    @mistake("You forgot the factor 2 / √π.", of="x")
    def factor_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        return g * exp(-(x * x))

    @mistake("You took half of the square: the slope is made of e to the power -x².", of="x")
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
