"""gelu_tanh: GELU with a tanh instead of erf."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, is_float, namespace
from ..engine.checks import refuse
from ..engine.hand import Expression, Hand, Lines, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, rule, values
from ..engine.tensor import Tensor
from .add import add
from .parts.gelu_mistakes import CUBE, CUBE_SLOPE, TanhFormMistakes, root_of, tanh_of

ROOT = hand.root(Literal(2) / hand.PI)


class GeluTanh(TanhFormMistakes, Composite):
    """Approximates GELU: multiplies each entry by a factor between 0 and 1 that contains a tanh instead of erf.

    GPT-2 uses this form, which was faster where erf was slow. BERT uses the exact one, and so does PyTorch's
    GELU by default. The two differ by less than 0.0005.
    """

    conventions = {"activation": "gelu_tanh"}

    @formula(
        r"y_{ij} = x_{ij} \, \frac{1 + t_{ij}}{2}, "
        r"\quad t_{ij} = \tanh\left( \sqrt{\frac{2}{\pi}} \left( x_{ij} + 0.044715 \, x_{ij}^3 \right) \right)"
    )
    def forward(self, x: Tensor) -> Tensor:
        return x * ((1 + tanh_of(x)) / 2)

    @rule(
        "x",
        r"dx_{ij} = dy_{ij} \left( \frac{1 + t_{ij}}{2} + x_{ij} \, \frac{1 - t_{ij}^2}{2} \, "
        r"\sqrt{\frac{2}{\pi}} \left( 1 + 0.134145 \, x_{ij}^2 \right) \right)",
    )
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        t = tanh_of(x)
        inner = (1 + CUBE_SLOPE * (x * x)) * root_of(x)
        steep = (1 - t * t) * inner / 2
        return g * add((1 + t) / 2, x * steep, name="slope")

    derivation = (
        (r"y = x \, \frac{1 + t}{2}, \quad t = \tanh(u)", "one entry"),
        (r"u = \sqrt{\frac{2}{\pi}} \left( x + 0.044715 \, x^3 \right)", "the argument of the tanh"),
        (
            r"\frac{\partial u}{\partial x} = \sqrt{\frac{2}{\pi}} \left( 1 + 0.134145 \, x^2 \right)",
            "3 times 0.044715",
        ),
        (r"\frac{\partial t}{\partial x} = \left( 1 - t^2 \right) \frac{\partial u}{\partial x}", "derivative of tanh"),
        (
            r"\frac{\partial y}{\partial x} = \frac{1 + t}{2} + \frac{x}{2} \, \frac{\partial t}{\partial x}",
            "product rule: both factors depend on x",
        ),
    )

    def by_hand(self, at: Index, x: Paper) -> Lines:
        root = yield "root", ROOT
        t = yield "t", (yield from _tanh_by_hand(x[at], root))
        total = yield "total", Literal(1) + t
        factor = yield "factor", total / Literal(2)
        return x[at] * factor

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        root = yield "root", ROOT
        t = yield "t", (yield from _tanh_by_hand(x[at], root))
        square = yield "square", x[at] * x[at]
        term = yield "term", square * Literal(CUBE_SLOPE)
        total = yield "sum", Literal(1) + term
        du = yield "du", total * root
        square_of_t = yield "tt", t * t
        rest = yield "rest", Literal(1) - square_of_t
        half = yield "half", (yield "dt", rest * du) / Literal(2)
        total = yield "total", Literal(1) + t
        factor = yield "factor", total / Literal(2)
        product = yield "product", x[at] * half
        slope = yield "slope", factor + product
        return g[at] * slope

    def check(self, x: Array) -> None:
        xp = namespace(x)
        most = float(xp.finfo(x.dtype if is_float(x) else xp.float64).max)
        what = "The cube of {value} (entry {index}) is larger than any number of type {dtype}."
        refuse(xp.abs(x) > most ** (1 / 3), x, what, hint="Check what made this entry so large, or use gelu.")

    example = Example(
        values([[0.5, -1.2, 0.3], [2.0, 0.1, -0.4]], "token hidden"),
        cotangent=[[0.7, -0.2, 0.4], [-0.5, 0.9, 0.1]],
    )
    more_examples = (
        Example(
            values([[[2.0, -1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch token hidden"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


def _tanh_by_hand(x: Expression, root: Expression) -> Lines:
    cube = yield "cube", hand.power(x, Literal(3))
    cubic = yield "cubic", cube * Literal(CUBE)
    inner = yield "inner", x + cubic
    u = yield "u", inner * root
    return hand.tanh(u)


gelu_tanh = GeluTanh()
