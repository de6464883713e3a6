"""dropout: sets random entries to 0 while a model is trained."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.checks import refuse_other_shape, refuse_unmarked
from ..engine.hand import Hand, Lines, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .mul import mul
from .sub import sub


class Dropout(Composite):
    """Sets the entries that are not kept to 0, and scales up the others.

    `kept` is drawn again for each training step: 0 with the probability `rate`, else 1 (see `Draws.kept`).
    Divided by 1 - rate, an entry has the same size on average as without dropout. So inference
    changes nothing: it only leaves dropout out.

    rate: the probability with which an entry is left out
    """

    @formula(r"y_{ij} = \frac{x_{ij} \, kept_{ij}}{1 - rate}")
    def forward(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        share = sub(constant_like(1, x), constant_like(rate, x), name="share")
        return mul(x, kept, name="product") / share

    @rule("x", r"dx_{ij} = \frac{dy_{ij} \, kept_{ij}}{1 - rate}")
    def dx(self, g: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return dropout(g, kept, rate=rate)

    no_rule = {"kept": "The marks are drawn, not learned: there is no small change from 0 to 1."}

    derivation = (
        (r"y = \frac{x \, kept}{1 - rate}", "one entry; kept is 0 or 1, and fixed once it is drawn"),
        (r"\frac{\partial y}{\partial x} = \frac{kept}{1 - rate}", "the slope is 0 for a dropped entry"),
        (r"dx = \frac{dy \, kept}{1 - rate}", "chain rule: the gradient goes through the same marks"),
    )

    def by_hand(self, at: Index, x: Paper, kept: Paper, *, rate: float) -> Lines:
        share = yield "share", Literal(1) - Literal(rate)
        product = yield "product", x[at] * kept[at]
        return product / share

    def by_hand_dx(self, at: Index, g: Paper, kept: Paper, *, rate: float) -> Hand:
        return (yield from self.by_hand(at, g, kept, rate=rate))

    @mistake("You did not divide by 1 - rate: the kept entries must make up for the dropped ones.")
    def not_divided(self, x: Tensor, kept: Tensor) -> Tensor:
        return x * kept

    @mistake("You multiplied by 1 - rate; the kept entries are divided by it, which makes them larger.")
    def multiplied(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return x * kept * (1 - rate)

    @mistake("You divided by the rate; divide by the fraction that is kept, 1 - rate.")
    def divided_by_rate(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return x * kept / rate

    @mistake("You kept the entries to drop: 1 means kept.")
    def exchanged(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return dropout(x, 1 - kept, rate=rate)

    @mistake("You left out dropout, as in inference; in training some entries become 0.")
    def forgotten(self, x: Tensor, kept: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You scaled the entries up and dropped none: where kept is 0, the entry becomes 0.")
    def none_dropped(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return x / (1 - rate)

    @mistake("You let the gradient through where the entry was dropped; there it is 0.", of="x")
    def marks_forgotten(self, g: Tensor, *, rate: float) -> Tensor:
        return g / (1 - rate)

    @mistake("The gradient is divided by 1 - rate as well.", of="x")
    def gradient_not_divided(self, g: Tensor, kept: Tensor) -> Tensor:
        return g * kept

    @mistake("You passed the gradient on unchanged; it must be masked and scaled like the forward pass.", of="x")
    def gradient_let_through(self, g: Tensor) -> Tensor:
        return 1.0 * g

    def check(self, x: Array, kept: Array, *, rate: float) -> None:
        self.below_one("rate", rate)
        refuse_other_shape(x, kept)
        refuse_unmarked("kept", kept)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
        values([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], "token model"),
        rate=0.2,
        cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]],
    )
    more_examples = (
        Example(
            values([[[0.2, 0.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head query key"),
            values([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 1.0]]], "head query key"),
            rate=0.3,
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


dropout = Dropout()
