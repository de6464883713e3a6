"""split_heads: splits the columns of each token among the heads."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.changes import Changes
from ..engine.errors import HeadCountError
from ..engine.form import wrong_rank
from ..engine.hand import Hand, Paper
from ..engine.op import OPS, Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .concat import concat
from .parts.attention_wires import heads_ignored
from .permute import permute
from .reshape import reshape
from .split import split


class SplitHeads(Composite):
    """Gives each head a block of d adjacent columns of every token: d is the width divided by the number of heads.

    The axes [token, model] become [head, token, head_size]; the first one may have any name.

    heads: the number of heads
    """

    @formula(r"y_{htj} = x_{t, h \cdot d + j}, \quad d = \frac{width}{heads}")
    def forward(self, x: Tensor, *, heads: int) -> Tensor:
        blocks = reshape(x, shape=_cut(x, heads), axes=(*x.axes[:-1], "head", "head_size"), name="blocks")
        return permute(blocks, order=_exchanged(x.ndim + 1))

    @rule("x", r"dx_{t, h \cdot d + j} = dy_{htj}")
    def dx(self, g: Tensor) -> Tensor:
        return OPS["merge_heads"](g)

    derivation = (
        (
            r"y_{htj} = x_{t, h \cdot d + j}",
            "entries are only moved: column j of head h is column h d + j of the token",
        ),
        (r"dx_{t, h \cdot d + j} = dy_{htj}", "so the gradients are moved back: the heads are concatenated again"),
    )

    def by_hand(self, at: Index, x: Paper, *, heads: int) -> Hand:
        *lead, head, token, column = at
        return x[(*lead, token, head * (x.shape[-1] // heads) + column)]

    def by_hand_dx(self, at: Index, g: Paper) -> Hand:
        *lead, token, column = at
        head, column = divmod(column, g.shape[-1])
        return g[(*lead, head, token, column)]

    @mistake(
        "You reshaped without transposing: the columns of one token fill the rows of several, and each head "
        "mixes entries of different tokens. Split each row into blocks, then transpose token and head."
    )
    def reshape_without_transpose(self, x: Tensor, *, heads: int) -> Tensor:
        *lead, token, size = _cut(x, heads)[:-2] + _cut(x, heads)[-1:]
        axes = (*x.axes[:-2], "head", x.axes[-2], "head_size")
        return reshape(x, shape=(*lead, heads, token, size), axes=axes)

    @mistake("You dealt out the columns one by one: give each head a block of adjacent columns.")
    def interleaved(self, x: Tensor, *, heads: int) -> Tensor:
        *lead, _, size = _cut(x, heads)
        blocks = reshape(x, shape=(*lead, size, heads), axes=(*x.axes[:-1], "head_size", "head"))
        return permute(blocks, order=(*range(x.ndim - 2), x.ndim, x.ndim - 2, x.ndim - 1))

    @mistake("You numbered the heads from the right: head 0 has the first columns.")
    def heads_reversed(self, x: Tensor, *, heads: int) -> Tensor:
        y = split_heads(x, heads=heads)
        single = [split(y, sizes=(1,) * heads, part=head, axis=-3) for head in range(heads)]
        return concat(*single[::-1], axis=-3)

    @mistake("You gave every head the first columns: each has its own block.")
    def first_block_for_all(self, x: Tensor, *, heads: int) -> Tensor:
        first = split(split_heads(x, heads=heads), sizes=(1, heads - 1), part=0, axis=-3)
        return concat(*[first] * heads, axis=-3)

    @mistake(
        "You ignored the heads: each has its own columns and attention weights, and scores scaled by √d_head.",
        across="setting",
    )
    def heads_ignored(self, here: Site) -> Changes | None:
        return heads_ignored(here)

    @mistake("You reshaped the gradient without transposing: entries of different tokens end up in one row.", of="x")
    def back_without_transpose(self, g: Tensor, x: Tensor) -> Tensor:
        return reshape(g, shape=x.shape, axes=x.axes)

    def check(self, x: Array, *, heads: int) -> None:
        if x.ndim < 2:
            raise wrong_rank("split_heads", "two axes or more", x.ndim)
        width = x.shape[-1]
        if heads < 1 or width % heads:
            raise uneven_heads(width, heads)

    example = Example(
        values([[0.2, -0.5, 1.0, 0.4], [0.7, 0.1, -0.3, -0.9], [-0.6, 0.8, 0.3, 0.5]], "token model"),
        heads=2,
        cotangent=[[[0.3, -0.7], [0.5, 0.1], [-0.2, 0.6]], [[0.2, 0.9], [-0.4, 0.8], [0.7, -0.1]]],
    )
    more_examples = (
        Example(
            values([[[0.2, -0.5], [0.7, 0.1]], [[1.0, 0.4], [-0.3, -0.9]]], "batch query model"),
            heads=2,
            cotangent=[[[[0.3], [-0.7]], [[0.5], [0.1]]], [[[0.2], [0.9]], [[-0.4], [0.8]]]],
        ),
        Example(
            values([[0.2, -0.5, 1.0, 0.7, 0.1, -0.3]]),
            heads=3,
            cotangent=[[[0.3, -0.7]], [[0.5, 0.1]], [[0.2, 0.9]]],
        ),
    )


def _cut(x: Tensor, heads: int) -> tuple[int, ...]:
    """The shape in which each row is cut into heads."""
    return (*x.shape[:-1], heads, x.shape[-1] // heads)


def _exchanged(rank: int) -> tuple[int, ...]:
    """The order of the axes in which the third and the second from the right are exchanged."""
    return (*range(rank - 3), rank - 2, rank - 3, rank - 1)


def uneven_heads(width: int, heads: int) -> HeadCountError:
    """A number of heads that does not divide the width; the hint has the next ones that do."""
    fitting = [count for count in range(1, width + 1) if width % count == 0]
    below = [count for count in fitting if count < heads][-1:]
    above = [count for count in fitting if count > heads][:1]
    return HeadCountError(
        f"{width} columns cannot be divided evenly among {heads} heads.",
        hint=f"The number of heads must divide {width}. The nearest that do: "
        f"{' and '.join(str(count) for count in (*below, *above))}.",
    )


split_heads = SplitHeads()
