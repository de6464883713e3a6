"""sgd: one step of gradient descent."""

from __future__ import annotations

from functools import reduce

from ..engine.arrays import Array, Index
from ..engine.changes import Changes
from ..engine.checks import refuse_other_shape
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .parts.surroundings import first_gradient
from .relu import positive
from .scale import scale


class Sgd(Composite):
    """Moves every weight a small step against its gradient, so that the loss decreases. The learning rate sets the
    step size.
    """

    stage = "update"

    @formula(r"y_{ij} = W_{ij} - rate \cdot dW_{ij}")
    def forward(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return W - scale(dW, factor=rate, name="step")

    @rule("W", r"\frac{\partial L}{\partial W_{ij}} = dy_{ij}")
    def rule_W(self, g: Tensor) -> Tensor:
        return g

    @rule("dW", r"\frac{\partial L}{\partial dW_{ij}} = -rate \cdot dy_{ij}")
    def rule_dW(self, g: Tensor, *, rate: float) -> Tensor:
        return scale(g, factor=-rate)

    derivation = (
        (r"y = W - rate \cdot dW", "one weight; its gradient is treated like any other number here"),
        (r"\frac{\partial y}{\partial W} = 1", "the new weight changes with the old one"),
        (r"\frac{\partial y}{\partial dW} = -rate", "and against the gradient, in proportion to the learning rate"),
    )

    def by_hand(self, at: Index, W: Paper, dW: Paper, *, rate: float) -> Hand:
        step = yield "step", dW[at] * Literal(rate)
        return W[at] - step

    def by_hand_dW(self, at: Index, g: Paper) -> Hand:
        return g[at]

    def by_hand_ddW(self, at: Index, g: Paper, *, rate: float) -> Hand:
        return g[at] * Literal(-rate)

    @mistake("You added the step: the gradient points uphill, so subtract it.")
    def added(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return W + rate * dW

    @mistake("You left out the learning rate: multiply the gradient by it before subtracting.")
    def rate_forgotten(self, W: Tensor, dW: Tensor) -> Tensor:
        return W - dW

    @mistake("You multiplied by the learning rate twice: once is enough.")
    def rate_twice(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return W - rate * (rate * dW)

    @mistake("You multiplied the weight by the learning rate too: multiply only the gradient.")
    def all_scaled(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return rate * (W - dW)

    @mistake("You left out the old weight: subtract the step from it.")
    def weight_forgotten(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return -rate * dW

    @mistake("You gave the step alone: subtract it from the old weight.")
    def only_the_step(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return rate * dW

    @mistake("You used only the sign of the gradient: its size matters too.")
    def sign_only(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return W - rate * (positive(dW) - positive(-dW))

    @mistake("You divided by the learning rate: multiply the gradient by it.")
    def rate_divided(self, W: Tensor, dW: Tensor, *, rate: float) -> Tensor:
        return W - dW / rate

    @mistake("You multiplied by the learning rate: the old weight gets the whole gradient.", of="W")
    def weight_scaled(self, g: Tensor, *, rate: float) -> Tensor:
        return rate * g

    @mistake("You left out the minus sign: the new weight decreases as the gradient increases.", of="dW")
    def sign_forgotten(self, g: Tensor, *, rate: float) -> Tensor:
        return rate * g

    @mistake(
        "You did not reset the gradient (zero_grad): it still contains that of the previous step.",
        surroundings=first_gradient,
    )
    def zero_grad_forgotten(self, W: Tensor, dW: Tensor, earlier: Tensor, *, rate: float) -> Tensor:
        return W - rate * (dW + earlier)

    @mistake("You used the gradient of another weight of the same shape.", across="wire")
    def other_gradient(self, here: Site) -> Changes | None:
        updates = [] if here.is_member() else [site for site in here.others() if site.is_a("sgd")]
        own, alone = here.input("W"), (site for site in updates if not site.is_member())
        other = next((site for site in alone if site.input("W").is_other_weight(own)), None)
        return here.reading(dW=other.input("dW")) if other is not None else None

    @mistake("You divided by the number of tokens: dW already is the gradient of the loss.", across="setting")
    def averaged_over_tokens(self, here: Site) -> Changes | None:
        forms = [site.form for site in here.input("dW").before()] if not here.is_member() else []
        counts = [dict(zip(form.axes, form.shape, strict=True)).get("token", 1) for form in forms]
        tokens = max(counts, default=1)
        return here.with_settings(rate=here.step.settings["rate"] / tokens) if tokens > 1 else None

    @mistake("You used the old weights: after an update, compute everything with the new ones.", across="wire")
    def forward_not_repeated(self, here: Site) -> Changes | None:
        updates = [site for site in here.in_one_go() if site.is_a("sgd") and site.is_weight()]
        if not updates or not here.is_same(updates[-1]):  # it is one mistake, however many weights there are
            return None
        left_out = [site.left_out_for(site.weight_before(), stage="forward") for site in updates]
        made = [changes for changes in left_out if changes is not None]
        return reduce(Changes.and_also, made) if made else None

    def check(self, W: Array, dW: Array, *, rate: float) -> None:
        refuse_other_shape(W, dW)

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values([[0.3, 0.8, -0.6], [-0.4, 0.5, 0.9]], "model hidden"),
        rate=0.1,
        cotangent=[[0.4, -0.7, 0.2], [0.6, 0.9, -0.8]],
    )


sgd = Sgd()
