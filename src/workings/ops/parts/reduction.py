"""Reduction: one number out of the losses at all positions. What the pages of the losses have in common."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...engine import hand
from ...engine.arrays import Index, brackets, indices
from ...engine.hand import Expression, Lines, Literal, Named
from ...engine.tensor import Tensor
from ..mean import mean
from ..sum import sum

REDUCTIONS = ("mean", "sum")


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """The mean or the sum of all losses; a single loss is that number already."""
    if not losses.ndim:
        return losses
    return mean(losses) if reduction == "mean" else sum(losses)


def reduced_by_hand(loss: Callable[[Index], Lines], shape: Index, reduction: str) -> Lines:
    """The same by hand; `loss` computes the loss at one position."""
    if not shape:
        return (yield from loss(()))
    losses: list[Named] = []
    for at in indices(shape):
        losses.append((yield f"loss{brackets(at)}", (yield from loss(at))))
    if reduction == "sum":
        return hand.add(losses)
    total = yield "sum", hand.add(losses)
    return total / Literal(len(losses))


def weighted(g: Tensor, slope: Tensor, positions: Tensor, reduction: str) -> Tensor:
    """The gradient times the derivative of the loss at each position; a mean counts each for one part in n."""
    return g * (slope / positions.entries if reduction == "mean" and positions.ndim else slope)


def weighted_by_hand(g: Expression, slope: Named, shape: Index, reduction: str) -> Lines:
    """The same by hand, for one entry of the derivative; `shape` is that of the positions."""
    if reduction == "mean" and shape:
        slope = yield "scaled", slope / Literal(math.prod(shape))
    return g * slope


def other(reduction: str) -> str:
    """What a reduction is mixed up with."""
    return "sum" if reduction == "mean" else "mean"
