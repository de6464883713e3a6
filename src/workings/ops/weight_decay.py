"""weight_decay: pulling every weight a little towards 0."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.hand import Hand, Lines, Literal, Named, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .scale import scale


class WeightDecay(Composite):
    """Pulls every weight a little towards 0, the more the larger it is, whatever its gradient says."""

    stage = "update"

    @formula(r"y_{ij} = W_{ij} - rate \cdot decay \cdot W_{ij}")
    def forward(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return _pulled(W, rate, decay)

    @rule("W", r"\frac{\partial L}{\partial W_{ij}} = dy_{ij} - rate \cdot decay \cdot dy_{ij}")
    def rule_W(self, g: Tensor, *, rate: float, decay: float) -> Tensor:
        return _pulled(g, rate, decay)

    derivation = (
        (r"y = W - rate \cdot decay \cdot W", "one weight"),
        (r"\frac{\partial y}{\partial W} = 1 - rate \cdot decay", "it shrinks by the same factor, however large it is"),
    )

    def by_hand(self, at: Index, W: Paper, *, rate: float, decay: float) -> Hand:
        return _pulled_by_hand(at, W, rate, decay)

    def by_hand_dW(self, at: Index, g: Paper, *, rate: float, decay: float) -> Hand:
        return _pulled_by_hand(at, g, rate, decay)

    @mistake("You left out the learning rate: the pull is multiplied by it, like every step.")
    def rate_forgotten(self, W: Tensor, *, decay: float) -> Tensor:
        return W - decay * W

    @mistake("You added the pull; it leads towards 0, so it is subtracted.")
    def added(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return W + rate * (decay * W)

    @mistake("You kept only the pull; it is subtracted from the weight.")
    def only_the_pull(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return rate * (decay * W)

    @mistake("You left out the decay: the weight is multiplied by it and by the learning rate.")
    def decay_forgotten(self, W: Tensor, *, rate: float) -> Tensor:
        return W - rate * W

    @mistake("You subtracted the same number from every weight; the pull is proportional to the weight.")
    def weight_forgotten(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return W - rate * decay

    @mistake("You doubled the pull, as if the decay were the factor of W² in the loss; here it is that of W itself.")
    def doubled(self, W: Tensor, *, rate: float, decay: float) -> Tensor:
        return W - 2 * (rate * (decay * W))

    @mistake("The new weight shrinks with the old one: its gradient is pulled in the same way.", of="W")
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
    pull = scale(x, factor=decay, name="pull")
    return x - scale(pull, factor=rate, name="step")


def _pulled_by_hand(at: Index, x: Paper, rate: float, decay: float) -> Lines:
    pull: Named = yield "pull", x[at] * Literal(decay)
    step: Named = yield "step", pull * Literal(rate)
    return x[at] - step


weight_decay = WeightDecay()
