"""merge_heads: concatenates the heads, so that each token has one row."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.errors import AxisError
from ..engine.form import wrong_rank
from ..engine.hand import Hand, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .concat import concat
from .permute import permute
from .reshape import reshape
from .split import split
from .split_heads import split_heads
from .sum import sum
from .take_row import take_row


class MergeHeads(Composite):
    """Concatenates the rows that the heads have for a token: d columns from each head, starting with head 0.

    The axes [head, token, head_size] become [token, model]; the second one may have any name.
    """

    @formula(r"y_{t, h \cdot d + j} = x_{htj}")
    def forward(self, x: Tensor) -> Tensor:
        if "head" in x.axes and x.axes[-3] != "head":
            raise AxisError(
                f"The heads must come before the tokens, but here the axes are {x.form}.",
                hint="Move them there first, with permute.",
            )
        return _in_rows(permute(x, order=(*_lead(x), x.ndim - 2, x.ndim - 3, x.ndim - 1), name="blocks"))

    @rule("x", r"dx_{htj} = dy_{t, h \cdot d + j}")
    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return split_heads(g, heads=x.shape[-3])

    derivation = (
        (r"y_{t, h \cdot d + j} = x_{htj}", "entries are only moved: column j of head h becomes column h d + j"),
        (r"dx_{htj} = dy_{t, h \cdot d + j}", "so the gradients are moved back: each head gets its block of columns"),
    )

    def by_hand(self, at: Index, x: Paper) -> Hand:
        *lead, token, column = at
        head, column = divmod(column, x.shape[-1])
        return x[(*lead, head, token, column)]

    def by_hand_dx(self, at: Index, g: Paper, x: Paper) -> Hand:
        *lead, head, token, column = at
        return g[(*lead, token, head * x.shape[-1] + column)]

    @mistake(
        "You reshaped without transposing: the rows of a head are stored one after the other, so entries of "
        "different tokens end up in one row. Transpose head and token first."
    )
    def reshape_without_transpose(self, x: Tensor) -> Tensor:
        *lead, heads, tokens, size = x.shape
        return reshape(x, shape=(*lead, tokens, heads * size), axes=(*x.axes[:-3], x.axes[-2], "model"))

    @mistake("You interleaved the heads column by column: keep the columns of each head together.")
    def interleaved(self, x: Tensor) -> Tensor:
        return _in_rows(permute(x, order=(*_lead(x), x.ndim - 2, x.ndim - 1, x.ndim - 3)))

    @mistake("You put the last head first: head 0 has the first columns.")
    def heads_reversed(self, x: Tensor) -> Tensor:
        heads = x.shape[-3]
        single = [split(x, sizes=(1,) * heads, part=head, axis=-3) for head in range(heads)]
        return merge_heads(concat(*single[::-1], axis=-3))

    @mistake("You summed the heads: concatenate them, so that each keeps its own columns.")
    def heads_added(self, x: Tensor) -> Tensor:
        return sum(x, axis=-3)

    @mistake("You averaged the heads: concatenate them, so that each keeps its own columns.")
    def heads_averaged(self, x: Tensor) -> Tensor:
        return sum(x, axis=-3) / x.shape[-3]

    @mistake("You kept only the last head: concatenate all heads.")
    def last_head_only(self, x: Tensor) -> Tensor:
        return take_row(x, index=-1, axis=-3)

    @mistake("You repeated the first head: each head has its own block of columns.")
    def first_head_repeated(self, x: Tensor) -> Tensor:
        first = split(x, sizes=(1, x.shape[-3] - 1), part=0, axis=-3)
        return merge_heads(concat(*[first] * x.shape[-3], axis=-3))

    @mistake(
        "You reshaped the gradient without transposing: the columns of one token fill the rows of several.", of="x"
    )
    def back_without_transpose(self, g: Tensor, x: Tensor) -> Tensor:
        return reshape(g, shape=x.shape, axes=x.axes)

    def check(self, x: Array) -> None:
        if x.ndim < 3:
            raise wrong_rank("merge_heads", "three axes or more", x.ndim)

    example = Example(
        values(
            [[[0.2, -0.5], [0.7, 0.1], [-0.6, 0.8]], [[1.0, 0.4], [-0.3, -0.9], [0.3, 0.5]]], "head token head_size"
        ),
        cotangent=[[0.3, -0.7, 0.5, 0.1], [-0.2, 0.6, 0.2, 0.9], [-0.4, 0.8, 0.7, -0.1]],
    )
    more_examples = (
        Example(
            values(
                [[[[0.2], [-0.5]], [[0.7], [0.1]]], [[[1.0], [0.4]], [[-0.3], [-0.9]]]], "batch head query head_size"
            ),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
        Example(
            values([[[0.2, -0.5]], [[1.0, 0.7]], [[0.1, -0.3]]]),
            cotangent=[[0.3, -0.7, 0.5, 0.1, 0.2, 0.9]],
        ),
    )


def _lead(x: Tensor) -> tuple[int, ...]:
    """The positions of the axes before head and token."""
    return tuple(range(x.ndim - 3))


def _in_rows(blocks: Tensor) -> Tensor:
    """The last two axes laid out as one."""
    *rows, heads, size = blocks.shape
    return reshape(blocks, shape=(*rows, heads * size), axes=(*blocks.axes[:-2], "model"))


merge_heads = MergeHeads()
