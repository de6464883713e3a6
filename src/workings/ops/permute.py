"""permute: reorders the axes."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.errors import AxisError
from ..engine.form import Form, Layout, position
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .reshape import reshape

Order = tuple[int, ...] | tuple[str, ...]


class Permute(Primitive):
    """Reorders the axes; each entry keeps its index on every axis.

    order: all axes, by name or position, in their new order
    """

    emit = "{0}.transpose({order})"
    view = True

    @formula(r"y_q = x_p, \quad q_n = p_{order_n}")
    def forward(self, x: Array, *, order: tuple[int, ...]) -> Array:
        return namespace(x).permute_dims(x, order)

    def layout(self, x: Form, *, order: tuple[int, ...] | tuple[str, ...]) -> Layout:  # type: ignore[override]
        places = _places(x, order)
        if sorted(places) != list(range(len(x.shape))):
            raise AxisError(
                f"The order {' '.join(map(str, order)) or 'of no axes'} does not name every axis of {x!s} once.",
                hint="Give the names or the positions of all axes, each once.",
            )
        return Layout(x.taking(places), {"order": places})

    @rule("x", r"dx_p = dy_q, \quad q_n = p_{order_n}")
    def dx(self, g: Tensor, x: Tensor, *, order: Order) -> Tensor:
        return permute(g, order=_inverse(_places(x.form, order)))

    derivation = (
        (r"y_q = x_p", "p is the index of an entry of x, one number per axis; q is the same numbers in the new order"),
        (r"dx_p = dy_q", "entries are only moved, so their gradients are moved back, by the inverse order"),
    )

    def by_hand(self, at: Index, x: Paper, *, order: tuple[int, ...]) -> Hand:
        return x[tuple(at[n] for n in _inverse(order))]

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, *, order: tuple[int, ...]) -> Hand:
        return g[tuple(at[n] for n in order)]

    @mistake("You only reshaped: each entry must keep its index on every axis.")
    def reshaped(self, x: Tensor, *, order: Order) -> Tensor:
        form = x.form.taking(_places(x.form, order))
        return reshape(x, shape=form.shape, axes=form.axes)

    @mistake("You inverted the order: it says which old axis moves to each new position.")
    def order_inverted(self, x: Tensor, *, order: Order) -> Tensor:
        return permute(x, order=_inverse(_places(x.form, order)))

    @mistake("You left the axes as they were.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You applied the same order again: the gradient needs the inverse order.", of="x")
    def same_order_again(self, g: Tensor, x: Tensor, *, order: Order) -> Tensor:
        return permute(g, order=_places(x.form, order))

    @mistake("You only reshaped the gradient: its axes must be put back into their old order.", of="x")
    def back_by_reshape(self, g: Tensor, x: Tensor) -> Tensor:
        return reshape(g, shape=x.shape, axes=x.axes)

    example = Example(
        values(
            [[[0.2, -0.5], [1.0, 0.7]], [[0.1, -0.3], [0.4, 0.9]], [[-0.6, 0.8], [0.3, 0.5]]], "token head head_size"
        ),
        order=("head", "head_size", "token"),
        cotangent=[[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]], [[-0.7, 0.9, 0.1], [0.4, -0.2, 0.8]]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch query key"),
            order=(2, 0, -2),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
        Example(
            values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
            order=(1, 0),
            cotangent=[[0.3, 0.6], [-0.8, 0.2], [0.5, -0.4]],
        ),
    )


def _places(form: Form, order: Order) -> tuple[int, ...]:
    """The order as positions, counted from 0."""
    return tuple(position(form, axis) % len(form.shape) for axis in order)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """The order that undoes this one.

    >>> _inverse((1, 2, 0))
    (2, 0, 1)
    """
    return tuple(order.index(n) for n in range(len(order)))


permute = Permute()
