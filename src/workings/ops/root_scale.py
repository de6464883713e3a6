"""divide_by_root: scales attention scores by the square root of the head size."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.changes import Changes
from ..engine.hand import Hand, Literal, Paper, root
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor, constant_like
from .sqrt import sqrt


class DivideByRoot(Composite):
    """Divides every entry by the square root of the same number.

    The dot product of two vectors with d entries typically grows with √d. Dividing by √d keeps attention scores equally
    large for every head size.

    d: the number whose square root divides the entries
    """

    @formula(r"y_{ij} = \frac{x_{ij}}{\sqrt{d}}")
    def forward(self, x: Tensor, *, d: float) -> Tensor:
        return x / sqrt(constant_like(d, x), name="root")

    @rule("x", r"dx_{ij} = \frac{dy_{ij}}{\sqrt{d}}")
    def dx(self, g: Tensor, *, d: float) -> Tensor:
        return divide_by_root(g, d=d)

    derivation = (
        (r"y = \frac{x}{\sqrt{d}}", "one entry; d is a constant"),
        (r"\frac{\partial y}{\partial x} = \frac{1}{\sqrt{d}}", "the derivative is the same for every entry"),
        (r"dx = \frac{dy}{\sqrt{d}}", "chain rule: the gradient is divided by the same root"),
    )

    def by_hand(self, at: Index, x: Paper, *, d: float) -> Hand:
        divisor = yield "root", root(Literal(d))
        return x[at] / divisor

    def by_hand_dx(self, at: Index, g: Paper, *, d: float) -> Hand:
        divisor = yield "root", root(Literal(d))
        return g[at] / divisor

    @mistake("You did not divide: attention scores are scaled by 1/√d.")
    def not_divided(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You divided by d: divide by its square root.")
    def root_forgotten(self, x: Tensor, *, d: float) -> Tensor:
        return x / d

    @mistake("You multiplied by √d: divide by it.")
    def multiplied(self, x: Tensor, *, d: float) -> Tensor:
        return x * sqrt(constant_like(d, x))

    @mistake("You did not divide the gradient: it is divided by √d as well.", of="x")
    def gradient_not_divided(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You multiplied the gradient by √d: divide it, as in the forward pass.", of="x")
    def gradient_multiplied(self, g: Tensor, *, d: float) -> Tensor:
        return g * sqrt(constant_like(d, g))

    @mistake("You divided the gradient by d: divide it by √d, as in the forward pass.", of="x")
    def gradient_root_forgotten(self, g: Tensor, *, d: float) -> Tensor:
        return g / d

    @mistake(
        "You divided by √d_model, the width of the model: divide the scores of a head by √d_head, the size of a head.",
        across="setting",
    )
    def root_of_model(self, here: Site) -> Changes | None:
        widths = (site.form.shape[-1] for site in here.before() if site.form.axes[-1:] == ("model",))
        width = next(widths, here.step.settings["d"])
        return here.with_settings(d=width) if width != here.step.settings["d"] else None

    @mistake(
        "You used the number of keys: divide by √d, where d is the number of terms in each dot product.",
        across="setting",
    )
    def root_of_keys(self, here: Site) -> Changes | None:
        keys = here.form.shape[-1] if here.form.axes[-1:] == ("key",) else here.step.settings["d"]
        return here.with_settings(d=keys) if keys != here.step.settings["d"] else None

    @mistake("You used the number of heads: divide the scores by √d_head, the size of a head.", across="setting")
    def root_of_heads(self, here: Site) -> Changes | None:
        heads = dict(zip(here.form.axes, here.form.shape, strict=True)).get("head", 1)
        return here.with_settings(d=heads) if heads not in (1, here.step.settings["d"]) else None

    def check(self, x: Array, *, d: float) -> None:
        self.positive("d", d)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
        d=3,
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head query key"),
            d=64,
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


divide_by_root = DivideByRoot()
