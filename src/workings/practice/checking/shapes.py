"""Numbers of another shape than expected: how they may still be the true ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy

from ...engine.arrays import Array
from .relations import TRANSPOSED

MAX_ORDERED_AXES = 4  # whose orders are all tried
MAX_POSITIONS = 16  # along an axis


class OtherShape(NamedTuple):
    """The true numbers in another shape, and what was done to them."""

    name: str  # a candidate is shape.transposed
    array: Array
    hint: str


def other_shapes(truth: Array, axes: tuple[str, ...], shape: tuple[int, ...]) -> Iterator[OtherShape]:
    """The true numbers as they may appear in this shape.

    >>> [found.name for found in other_shapes(numpy.ones((2, 3)), ("query", "key"), (3, 2))]
    ['transposed', 'reshaped']
    """
    every = itertools.chain(_rearranged(truth, axes), _heads_apart(truth, shape), _reshaped(truth, shape))
    yield from (found for found in every if found.array.shape == shape)


def _rearranged(truth: Array, axes: tuple[str, ...]) -> Iterator[OtherShape]:
    words = [word or str(n) for n, word in enumerate(axes)]
    if truth.ndim >= 2:
        yield OtherShape("transposed", numpy.swapaxes(truth, -1, -2), TRANSPOSED)
    for order in itertools.permutations(range(truth.ndim)) if truth.ndim in range(3, MAX_ORDERED_AXES + 1) else ():
        names = " ".join(words[n] for n in order)
        hint = f"They are the true numbers with their axes in another order: {names}."
        yield OtherShape("axes_exchanged", numpy.transpose(truth, order), hint)
    for axis, word in enumerate(words):
        with numpy.errstate(invalid="ignore", over="ignore"):
            for keep in (False, True):
                total, mean = (f"They are the true numbers, {how} along {word}." for how in ("summed", "averaged"))
                if _constant(numpy.sum(truth, axis=axis)):
                    continue  # the rows of every softmax sum to 1: such numbers say nothing about these rows
                yield OtherShape("summed", numpy.sum(truth, axis=axis, keepdims=keep), total)
                yield OtherShape("averaged", numpy.mean(truth, axis=axis, keepdims=keep), mean)
    for axis, word in enumerate(words):
        size = truth.shape[axis]
        for position in range(min(size, MAX_POSITIONS)) if size > 1 else ():
            part = f"They are a part of the true numbers: position {position} along {word}."
            rest = f"They are the true numbers without position {position} along {word}."
            yield OtherShape("one_place", numpy.take(truth, position, axis), part)
            yield OtherShape("one_place", numpy.take(truth, [position], axis), part)
            yield OtherShape("place_missing", numpy.delete(truth, position, axis), rest)


def _constant(values: Array) -> bool:
    return values.size > 1 and bool(numpy.allclose(values, values.flat[0]))


def _heads_apart(truth: Array, shape: tuple[int, ...]) -> Iterator[OtherShape]:
    """The columns of each token cut into heads, with the axis of the heads before or after that of the tokens."""
    if truth.ndim < 2 or len(shape) != truth.ndim + 1:
        return
    width = truth.shape[-1]
    hint = "They are the true numbers, with the heads not merged yet."
    for heads in {shape[-2], shape[-3]}:
        if heads and width % heads == 0:
            cut = numpy.reshape(truth, (*truth.shape[:-1], heads, width // heads))
            yield OtherShape("heads_apart", cut, hint)
            yield OtherShape("heads_apart", numpy.swapaxes(cut, -2, -3), hint)


def _reshaped(truth: Array, shape: tuple[int, ...]) -> Iterator[OtherShape]:
    """The same entries one after the other."""
    if truth.size == int(numpy.prod(shape)):
        hint = "They are the true numbers in the same order, but in rows of another length."
        yield OtherShape("reshaped", numpy.reshape(truth, shape), hint)
