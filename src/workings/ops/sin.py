"""sin, cos: the sine and cosine of each entry."""

from __future__ import annotations

import math

from ..engine import hand
from ..engine.arrays import Array, Index, namespace
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Sin(Primitive):
    """Takes the sine of each entry, an angle in radians: a wave between -1 and 1 that starts at 0 and rises.

    A full turn is 2π = 6.283...; set your calculator to RAD, not DEG.
    """

    emit = "sin({0}, {out})"

    @formula(r"y_{ij} = \sin(x_{ij})")
    def forward(self, x: Array) -> Array:
        return namespace(x).sin(x)

    @rule("x", r"dx_{ij} = dy_{ij} \cos(x_{ij})")
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return g * cos(x)

    derivation = (
        (r"y = \sin(x)", "one entry"),
        (
            r"\frac{\partial y}{\partial x} = \cos(x)",
            "steepest where the wave crosses 0, flat at its peaks: the cosine",
        ),
        (r"dx = dy \cdot \cos(x)", "chain rule"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return hand.sin(x[at])

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        slope = yield "slope", hand.cos(x[at])
        return g[at] * slope

    @mistake("You used degrees: the angle is in radians. Set your calculator to RAD.")
    def in_degrees(self, x: Tensor) -> Tensor:
        return sin(math.pi / 180 * x)

    @mistake("You took the cosine: the result is the sine.")
    def as_cosine(self, x: Tensor) -> Tensor:
        return cos(x)

    @mistake("You kept the sine: its derivative is the cosine.", of="x")
    def slope_is_sine(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out

    @mistake("You flipped the sign: the derivative of the sine is the cosine, without a minus.", of="x")
    def sign_turned(self, g: Tensor, x: Tensor) -> Tensor:
        return -(g * cos(x))

    example = Example(
        values([[0.5, -1.2, 0.3], [2.0, 7.0, -0.4]], "token model"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )
    more_examples = (
        Example(
            values([[[2.0, -1.5], [0.1, -0.4]], [[10.7, 0.2], [-1.0, 0.6]]], "batch token model"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


class Cos(Primitive):
    """Takes the cosine of each entry, an angle in radians: a wave between -1 and 1 that starts at its peak.

    It is the sine, shifted by a quarter turn.
    """

    emit = "cos({0}, {out})"

    @formula(r"y_{ij} = \cos(x_{ij})")
    def forward(self, x: Array) -> Array:
        return namespace(x).cos(x)

    @rule("x", r"dx_{ij} = -dy_{ij} \sin(x_{ij})")
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return -(g * sin(x))

    derivation = (
        (r"y = \cos(x)", "one entry"),
        (
            r"\frac{\partial y}{\partial x} = -\sin(x)",
            "flat at its peak, where x is 0, and falling after it: minus the sine",
        ),
        (r"dx = -dy \cdot \sin(x)", "chain rule"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return hand.cos(x[at])

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        sine = yield "sine", hand.sin(x[at])
        product = yield "product", g[at] * sine
        return -product

    @mistake("You used degrees: the angle is in radians. Set your calculator to RAD.")
    def in_degrees(self, x: Tensor) -> Tensor:
        return cos(math.pi / 180 * x)

    @mistake("You took the sine: the result is the cosine.")
    def as_sine(self, x: Tensor) -> Tensor:
        return sin(x)

    @mistake("You left out the minus sign: the derivative of the cosine is minus the sine.", of="x")
    def sign_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        return g * sin(x)

    @mistake("You kept the cosine: its derivative is minus the sine.", of="x")
    def slope_is_cosine(self, g: Tensor, out: Tensor) -> Tensor:
        return -(g * out)

    example = Example(
        values([[0.5, -1.2, 0.3], [2.0, 7.0, -0.4]], "token model"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )
    more_examples = (Example(values(-2.7), cotangent=0.6),)


sin = Sin()
cos = Cos()
