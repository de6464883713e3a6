"""Biases: where one is added, and what goes wrong with the bias and the gradients of a linear layer."""

from __future__ import annotations

from collections.abc import Callable

from ...engine.changes import Changes
from ...engine.op import Composite
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from ..take_row import take_row
from .rows import as_rows

# Of each op that adds a bias: its input for the bias.
BIAS = {"linear": "b", "add": "b"}


def bias_added(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if it adds a bias to every row."""
    bias = here.input("b")
    return {} if bias.is_weight() and len(bias.form.shape) == 1 else None


def other_bias(here: Site) -> Changes | None:
    """The step adds the nearest other bias of the same size."""
    if bias_added(here) is None:
        return None
    biases = (site.input(BIAS[site.step.op_name]) for site in here.others() if site.is_a(*BIAS))
    other = next((site for site in biases if site.is_other_weight(here.input("b"))), None)
    return here.reading(b=other) if other is not None else None


def no_zeros_read(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, unless it reads a ReLU: where the other rows are 0, one row is all there is."""
    return None if here.input("x").is_a("relu") else {}


class LinearMistakes(Composite):
    """Mistakes in a linear layer. A page that extends this reads rows x, a weight W and a bias b."""

    dW: Callable[..., Tensor]  # the rule

    @mistake("You added the bias twice: add it once.")
    def bias_twice(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return self(x, W, b) + b

    @mistake("You added the bias before the product: add it to the result.")
    def bias_first(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return self(x + b.relabeled(x.axes[-1:]), W, 0.0 * b)

    @mistake("You multiplied by the bias: add it.")
    def bias_multiplied(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return self(x, W, 0.0 * b) * b

    @mistake("You gave each row one entry of the bias: each column has one.")
    def bias_along_rows(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        product = self(x, W, 0.0 * b)
        return (product.T + b.relabeled(product.axes[-2:-1])).T

    @mistake("You passed the gradient through unchanged: multiply it by the transposed weight.", of="x")
    def gradient_let_through(self, g: Tensor, x: Tensor) -> Tensor:
        return g.relabeled(x.axes) + 0.0 * x  # they fit if the weight is square

    @mistake(
        "You used the first row only: sum the weight gradients of all rows.",
        of="W",
        surroundings=no_zeros_read,
    )
    def first_row_only(self, g: Tensor, x: Tensor) -> Tensor:
        return self.dW(take_row(as_rows(g), index=0, axis=-2), take_row(as_rows(x), index=0, axis=-2))

    @mistake("You added the bias of another layer: each layer has its own.", across="wire")
    def other_bias(self, here: Site) -> Changes | None:
        return other_bias(here)
