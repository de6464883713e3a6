"""transpose: rows become columns."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.form import Form, Layout, wrong_rank
from ..engine.hand import Hand, Paper
from ..engine.op import OPS, Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Transpose(Primitive):
    """Swaps the last two axes: rows become columns and columns become rows."""

    view = True

    @formula(r"y_{ji} = x_{ij}")
    def forward(self, x: Array) -> Array:
        return x.mT

    def layout(self, x: Form) -> Layout:  # type: ignore[override]
        if len(x.shape) < 2:
            raise wrong_rank("transpose", "two axes or more", len(x.shape))
        return Layout(x.taking((*range(len(x.shape) - 2), -1, -2)), {})

    def own_name(self, first: str) -> str:
        return f"{first}_T"

    def source(self, x: Form) -> str:  # type: ignore[override]
        return "{0}.T" if len(x.shape) == 2 else "{0}.swapaxes(-1, -2)"

    @rule("x", r"dx_{ij} = dy_{ji}")
    def dx(self, g: Tensor) -> Tensor:
        return transpose(g)

    derivation = (
        (r"y_{ji} = x_{ij}", "entries are only moved"),
        (r"dx_{ij} = dy_{ji}", "so their gradients are moved back: transpose once more"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        return x[(*at[:-2], at[-1], at[-2])]

    def by_hand_dx(self, at: Index, g: Paper) -> Hand:
        return g[(*at[:-2], at[-1], at[-2])]

    @mistake("You left the matrix as it was: its rows must become columns.")
    def forgotten(self, x: Tensor) -> Tensor:
        return 1.0 * x

    @mistake("You reversed the order of the rows: transposing swaps rows and columns.")
    def flipped(self, x: Tensor) -> Tensor:
        count = x.size(-2)
        rows = [OPS["split"](x, sizes=(1,) * count, part=n, axis=-2) for n in range(count)]
        return OPS["concat"](*rows[::-1], axis=-2)

    @mistake("You did not transpose the gradient: it must be transposed back.", of="x")
    def not_transposed_back(self, g: Tensor) -> Tensor:
        return 1.0 * g

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
        cotangent=[[0.3, 0.6], [-0.8, 0.2], [0.5, -0.4]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head token head_size"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


transpose = Transpose()
