"""draw_by_share: samples one index of each row from a probability distribution."""

from __future__ import annotations

from ..engine.arrays import Array, dtype_name
from ..engine.checks import refuse
from ..engine.errors import ShapeError
from ..engine.form import wrong_rank
from ..engine.op import Group
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .argmax import argmax
from .cumulative_sum import cumulative_sum
from .first_above import first_above
from .one_hot import one_hot
from .parts.probabilities import refuse_no_distribution
from .pick import pick
from .relu import relu
from .spread import spread
from .sum import sum
from .top_k import top_k


class DrawByShare(Group):
    """Samples one index from each row of probabilities: the first where the cumulative sum exceeds the drawn number.

    The probabilities, side by side, fill the interval from 0 to 1, and the drawn number points at one of them. An index
    of probability 0 takes up no room there, so it is never chosen. `drawn` has one number for each row, from 0 up to,
    but not including, 1 (see `Draws.uniform`). Rounding may leave the last cumulative sum below the drawn number, or
    round the drawn number up to 1: then the last index that increased the cumulative sum is chosen.
    """

    parts = ("running", "place")

    @formula(r"place_i = \min \{ j : \sum_{k \le j} shares_{ik} > drawn_i \}")
    def forward(self, shares: Tensor, drawn: Tensor) -> Tensor:
        return first_above(cumulative_sum(shares, name="running"), drawn, name="place")

    no_rule = {
        "shares": "A small change of the probabilities does not change the index, so its derivative is 0.",
        "drawn": "The number is drawn, not learned, and a small change of it does not change the index.",
    }

    @mistake("You stopped at the last index whose cumulative sum is still below the drawn number: take the next one.")
    def one_too_early(self, shares: Tensor, drawn: Tensor) -> Tensor:
        return relu(draw_by_share(shares, drawn) - 1)

    @mistake("You left each probability out of its own cumulative sum, so you chose a later index.")
    def own_left_out(self, shares: Tensor, drawn: Tensor) -> Tensor:
        return first_above(cumulative_sum(shares) - shares, drawn)

    @mistake("You took the most likely index (greedy decoding): here the drawn number decides.")
    def largest_taken(self, shares: Tensor, drawn: Tensor) -> Tensor:
        return argmax(shares)

    @mistake("You compared each probability by itself with the drawn number: compare the cumulative sum.")
    def not_added_up(self, shares: Tensor, drawn: Tensor) -> Tensor:
        return first_above(shares, drawn)

    @mistake("You sorted the probabilities before summing: sum them in the order of the row.")
    def ordered_by_size(self, shares: Tensor, drawn: Tensor) -> Tensor:
        size = shares.shape[-1]
        order = top_k(shares, k=size)
        marks = one_hot(order, size=size, word=shares.axes[-1], dtype=dtype_name(shares.array))
        rows = spread(shares, drop=(-2,), keep=(), axes=marks.axes, shape=marks.shape)
        return pick(order, first_above(cumulative_sum(sum(marks * rows, axis=-1)), drawn))

    @mistake("You took the probability closest to the drawn number: find where the cumulative sum first exceeds it.")
    def closest_taken(self, shares: Tensor, drawn: Tensor) -> Tensor:
        far = shares - spread(drawn, drop=(-1,), keep=(), axes=shares.axes, shape=shares.shape)
        return argmax(-(far * far))

    def check(self, shares: Array, drawn: Array) -> None:
        if not shares.shape:
            raise wrong_rank("draw_by_share", "one axis or more", 0)
        if shares.shape[:-1] != drawn.shape:
            rows, given = tuple(shares.shape[:-1]), tuple(drawn.shape)
            raise ShapeError(
                f"Each row needs one drawn number: the rows are {rows}, the numbers {given}.",
                hint="Draw as many numbers as there are rows; a single row takes a single number.",
            )
        refuse_no_distribution("shares", shares)
        refuse(
            (drawn < 0) | (drawn > 1),
            drawn,
            "The drawn number {value} (entry {index}) is not between 0 and 1.",
            hint="Draw it with Draws(seed).uniform(...).",
        )

    example = Example(
        values([[0.1, 0.45, 0.25, 0.2], [0.05, 0.15, 0.7, 0.1], [0.3, 0.4, 0.1, 0.2]], "token vocab"),
        values([0.62, 0.13, 0.78], "token"),
    )
    more_examples = (
        Example(values([0.5, 0.2, 0.3], "vocab"), values(0.85)),
        Example(values([0.33, 0.33, 0.33], "vocab"), values(0.995)),
        Example(
            values([[[0.9, 0.1], [0.4, 0.6]], [[0.3, 0.7], [0.5, 0.5]]], "batch token vocab"),
            values([[0.2, 0.7], [0.1, 0.999]], "batch token"),
        ),
    )


draw_by_share = DrawByShare()
