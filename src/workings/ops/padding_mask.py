"""padding_mask: no token attends to padding."""

from __future__ import annotations

import math
from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.changes import Changes
from ..engine.checks import refuse_unmarked, refuse_whole
from ..engine.errors import ShapeError
from ..engine.form import elementwise, wrong_rank
from ..engine.hand import Hand, Paper, masked
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .mask import mask
from .softmax import refuse_masked_rows
from .spread import spread
from .take_row import take_row


class PaddingMask(Composite):
    """Masks the keys that are only padding, for every query and every head.

    The texts of a batch are padded to the same length. `keep` is 1 for a token and 0 for padding, one number for each
    key of each text. Queries that are padding are not masked: their output is not used.
    """

    @formula(r"y_{bij} = \begin{cases} x_{bij} & keep_{bj} = 1 \\ -\infty & keep_{bj} = 0 \end{cases}")
    def forward(self, x: Tensor, keep: Tensor) -> Tensor:
        return mask(x, _allow(x, keep))

    @rule("x", r"dx_{bij} = dy_{bij} \, keep_{bj}")
    def dx(self, g: Tensor, keep: Tensor) -> Tensor:
        return g * _allow(g, keep)

    no_rule = {"keep": "The padding is given: there is no small change from 0 to 1."}

    derivation = (
        (r"y = x + M", "one score; M is 0 where its key is a token, and -∞ where it is padding"),
        (r"e^y = e^x \, keep", "e to the power -∞ is 0, so padding gets the attention weight 0"),
        (
            r"\frac{\partial y_{bij}}{\partial x_{bij}} = keep_{bj}",
            "y changes with a visible score, but not with a masked one",
        ),
        (r"dx_{bij} = dy_{bij} \, keep_{bj}", "so the gradient passes wherever the score did"),
    )

    def by_hand(self, at: Index, x: Paper, keep: Paper) -> Hand:
        return masked(keep[_mark(at, keep)], x[at])

    def by_hand_dx(self, at: Index, g: Paper, keep: Paper) -> Hand:
        return g[at] * keep[_mark(at, keep)]

    @mistake("You masked the queries that are padding: mask the keys, so that no query attends to padding.")
    def queries_hidden(self, x: Tensor, keep: Tensor) -> Tensor:
        xp: Any = namespace(keep.array)
        allow = spread(keep, drop=(*_between(x, keep)[:-1], -1), keep=(), axes=x.axes, shape=x.shape)
        nothing = xp.zeros_like(allow.array)
        return x + Tensor(xp.where(allow.array != 0, nothing, nothing - math.inf), allow.form, leaf="constant")

    @mistake("You used the padding of the first text for the whole batch: each text has its own.")
    def first_for_all(self, x: Tensor, keep: Tensor) -> Tensor:
        return padding_mask(x, take_row(keep, index=0))

    @mistake("You inverted the mask: 1 means token, 0 means padding.")
    def exchanged(self, x: Tensor, keep: Tensor) -> Tensor:
        return padding_mask(x, 1 - keep)

    @mistake("You set the masked score to 0, which softmax still turns into a positive weight: use -∞.")
    def turned_into_zero(self, x: Tensor, keep: Tensor) -> Tensor:
        return x * _allow(x, keep)

    @mistake("You subtracted 1 from the scores of padding: only -∞ makes their attention weights 0.")
    def not_infinite(self, x: Tensor, keep: Tensor) -> Tensor:
        return x - (1 - _allow(x, keep))

    @mistake("You added the 0/1 mask to the scores: replace the scores of padding by -∞.")
    def marks_added(self, x: Tensor, keep: Tensor) -> Tensor:
        return x + _allow(x, keep)

    @mistake("You let the gradient through where the score is masked: there it is 0.", of="x")
    def gradient_let_through(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You blocked the gradient of the tokens: it passes wherever the score did.", of="x")
    def gradient_exchanged(self, g: Tensor, keep: Tensor) -> Tensor:
        return g * (1 - _allow(g, keep))

    @mistake("You set the gradient of a masked score to -∞: nothing flows back there, so it is 0.", of="x")
    def gradient_infinite(self, g: Tensor, keep: Tensor) -> Tensor:
        return padding_mask(g, keep)

    @mistake("You left out the padding mask, so the tokens also attend to padding.", across="wire")
    def forgotten(self, here: Site) -> Changes | None:
        return here.left_out_for(here.input("x"))

    def check(self, x: Array, keep: Array) -> None:
        if not 0 < keep.ndim <= x.ndim:
            raise wrong_rank("padding_mask", "one mark for each key", keep.ndim)
        refuse_whole("x", x)
        refuse_unmarked("keep", keep)
        refuse_masked_rows(namespace(keep).max(keep, axis=-1) == 0)

    example = Example(
        values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch query key"),
        values([[1.0, 1.0], [1.0, 0.0]], "batch key"),
        cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
    )
    more_examples = (
        Example(
            values(
                [[[[2.0, 1.5, 0.3]], [[0.1, -0.4, 0.8]]], [[[0.7, 0.2, -0.5]], [[-1.0, 0.6, 0.9]]]],
                "batch head query key",
            ),
            values([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], "batch key"),
            cotangent=[[[[0.3, -0.7, 0.4]], [[0.5, 0.1, -0.6]]], [[[0.2, 0.9, -0.3]], [[-0.4, 0.8, 0.7]]]],
        ),
        Example(
            values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
            values([0.0, 1.0, 1.0], "key"),
            cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
        ),
    )


def _allow(x: Tensor, keep: Tensor) -> Tensor:
    """The marks, repeated for every query, and for every head if there are any."""
    rows = x.form.taking([*range(keep.ndim - 1), x.ndim - 1])
    elementwise(rows, keep.form)  # refuses words that do not agree
    if rows.shape != keep.shape:
        raise ShapeError(
            f"The marks are {keep.form}, but the keys are {rows}.", hint="Give one mark for each key of each text."
        )
    return spread(keep, drop=_between(x, keep), keep=(), axes=x.axes, shape=x.shape, name="allow")


def _between(x: Tensor, keep: Tensor) -> tuple[int, ...]:
    """The axes of x between those of the batch and the keys, which the marks do not have."""
    return tuple(range(keep.ndim - 1 - x.ndim, -1))


def _mark(at: Index, keep: Paper) -> Index:
    return (*at[: len(keep.shape) - 1], at[-1])


padding_mask = PaddingMask()
