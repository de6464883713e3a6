"""gelu: the activation function x Φ(x)."""

from __future__ import annotations

import math

from ..engine import hand
from ..engine.arrays import Index
from ..engine.hand import Expression, Hand, Lines, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .add import add
from .erf import erf
from .exp import exp
from .parts.gelu_mistakes import GeluMistakes
from .root_scale import divide_by_root
from .sigmoid import sigmoid


class Gelu(GeluMistakes, Composite):
    """Multiplies each entry by Φ(x), the cumulative distribution function of the standard normal: a smooth ReLU.

    This is the exact form, used by BERT and, by default, by PyTorch's GELU. GPT-2 uses `gelu_tanh`, which replaces erf
    by a tanh and differs from this one by less than 0.0005.
    """

    conventions = {"activation": "gelu"}

    @formula(r"y_{ij} = x_{ij} \, \Phi(x_{ij}), \quad \Phi(x) = \frac{1 + \operatorname{erf}(x / \sqrt{2})}{2}")
    def forward(self, x: Tensor) -> Tensor:
        return x * _cdf(x)

    @rule(
        "x",
        r"dx_{ij} = dy_{ij} \left( \Phi(x_{ij}) + x_{ij} \, \phi(x_{ij}) \right), "
        r"\quad \phi(x) = \frac{e^{-x^2 / 2}}{\sqrt{2 \pi}}",
    )
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        power = exp(-(x * x / 2), name="power")
        bell = divide_by_root(power, d=2 * math.pi, name="bell")
        return g * add(_cdf(x), x * bell, name="slope")

    derivation = (
        (r"y = x \, \Phi(x)", "one entry"),
        (
            r"\Phi(x) = \frac{1 + \operatorname{erf}(x / \sqrt{2})}{2}",
            "Φ(x), the area under the bell curve to the left of x",
        ),
        (r"\frac{\partial \Phi}{\partial x} = \phi(x)", "increasing x adds a strip as high as the curve is there"),
        (r"\phi(x) = \frac{e^{-x^2 / 2}}{\sqrt{2 \pi}}", "φ(x), the density: the height of the bell curve"),
        (r"\frac{\partial y}{\partial x} = \Phi(x) + x \, \phi(x)", "product rule: both factors depend on x"),
        (r"dx = dy \left( \Phi(x) + x \, \phi(x) \right)", "chain rule"),
    )

    def by_hand(self, at: Index, x: Paper) -> Lines:
        cdf = yield "cdf", (yield from _cdf_by_hand(x[at]))
        return x[at] * cdf

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        square = yield "square", x[at] * x[at]
        half = yield "half", square / Literal(2)
        power = yield "power", hand.exp(-half)
        divisor = yield "divisor", hand.root(Literal(2) * hand.PI)
        pdf = yield "pdf", power / divisor
        cdf = yield "cdf", (yield from _cdf_by_hand(x[at]))
        product = yield "product", x[at] * pdf
        slope = yield "slope", cdf + product
        return g[at] * slope

    @mistake("You used the sigmoid of 1.702 x, which only approximates Φ(x): compute it with erf.")
    def by_sigmoid(self, x: Tensor) -> Tensor:
        return x * sigmoid(1.702 * x)

    @mistake("You forgot to divide by √2 inside erf.")
    def root_forgotten(self, x: Tensor) -> Tensor:
        return x * ((1 + erf(x)) / 2)

    @mistake("You forgot the factor 1/2: 1 + erf runs from 0 to 2, Φ from 0 to 1.")
    def half_forgotten(self, x: Tensor) -> Tensor:
        return x * (1 + erf(divide_by_root(x, d=2)))

    @mistake("You stopped at Φ(x): multiply the entry by it.")
    def not_multiplied(self, x: Tensor) -> Tensor:
        return _cdf(x)

    @mistake("You used Φ(x) alone as the derivative: Φ(x) itself depends on x, which adds x φ(x).", of="x")
    def share_only(self, g: Tensor, x: Tensor) -> Tensor:
        return g * _cdf(x)

    @mistake("You added φ(x) without the factor x.", of="x")
    def factor_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        return g * (_cdf(x) + divide_by_root(exp(-(x * x / 2)), d=2 * math.pi))

    @mistake("You left out Φ(x): the derivative is Φ(x) plus x φ(x).", of="x")
    def share_forgotten(self, g: Tensor, x: Tensor) -> Tensor:
        return g * (x * divide_by_root(exp(-(x * x / 2)), d=2 * math.pi))

    @mistake("You forgot to divide by √(2π) in φ(x).", of="x")
    def bell_not_divided(self, g: Tensor, x: Tensor) -> Tensor:
        return g * (_cdf(x) + x * exp(-(x * x / 2)))

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


def _cdf(x: Tensor) -> Tensor:
    """Φ(x): the part of the bell curve that lies below x."""
    return (1 + erf(divide_by_root(x, d=2, name="ratio"), name="erf")) / 2


def _cdf_by_hand(x: Expression) -> Lines:
    divisor = yield "root", hand.root(Literal(2))
    ratio = yield "ratio", x / divisor
    between = yield "erf", hand.erf(ratio)
    total = yield "total", Literal(1) + between
    return total / Literal(2)


gelu = Gelu()
