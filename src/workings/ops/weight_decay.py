"""weight_decay: decoupled weight decay, which shrinks every weight towards 0."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Lines, Literal, Named, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .scale import scale


class WeightDecay(Composite):
    """Shrinks every weight slightly towards 0, in proportion to its size and whatever its gradient."""

    stage = "update"

    @formula(r"y_{ij} = W_{ij} - rate \cdot decay \cdot W_{ij}")
    def forward(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return _pulled(W, rate, decay)

    @rule("W", r"\frac{\partial L}{\partial W_{ij}} = dy_{ij} - rate \cdot decay \cdot dy_{ij}")
    def rule_W(self, g: Tensor, *, rate: float, decay: float) -> Tensor:
        return _pulled(g, rate, decay)

    derivation = (
        (r"y = W - rate \cdot decay \cdot W", "one weight"),
        (r"\frac{\partial y}{\partial W} = 1 - rate \cdot decay", "it shrinks by the same factor, whatever its size"),
    )

    def by_hand(self, at: Index, W: Paper, *, rate: float, decay: float) -> Hand:
        return _pulled_by_hand(at, W, rate, decay)

    def by_hand_dW(self, at: Index, g: Paper, *, rate: float, decay: float) -> Hand:
        return _pulled_by_hand(at, g, rate, decay)

    @mistake("You left out the learning rate: the decay is multiplied by it, like every step.")
    def rate_forgotten(self, W: Tensor, *, decay: float) -> Tensor:
        return W - decay * W

    @mistake("You added the decay: it shrinks the weight, so subtract it.")
    def added(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return W + rate * (decay * W)

    @mistake("You gave the decay alone: subtract it from the weight.")
    def only_the_pull(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return rate * (decay * W)

    @mistake("You left out the decay factor: multiply the weight by it and by the learning rate.")
    def decay_forgotten(self, W: Tensor, *, rate: float) -> Tensor:
        return W - rate * W

    @mistake("You subtracted the same number from every weight: the decay is proportional to the weight.")
    def weight_forgotten(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return W - rate * decay

    @mistake("You doubled the decay, as if it were the coefficient of W² in the loss: here it multiplies W itself.")
    def doubled(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return W - 2 * (rate * (decay * W))

    @mistake(
        "You gave the old weight the whole gradient: the new weight shrinks with it, so multiply the gradient"
        " by the same factor.",
        of="W",
    )
    def gradient_in_full(self, g: Tensor) -> Tensor:
        return 1.0 * g

    def check(self, W: Array, *, rate: float, decay: float) -> None:
        self.not_negative("decay", decay)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        rate=0.1,
        decay=0.2,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )


def _pulled(x: Tensor, rate: float, decay: float) -> Tensor:
    product = scale(x, factor=decay, name="product")
    return x - scale(product, factor=rate, name="step")


def _pulled_by_hand(at: Index, x: Paper, rate: float, decay: float) -> Lines:
    product: Named = yield "product", x[at] * Literal(decay)
    step: Named = yield "step", product * Literal(rate)
    return x[at] - step


weight_decay = WeightDecay()
