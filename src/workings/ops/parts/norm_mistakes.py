"""What goes wrong in a norm, whether or not it subtracts the mean: the mistakes that the pages of the norms share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...engine.changes import Changes
from ...engine.op import Composite
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from .row_norms import Rows


class NormMistakes(Composite):
    """A page says what its rows are divided by, and how the gradient of the normalized rows flows back to x."""

    rows: ClassVar[Callable[..., Rows]]
    rows_back: ClassVar[Callable[..., Tensor]]

    @mistake("You forgot epsilon, which is added so that nothing is divided by 0.")
    def epsilon_forgotten(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        return self(x, *weights, **{**settings, "epsilon": 0.0})

    @mistake("You normalized each column, over the tokens; each token is normalized by itself, over its row.")
    def columns(self, x: Tensor, gamma: Tensor, *beta: Tensor, **settings: Any) -> Tensor:
        scaled = self.rows(x.T, **settings).normalised.T * gamma
        return scaled + beta[0] if beta else scaled

    @mistake("You forgot gamma, which scales each column of the result.")
    def gamma_forgotten(self, x: Tensor, gamma: Tensor, *beta: Tensor, **settings: Any) -> Tensor:
        return self(x, 0.0 * gamma + 1.0, *beta, **settings)

    @mistake("You only divided the gradient; x also moves the numbers that its row is normalized with.", of="x")
    def direct_way(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        return g * gamma / self.rows(x, **settings).divisor

    @mistake("You forgot gamma: the gradient is multiplied by it before it reaches the normalized row.", of="x")
    def gradient_without_gamma(self, g: Tensor, x: Tensor, **settings: Any) -> Tensor:
        return self.rows_back(g, x, **settings)

    @mistake("You multiplied by x; gamma is multiplied by the normalized entry.", of="gamma")
    def not_normalised(self, g: Tensor, x: Tensor) -> Tensor:
        return g * x

    @mistake("You left out the norm: the next step reads the rows as they were.", across="wire")
    def left_out(self, here: Site) -> Changes | None:
        return here.left_out_for(here.input("x"))

    @mistake("You used the weights of another norm; each norm has its own.", across="wire")
    def weights_of_another_norm(self, here: Site) -> Changes | None:
        own = here.input("gamma")
        norms = (site for site in here.others() if site.is_a(here.step.op_name))
        other = next((norm for norm in norms if norm.input("gamma").is_other_weight(own)), None)
        if other is None:
            return None
        return here.reading(**{name: weight for name, weight in other.inputs() if name != "x"})
