"""power: raises each entry to a fixed exponent."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index
from ..engine.checks import refuse
from ..engine.form import Form
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.rounding import decimal_of
from ..engine.tensor import Tensor, constant_like
from .exp import exp
from .log import log


class Power(Primitive):
    """Raises each entry to the same exponent: 2 squares it, 3 cubes it, 0.5 is the square root, -1 is 1 / x.

    exponent: the exponent
    """

    @formula(r"y_{ij} = x_{ij}^{exponent}")
    def forward(self, x: Array, *, exponent: float) -> Array:
        # The cube, which GELU takes of every entry, is many times faster as two products.
        return x * x * x if exponent == 3 else x ** float(exponent)

    def source(self, x: Form, *, exponent: float) -> str:  # type: ignore[override]
        return "{0} * {0} * {0}" if exponent == 3 else f"{{0}} ** float({exponent!r})"

    @rule("x", r"dx_{ij} = exponent \cdot x_{ij}^{exponent - 1} \, dy_{ij}")
    def dx(self, g: Tensor, x: Tensor, *, exponent: float) -> Tensor:
        if exponent == 0:  # x⁰ is 1 everywhere, also at 0, where x^-1 does not exist
            return 0.0 * g
        return exponent * (g * power(x, exponent=_one_less(exponent), name="lower"))

    derivation = (
        (r"y = x^n", "one entry; the exponent n is a constant"),
        (
            r"(x + h)^n = x^n + n \, x^{n-1} \, h + \dots",
            "a small change h: one of the n factors x contributes it, the others stay x",
        ),
        (
            r"\frac{\partial y}{\partial x} = n \, x^{n-1}",
            "so this is the change of y per unit of h; the rule holds for fractions too",
        ),
        (r"dx = n \, x^{n-1} \, dy", "chain rule"),
    )

    def by_hand(self, at: Index, x: Paper, *, exponent: float) -> Hand:
        return hand.power(x[at], Literal(exponent))

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, exponent: float) -> Hand:
        if exponent == 0:
            return g[at] * Literal(0.0)
        lower = yield "power", hand.power(x[at], Literal(_one_less(exponent)))
        product = yield "product", g[at] * lower
        return product * Literal(exponent)

    @mistake("You multiplied by the exponent: it says how many factors x there are.")
    def multiplied(self, x: Tensor, *, exponent: float) -> Tensor:
        return exponent * x

    @mistake("You swapped base and exponent: the entry is the base.")
    def exchanged(self, x: Tensor, *, exponent: float) -> Tensor:
        return exp(log(constant_like(exponent, x)) * x)

    @mistake("You flipped the sign of the exponent: x to the power -n is 1 divided by x to the power n.")
    def sign_turned(self, x: Tensor, *, exponent: float) -> Tensor:
        return power(x, exponent=-exponent)

    @mistake("You did not reduce the exponent by 1.", of="x")
    def not_lowered(self, g: Tensor, out: Tensor, *, exponent: float) -> Tensor:
        return exponent * (g * out)

    @mistake("You left out the exponent as a factor.", of="x")
    def factor_forgotten(self, g: Tensor, x: Tensor, *, exponent: float) -> Tensor:
        return g * power(x, exponent=_one_less(exponent))

    def check(self, x: Array, *, exponent: float) -> None:
        what = f"{{value}} (entry {{index}}) to the power {exponent} does not exist."
        if exponent != int(exponent):
            refuse(x < 0, x, what, hint="An exponent that is not an integer needs entries of 0 or more.")
        if exponent < 0:
            refuse(x == 0, x, what, hint="A negative exponent needs entries other than 0.")

    example = Example(
        values([[0.5, -1.2, 0.3], [2.0, 0.1, -0.4]], "token model"),
        exponent=3,
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, 0.4]], [[0.7, 0.2], [1.3, 0.6]]], "batch token model"),
            exponent=-0.5,
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
        Example(values([0.7, -2.5], "model"), exponent=0, cotangent=[-0.6, 0.3]),
        Example(values(0.7), exponent=1.1, cotangent=-0.6),
    )


def _one_less(exponent: float) -> float:
    """The exponent less 1, as it is written: 1.1 - 1 is 0.1."""
    return exponent - 1 if isinstance(exponent, int) else float(decimal_of(exponent) - 1)


power = Power()
