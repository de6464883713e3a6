"""dropout: sets random entries to 0 during training."""

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

    `kept` is a random 0/1 mask, drawn anew for each training step: 0 with the probability `rate` (see `Draws.kept`).
    Dividing by 1 - rate preserves the expected value of each entry, so inference simply leaves dropout out.

    rate: the probability of dropping an entry
    """

    @formula(r"y_{ij} = \frac{x_{ij} \, kept_{ij}}{1 - rate}")
    def forward(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        keep_prob = sub(constant_like(1, x), constant_like(rate, x), name="keep_prob")
        return mul(x, kept, name="product") / keep_prob

    @rule("x", r"dx_{ij} = \frac{dy_{ij} \, kept_{ij}}{1 - rate}")
    def dx(self, g: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return dropout(g, kept, rate=rate)

    no_rule = {"kept": "The mask is random, not learned, and there is no small change from 0 to 1."}

    derivation = (
        (r"y = \frac{x \, kept}{1 - rate}", "one entry; kept is 0 or 1, and constant once it is drawn"),
        (r"\frac{\partial y}{\partial x} = \frac{kept}{1 - rate}", "the derivative is 0 for a dropped entry"),
        (r"dx = \frac{dy \, kept}{1 - rate}", "chain rule: the gradient is masked and scaled in the same way"),
    )

    def by_hand(self, at: Index, x: Paper, kept: Paper, *, rate: float) -> Lines:
        keep_prob = yield "keep_prob", Literal(1) - Literal(rate)
        product = yield "product", x[at] * kept[at]
        return product / keep_prob

    def by_hand_dx(self, at: Index, g: Paper, kept: Paper, *, rate: float) -> Hand:
        return (yield from self.by_hand(at, g, kept, rate=rate))

    @mistake("You did not divide by 1 - rate: the kept entries must make up for the dropped ones.")
    def not_divided(self, x: Tensor, kept: Tensor) -> Tensor:
        return x * kept

    @mistake("You multiplied by 1 - rate: divide by it, which makes the kept entries larger.")
    def multiplied(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return x * kept * (1 - rate)

    @mistake("You divided by the dropout rate: divide by the fraction that is kept, 1 - rate.")
    def divided_by_rate(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return x * kept / rate

    @mistake("You inverted the mask: 1 means kept.")
    def exchanged(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return dropout(x, 1 - kept, rate=rate)

    @mistake("You left out dropout, as in inference: during training some entries become 0.")
    def forgotten(self, x: Tensor, kept: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You scaled the entries up but dropped none: where kept is 0, the entry becomes 0.")
    def none_dropped(self, x: Tensor, kept: Tensor, *, rate: float) -> Tensor:
        return x / (1 - rate)

    @mistake("You let the gradient through where the entry was dropped: there it is 0.", of="x")
    def marks_forgotten(self, g: Tensor, *, rate: float) -> Tensor:
        return g / (1 - rate)

    @mistake("You did not scale the gradient: divide it by 1 - rate as well.", of="x")
    def gradient_not_divided(self, g: Tensor, kept: Tensor) -> Tensor:
        return g * kept

    @mistake("You passed the gradient on unchanged: mask and scale it as in the forward pass.", of="x")
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
