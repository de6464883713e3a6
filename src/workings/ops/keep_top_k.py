"""keep_top_k: marks the k largest entries of each row."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Form, Layout, wrong_rank
from ..engine.hand import Lines, Literal, Paper, is_greater, position
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, values
from ..engine.settings import bad_setting
from ..engine.tensor import Tensor
from .mask import mask
from .relu import positive
from .reshape import reshape
from .row_max import row_max
from .top_k import top_k


class KeepTopK(Primitive):
    """Marks the k largest entries of each row with 1 and the others with 0.

    In a tie, the first entry is kept, so that exactly k are. `mask` reads this 0/1 mask: then the next token is sampled
    from the k most likely ones.

    k: how many entries of a row are kept
    """

    @formula(r"y_{ij} = [rank_{ij} < k], \quad rank_{ij} = \sum_l [x_{il} > x_{ij}] + \sum_{l < j} [x_{il} = x_{ij}]")
    def forward(self, x: Array, *, k: int) -> Array:
        xp: Any = namespace(x)
        ranks = xp.argsort(top_k.forward(x, k=x.shape[-1]), axis=-1)
        return xp.astype(ranks < k, x.dtype)

    def layout(self, x: Form, *, k: int) -> Layout:  # type: ignore[override]
        if not x.shape:
            raise wrong_rank("keep_top_k", "one axis or more", 0)
        if not 1 <= k <= x.shape[-1]:
            raise bad_setting("keep_top_k", "k", k, f"a whole number from 1 to {x.shape[-1]}")
        return Layout(x, {"k": k})

    no_rule = {"x": "A small change of x does not change the mask, so its derivative is 0."}

    def by_hand(self, at: Index, x: Paper, *, k: int) -> Lines:
        row = sorted(x.line(at, -1), key=lambda entry: -entry.value)
        equals = [place for place, entry in enumerate(row) if entry.value == x[at].value]
        crossed = [Literal(place) for place in equals if row[place].index < at]
        rank = yield "rank", position(x[at], row, crossed)
        return is_greater(Literal(k), rank)

    @mistake("You kept one entry too many.")
    def one_too_many(self, x: Tensor, *, k: int) -> Tensor:
        return keep_top_k(x, k=k + 1)

    @mistake("You kept one entry too few.")
    def one_too_few(self, x: Tensor, *, k: int) -> Tensor:
        return keep_top_k(x, k=k - 1)

    @mistake("You kept the smallest entries: keep the largest.")
    def smallest_kept(self, x: Tensor, *, k: int) -> Tensor:
        return keep_top_k(-x, k=k)

    @mistake("You kept the k largest entries of the whole table: keep k of each row.")
    def whole_table(self, x: Tensor, *, k: int) -> Tensor:
        kept = keep_top_k(reshape(x, shape=(x.entries,)), k=k)
        return reshape(kept, shape=x.shape, axes=x.axes)

    @mistake("You kept the entries themselves: mark them with 1.")
    def entries_kept(self, x: Tensor, *, k: int) -> Tensor:
        return x * keep_top_k(x, k=k)

    @mistake("You kept every entry that ties with the last one kept: keep exactly k, the first ones in a tie.")
    def ties_kept(self, x: Tensor, *, k: int) -> Tensor:
        least = -row_max(mask(-x, keep_top_k(x, k=k)))
        return 1 - positive(least - x)

    example = Example(values([[0.9, 1.5, -2.0, 0.3], [0.8, -0.4, 0.8, 0.8]], "token vocab"), k=2)
    more_examples = (
        Example(values([0.2, -0.9, 0.6, 0.1], "vocab"), k=4),
        Example(
            values([[[2.0, 1.5, 0.3], [0.1, 0.4, 0.6]], [[0.7, 0.9, 0.7], [-1.0, 0.6, 0.5]]], "batch token vocab"), k=1
        ),
    )


keep_top_k = KeepTopK()
