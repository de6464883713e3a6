"""norm: the Euclidean length of one or several tensors together."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Index, indices
from ..engine.hand import Hand, Lines, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .collect import collect
from .dot import dot
from .reshape import reshape
from .sqrt import sqrt


class Norm(Composite):
    """Takes the square root of the sum of all squared entries: the length of all parts together.

    Over the gradients of all weights it is the "global norm", which says how steep the loss is here. It is 0 only if
    every entry is 0; it has no derivative there, so no gradient can flow back.
    """

    @formula(r"y = \sqrt{\sum_n \sum_i parts_{n,i}^2}")
    def forward(self, *parts: Tensor) -> Tensor:
        squares = [together(part, part, "squares") for part in parts]
        return sqrt(collect(*squares, name="total") if len(squares) > 1 else squares[0])

    @rule("parts", r"dparts_{n,i} = dy \, \frac{parts_{n,i}}{y}")
    def dparts(self, g: Tensor, parts: tuple[Tensor, ...], out: Tensor, which: int) -> Tensor:
        return g * (parts[which] / out)

    derivation = (
        (r"y = \sqrt{S}, \quad S = x_1^2 + x_2^2 + \dots + x_n^2", "all entries of all parts in one row"),
        (
            r"\frac{\partial S}{\partial x_k} = 2 \, x_k",
            "only one term of S contains this entry: the derivative of its square",
        ),
        (r"\frac{\partial y}{\partial S} = \frac{1}{2 \, y}", "derivative of a square root"),
        (r"dx_k = dy \, \frac{x_k}{y}", "chain rule: the 2 cancels, so a larger entry changes the length more"),
    )

    def by_hand(self, at: Index, *parts: Paper) -> Lines:
        squares = []
        for n, part in enumerate(parts, 1):
            entries = [part[place] for place in indices(part.shape)]
            squares.append((yield f"squares{n}" if len(parts) > 1 else "squares", hand.dot(entries, entries)))
        total = (yield "total", hand.add(squares)) if len(parts) > 1 else squares[0]
        return hand.root(total)

    def by_hand_dparts(self, at: Index, g: Paper, parts: tuple[Paper, ...], out: Paper, which: int) -> Hand:
        ratio = yield "ratio", parts[which][at] / out[()]
        return g[()] * ratio

    @mistake("You did not take the square root of the sum.")
    def root_forgotten(self, *parts: Tensor) -> Tensor:
        length = norm(*parts)
        return length * length

    @mistake("You added the lengths of the parts: add their squares, and take the root last.")
    def lengths_added(self, *parts: Tensor) -> Tensor:
        return collect(*(norm(part) for part in parts))

    @mistake("You took only the first part: the norm is the length of all parts together.")
    def first_only(self, *parts: Tensor) -> Tensor:
        return norm(parts[0])

    @mistake("You divided the length by the number of entries: a length is not an average.")
    def averaged(self, *parts: Tensor) -> Tensor:
        return norm(*parts) / sum(part.entries for part in parts)

    @mistake("You forgot to divide by the length.", of="parts")
    def gradient_not_divided(self, g: Tensor, which: int, *parts: Tensor) -> Tensor:
        return g * parts[which]

    @mistake("You kept the 2 from the square: it cancels with the 1/2 from the root.", of="parts")
    def two_kept(self, g: Tensor, out: Tensor, which: int, *parts: Tensor) -> Tensor:
        return 2 * (g * (parts[which] / out))

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "model hidden"),
        values([0.4, -0.9], "hidden"),
        cotangent=0.7,
    )
    more_examples = (
        Example(values([0.6, -0.2, 0.3], "model"), cotangent=-0.4),
        Example(
            values([[[0.2, 0.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head model head_size"),
            values(-0.8),
            values([1.2, 0.3, -0.1], "vocab"),
            cotangent=1.3,
        ),
    )


def together(a: Tensor, b: Tensor, name: str) -> Tensor:
    """The sum of the products of all entries, as one number."""
    row = reshape(a, shape=(a.entries,))
    other = row if b is a else reshape(b, shape=(b.entries,))
    return reshape(dot(row, other, axis=-1, name=name), shape=())


norm = Norm()
