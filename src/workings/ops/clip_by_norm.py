"""clip_by_norm: gradient clipping by the global norm."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias

from ..engine import hand
from ..engine.arrays import Array, Index, indices
from ..engine.checks import refuse
from ..engine.form import wrong_rank
from ..engine.hand import Expression, Hand, Lines, Literal, Named, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .at_most import at_most
from .div import div, refuse_division_by_zero
from .norm import together
from .parts.clip_mistakes import ClipMistakes
from .relu import positive

_Ratio: TypeAlias = Generator[tuple[str, Expression], Named, tuple[Expression, Named]]


class ClipByNorm(ClipMistakes):
    """Scales x down if the norm exceeds the limit; otherwise x stays as it is.

    The norm is usually the global norm of all gradients, of which x is one: all are scaled by the same factor, so the
    step gets shorter but keeps its direction. A norm of 0 is refused, because it would be divided by; adding a small
    epsilon prevents that (PyTorch's clip_grad_norm_ adds 1e-6).

    limit: the largest norm that is not scaled down
    """

    @formula(r"y_{ij} = x_{ij} \cdot \min \left( 1, \frac{limit}{norm + epsilon} \right)")
    def forward(self, x: Tensor, norm: Tensor, *, limit: float, epsilon: float = 0.0) -> Tensor:
        ratio = div(constant_like(limit, norm), _length(norm, epsilon), name="ratio")
        return x * at_most(ratio, limit=1, name="factor")

    @rule("x", r"dx_{ij} = dy_{ij} \cdot \min \left( 1, \frac{limit}{norm + epsilon} \right)")
    def dx(self, g: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        return clip_by_norm(g, norm, limit=limit, epsilon=epsilon)

    @rule(
        "norm",
        r"dnorm = -\frac{r \, [r < 1]}{norm + epsilon} \sum_k dy_k \, x_k, \quad r = \frac{limit}{norm + epsilon}",
    )
    def dnorm(self, g: Tensor, x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        length = _length(norm, epsilon)
        ratio = div(constant_like(limit, norm), length, name="ratio")
        slope = div(ratio * positive(1 - ratio), length, name="slope")
        return -(together(g, x, "products") * slope)

    derivation = (
        (r"y = x \cdot f, \quad f = \min(1, r), \quad r = \frac{limit}{norm + epsilon}", "one entry"),
        (r"\frac{\partial y}{\partial x} = f", "every entry is multiplied by the same factor"),
        (
            r"\frac{\partial r}{\partial norm} = -\frac{r}{norm + epsilon}",
            "the quotient decreases as the norm increases",
        ),
        (r"\frac{\partial f}{\partial norm} = -\frac{r}{norm + epsilon} \, [r < 1]", "a factor of 1 is constant"),
        (
            r"dnorm = \frac{\partial f}{\partial norm} \sum_k dy_k \, x_k",
            "the factor affects the loss through every entry",
        ),
    )

    def by_hand(self, at: Index, x: Paper, norm: Paper, *, limit: float, epsilon: float) -> Lines:
        _, ratio = yield from _ratio(norm, limit, epsilon)
        factor = yield "factor", hand.smallest((Literal(1), ratio))
        return x[at] * factor

    def by_hand_dx(self, at: Index, g: Paper, norm: Paper, *, limit: float, epsilon: float) -> Hand:
        return (yield from self.by_hand(at, g, norm, limit=limit, epsilon=epsilon))

    def by_hand_dnorm(self, at: Index, g: Paper, x: Paper, norm: Paper, *, limit: float, epsilon: float) -> Hand:
        length, ratio = yield from _ratio(norm, limit, epsilon)
        below = yield "difference", Literal(1) - ratio
        active = yield "active", hand.chosen(hand.is_greater(below, Literal(0)), ratio)
        slope = yield "slope", active / length
        places = list(indices(x.shape))
        products = yield "products", hand.dot([g[place] for place in places], [x[place] for place in places])
        product = yield "product", products * slope
        return -product

    @mistake("You scaled without comparing: a norm below the limit must not be scaled up.")
    def always_scaled(self, x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        return x * (constant_like(limit, norm) / _length(norm, epsilon))

    @mistake("You clipped each entry at the limit: multiply all entries by the same factor.")
    def entries_cut(self, x: Tensor, norm: Tensor, *, limit: float) -> Tensor:
        return -at_most(-at_most(x, limit=limit), limit=limit)

    @mistake("You forgot to multiply by the limit: the clipped norm is the limit, not 1.")
    def limit_forgotten(self, x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        return clip_by_norm(x, norm, limit=1.0, epsilon=epsilon)

    @mistake("You did not scale the gradient: it is multiplied by the same factor.", of="x")
    def not_shrunk(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You left out the minus sign: the factor decreases as the norm increases.", of="norm")
    def sign_forgotten(self, g: Tensor, x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        return -self.dnorm(g, x, norm, limit=limit, epsilon=epsilon)

    def check(self, x: Array, norm: Array, *, limit: float, epsilon: float) -> None:
        self.positive("limit", limit)
        self.not_negative("epsilon", epsilon)
        if norm.shape:
            raise wrong_rank("clip_by_norm", "no axes (the norm is one number)", norm.ndim)
        refuse(
            norm < 0,
            norm,
            "The norm is {value}, but a length is never below 0.",
            hint="Give the norm of all gradients together, as norm computes it.",
        )
        refuse_division_by_zero(norm + epsilon)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values(2.5),
        limit=0.5,
        cotangent=[[0.3, -0.8, -0.5], [0.6, 0.2, -0.4]],
    )
    more_examples = (
        Example(values([0.2, -0.5, 0.4], "model"), values(0.7), limit=0.9, cotangent=[0.3, -0.8, 0.5]),
        Example(
            values([[[0.2, 0.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head model head_size"),
            values(1.9),
            limit=1.2,
            epsilon=0.01,
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


def _length(norm: Tensor, epsilon: float) -> Tensor:
    """What the limit is divided by."""
    return norm + epsilon if epsilon else norm


def _ratio(norm: Paper, limit: float, epsilon: float) -> _Ratio:
    """The same by hand, and the limit divided by it."""
    length: Expression = (yield "length", norm[()] + Literal(epsilon)) if epsilon else norm[()]
    return length, (yield "ratio", Literal(limit) / length)


clip_by_norm = ClipByNorm()
