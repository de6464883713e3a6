"""keep_top_p: marks the most probable entries of each row that together reach p."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Form, Layout, wrong_rank
from ..engine.hand import Lines, Literal, Paper, add, is_greater
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, values
from ..engine.settings import bad_setting
from ..engine.tensor import Tensor
from .cumulative_sum import cumulative_sum
from .keep_top_k import keep_top_k
from .mask import mask
from .parts.probabilities import refuse_no_distribution
from .relu import positive
from .top_k import top_k


class KeepTopP(Primitive):
    """Marks with 1 the smallest set of most probable entries of each row whose sum reaches p, and the others with 0.

    This is nucleus or top-p sampling. The entry that reaches p is kept too, so at least one always is; in a tie, the
    first entry is kept. Other programs do the same: TopPLogitsWarper of Hugging Face transformers also keeps the token
    that crosses p. Write p as 0.9, not as 90.

    p: what the kept entries of a row sum to, at least
    """

    @formula(r"y_{ij} = [before_{ij} < p], \quad before_{ij} = \sum_l shares_{il} \, [rank_{il} < rank_{ij}]")
    def forward(self, shares: Array, *, p: float) -> Array:
        xp: Any = namespace(shares)
        order = top_k.forward(shares, k=shares.shape[-1])
        ranked = xp.take_along_axis(shares, order, axis=-1)
        before = xp.cumulative_sum(ranked, axis=-1, include_initial=True)[..., :-1]
        back = xp.argsort(order, axis=-1)
        return xp.astype(xp.take_along_axis(before, back, axis=-1) < p, shares.dtype)

    def layout(self, shares: Form, *, p: float) -> Layout:  # type: ignore[override]
        if not shares.shape:
            raise wrong_rank("keep_top_p", "one axis or more", 0)
        if not 0 < p <= 1:
            raise bad_setting("keep_top_p", "p", p, "a number above 0 and up to 1")
        return Layout(shares, {"p": p})

    no_rule = {"shares": "A small change of the probabilities does not change the mask, so its derivative is 0."}

    def by_hand(self, at: Index, shares: Paper, *, p: float) -> Lines:
        row = sorted(shares.line(at, -1), key=lambda share: -share.value)
        larger = row[: [share.index for share in row].index(at)]
        if not larger:
            return is_greater(Literal(p), Literal(0))
        if len(larger) == 1:
            return is_greater(Literal(p), larger[0])
        before = yield "before", add(larger)
        return is_greater(Literal(p), before)

    @mistake("You stopped before the sum reached p: keep the entry that reaches it, too.")
    def stopped_before(self, shares: Tensor, *, p: float) -> Tensor:
        kept = keep_top_p(shares, p=p)
        return kept - keep_top_k(mask(-shares, kept), k=1)

    @mistake("You took the probabilities from left to right: take the largest first.")
    def not_sorted(self, shares: Tensor, *, p: float) -> Tensor:
        before = cumulative_sum(shares) - shares
        return positive(p - before)

    @mistake("You kept every probability above p: p is what the sum of the kept ones must reach.")
    def each_above(self, shares: Tensor, *, p: float) -> Tensor:
        return positive(shares - p)

    @mistake("You inverted the mask: 1 marks the entries that together reach p.")
    def rest_kept(self, shares: Tensor, *, p: float) -> Tensor:
        return 1 - keep_top_p(shares, p=p)

    @mistake("You started with the smallest probabilities: take the largest first.")
    def smallest_first(self, shares: Tensor, *, p: float) -> Tensor:
        return 1 - self.stopped_before(shares, p=1 - p)

    @mistake("You kept the probabilities themselves: mark them with 1.")
    def entries_kept(self, shares: Tensor, *, p: float) -> Tensor:
        return shares * keep_top_p(shares, p=p)

    def check(self, shares: Array, *, p: float) -> None:
        refuse_no_distribution("shares", shares)

    example = Example(values([[0.2, 0.45, 0.1, 0.25], [0.05, 0.15, 0.7, 0.1]], "token vocab"), p=0.8)
    more_examples = (
        Example(values([0.2, 0.3, 0.3, 0.2], "vocab"), p=0.7),
        Example(
            values([[[0.9, 0.1], [0.4, 0.6]], [[0.3, 0.7], [0.5, 0.5]]], "batch token vocab"),
            p=0.55,
        ),
    )


keep_top_p = KeepTopP()
