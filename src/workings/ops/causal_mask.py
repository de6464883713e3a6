"""causal_mask: each token attends to itself and earlier tokens."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.changes import Changes
from ..engine.checks import refuse_whole
from ..engine.form import form_of, wrong_rank
from ..engine.hand import Hand, Literal, Paper, masked
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .mask import mask


class CausalMask(Composite):
    """Masks the keys of later tokens for each query, so that a model cannot see the tokens that it has to predict.

    Query i attends to keys 0 to i + past. `past` is the number of earlier tokens that have keys here but no queries: 0
    for a whole sequence, and keys minus queries with a KV cache.

    past: the number of earlier tokens that have keys here but no queries
    """

    @formula(r"y_{ij} = \begin{cases} x_{ij} & j \le i + past \\ -\infty & j > i + past \end{cases}")
    def forward(self, x: Tensor, *, past: int = 0) -> Tensor:
        return mask(x, _allow(x, past))

    @rule("x", r"dx_{ij} = dy_{ij} \, [j \le i + past]")
    def dx(self, g: Tensor, *, past: int) -> Tensor:
        return g * _allow(g, past)

    derivation = (
        (r"y = x + M", "one score; M is 0 where the key is not later than the query, else -∞"),
        (r"e^y = e^x \, [j \le i + past]", "e to the power -∞ is 0, so a later key gets the attention weight 0"),
        (
            r"\frac{\partial y}{\partial x} = [j \le i + past]",
            "y changes with a visible score, but not with a masked one",
        ),
        (r"dx = dy \, [j \le i + past]", "so the gradient passes wherever the score did"),
    )

    def by_hand(self, at: Index, x: Paper, *, past: int) -> Hand:
        return masked(Literal(_is_allowed(at, past)), x[at])

    def by_hand_dx(self, at: Index, g: Paper, *, past: int) -> Hand:
        return g[at] * Literal(_is_allowed(at, past))

    @mistake("You masked the token itself as well: each token attends to itself and to all earlier tokens.")
    def itself_hidden(self, x: Tensor, *, past: int) -> Tensor:
        return mask(x, _allow(x, past - 1, first=True))

    @mistake("You let each token attend to the next one: that is the token to be predicted.")
    def one_ahead(self, x: Tensor, *, past: int) -> Tensor:
        return causal_mask(x, past=past + 1)

    @mistake("You masked the earlier tokens: keep the lower triangle and mask the later ones.")
    def upper_triangle(self, x: Tensor, *, past: int) -> Tensor:
        return mask(x, 1 - _allow(x, past - 1))

    @mistake("You ignored the cached tokens: they come before the first query, so it attends to all of their keys.")
    def past_forgotten(self, x: Tensor) -> Tensor:
        return causal_mask(x)

    @mistake("You set the masked score to 0, which softmax still turns into a positive weight: use -∞.")
    def turned_into_zero(self, x: Tensor, *, past: int) -> Tensor:
        return x * _allow(x, past)

    @mistake("You subtracted 1 from the scores of later tokens: only -∞ makes their attention weights 0.")
    def not_infinite(self, x: Tensor, *, past: int) -> Tensor:
        return x - (1 - _allow(x, past))

    @mistake("You added the 0/1 mask to the scores: replace the scores of later tokens by -∞.")
    def marks_added(self, x: Tensor, *, past: int) -> Tensor:
        return x + _allow(x, past)

    @mistake("You let the gradient through where the score is masked: there it is 0.", of="x")
    def gradient_let_through(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You blocked the gradient of the earlier tokens: it passes wherever the score did.", of="x")
    def gradient_upper_triangle(self, g: Tensor, *, past: int) -> Tensor:
        return g * (1 - _allow(g, past - 1))

    @mistake("You set the gradient of a masked score to -∞: nothing flows back there, so it is 0.", of="x")
    def gradient_infinite(self, g: Tensor, *, past: int) -> Tensor:
        return causal_mask(g, past=past)

    @mistake("You left out the causal mask, so each token also attends to later tokens.", across="wire")
    def forgotten(self, here: Site) -> Changes | None:
        return here.left_out_for(here.input("x"))

    def check(self, x: Array, *, past: int) -> None:
        if x.ndim < 2:
            raise wrong_rank("causal_mask", "two axes or more, query and key", x.ndim)
        refuse_whole("x", x)
        self.not_negative("past", past)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8], [0.6, 0.9, -0.7]], "query key"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6], [0.4, -0.2, 0.9]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head query key"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
        Example(
            values([[2.0, 1.5, 0.3, -0.9], [0.1, -0.4, 0.8, 1.2]], "query key"),
            past=2,
            cotangent=[[0.3, -0.7, 0.2, 0.6], [0.5, 0.1, -0.6, -0.8]],
        ),
    )


def _allow(x: Tensor, past: int, first: bool = False) -> Tensor:
    """1 where a query may attend to a key, else 0; `first`: always to the first key, so that no row is empty."""
    xp: Any = namespace(x.array)
    marks = xp.tril(xp.ones(x.shape[-2:], dtype=x.array.dtype), k=past)
    if first:
        marks = xp.concat([xp.ones_like(marks[:, :1]), marks[:, 1:]], axis=-1)
    return Tensor(marks, form_of(x.axes[-2:], x.shape[-2:]), name="allow", leaf="constant")


def _is_allowed(at: Index, past: int) -> int:
    return int(at[-1] <= at[-2] + past)


causal_mask = CausalMask()
