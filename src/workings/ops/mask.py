"""mask: masks scores, so that softmax gives them the weight 0."""

from __future__ import annotations

import math
from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.checks import refuse_unmarked, refuse_whole
from ..engine.form import Form, Layout, elementwise, wrong_rank
from ..engine.hand import Hand, Paper, masked
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .softmax import refuse_masked_rows


class MaskOp(Primitive):
    """Keeps the scores that are allowed (1) and replaces all others (0) by -∞, which softmax turns into the weight 0.

    Each row, along the last axis, must have at least one allowed score.
    """

    # Adding -0.0 changes nothing, not even the sign of a 0.
    emit = "add({0}, where({1} != 0, {0}.dtype.type(-0.0), {0}.dtype.type(-inf)), {out})"

    @formula(r"y_{ij} = \begin{cases} x_{ij} & allow_{ij} = 1 \\ -\infty & allow_{ij} = 0 \end{cases}")
    def forward(self, x: Array, allow: Array) -> Array:
        xp: Any = namespace(x)
        return xp.where(allow != 0, x, xp.asarray(-math.inf, dtype=x.dtype))

    def layout(self, x: Form, allow: Form) -> Layout:  # type: ignore[override]
        if not allow.shape:
            raise wrong_rank("mask", "one axis or more", 0)
        form, broadcast = elementwise(x, allow)
        return Layout(form, {}, broadcast)

    @rule("x", r"dx_{ij} = dy_{ij} \, allow_{ij}")
    def dx(self, g: Tensor, allow: Tensor) -> Tensor:
        return g * allow

    no_rule = {"allow": "The mask is fixed: there is no small change from 0 to 1."}

    derivation = (
        (r"y = x + M", "one score; M is 0 where it is allowed, else -∞, and any number plus -∞ is -∞"),
        (r"e^y = e^x \, allow", "in softmax, e to the power -∞ is 0, so a masked score gets no weight"),
        (r"\frac{\partial y}{\partial x} = 1", "an allowed score is kept, so y changes with it"),
        (r"\frac{\partial y}{\partial x} = 0", "where it is masked, y stays -∞, whatever x does"),
        (r"dx = dy \, allow", "so the gradient passes wherever the score did"),
    )

    def by_hand(self, at: Index, x: Paper, allow: Paper) -> Hand:
        return masked(allow[at], x[at])

    def by_hand_dx(self, at: Index, g: Paper, allow: Paper) -> Hand:
        return g[at] * allow[at]

    @mistake("You set the masked score to 0, which softmax still turns into a positive weight: use -∞.")
    def turned_into_zero(self, x: Tensor, allow: Tensor) -> Tensor:
        return x * allow

    @mistake("You inverted the mask: 1 means allowed.")
    def exchanged(self, x: Tensor, allow: Tensor) -> Tensor:
        return mask(x, 1 - allow)

    @mistake("You left out the mask, so every score counts.")
    def forgotten(self, x: Tensor, allow: Tensor) -> Tensor:
        return x + 0.0 * allow

    @mistake("You subtracted 1 from the masked scores: only -∞ gives them the weight 0.")
    def not_infinite(self, x: Tensor, allow: Tensor) -> Tensor:
        return x - (1 - allow)

    @mistake("You added the 0/1 mask to the scores: replace the scores that are not allowed by -∞.")
    def marks_added(self, x: Tensor, allow: Tensor) -> Tensor:
        return x + allow

    @mistake("You let the gradient through where the score is masked: there it is 0.", of="x")
    def gradient_let_through(self, g: Tensor, allow: Tensor) -> Tensor:
        return g + 0.0 * allow

    @mistake("You blocked the gradient of the allowed scores: it passes wherever the score did.", of="x")
    def gradient_exchanged(self, g: Tensor, allow: Tensor) -> Tensor:
        return g * (1 - allow)

    @mistake("You set the gradient of a masked score to -∞: nothing flows back there, so it is 0.", of="x")
    def gradient_infinite(self, g: Tensor, allow: Tensor) -> Tensor:
        return mask(g, allow)

    def check(self, x: Array, allow: Array) -> None:
        refuse_whole("x", x)
        refuse_unmarked("allow", allow)
        refuse_masked_rows(namespace(allow).max(allow, axis=-1) == 0)

    example = Example(
        values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
        values([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], "query key"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (
        Example(
            values([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key"),
            values([1.0, 1.0, 0.0], "key"),
            cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
        ),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head query key"),
            values([[1.0, 0.0], [1.0, 1.0]], "query key"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


mask = MaskOp()
