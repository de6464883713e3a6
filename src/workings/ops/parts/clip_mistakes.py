"""What goes wrong with the norm that gradients are clipped by."""

from __future__ import annotations

from ...engine.op import Composite
from ...engine.page import mistake
from ...engine.tensor import Tensor
from ..norm import norm as norm_of


class ClipMistakes(Composite):
    """The gradient is not clipped, or by another norm."""

    @mistake("You did not clip: if the norm exceeds the limit, all entries are scaled down.")
    def forgotten(self, x: Tensor, norm: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You used the squared norm: take its square root first.")
    def squared_norm(self, x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        return self(x, norm * norm, limit=limit, epsilon=epsilon)

    @mistake("You used the norm of this gradient alone: use the global norm of all gradients.")
    def own_norm(self, x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        return self(x, norm_of(x), limit=limit, epsilon=epsilon)

    @mistake("You inverted the fraction: the factor is the limit divided by the norm.")
    def ratio_reversed(self, x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
        return x * ((norm + epsilon) / limit)
