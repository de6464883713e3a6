"""Numbers of another shape than asked: what they may be all the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy

from ...engine.arrays import Array

MOST_AXES = 4  # whose orders are all tried


def other_shapes(truth: Array, axes: tuple[str, ...]) -> Iterator[tuple[str, Array, Mapping[str, str]]]:
    """The true numbers as somebody may have them in another shape: a name, the array, and values for the sentence.

    >>> [name for name, array, _ in other_shapes(numpy.ones((2, 3)), ("query", "key")) if array.shape == (3, 2)]
    ['transposed']
    """
    words = [word or str(n) for n, word in enumerate(axes)]
    if truth.ndim >= 2:
        yield "transposed", numpy.swapaxes(truth, -1, -2), {}
    for order in itertools.permutations(range(truth.ndim)) if truth.ndim in range(3, MOST_AXES + 1) else ():
        yield "axes_exchanged", numpy.transpose(truth, order), {"order": " ".join(words[n] for n in order)}
    for axis, word in enumerate(words):
        with numpy.errstate(invalid="ignore", over="ignore"):
            for keep in (False, True):
                yield "summed", numpy.sum(truth, axis=axis, keepdims=keep), {"axis": word}
                yield "averaged", numpy.mean(truth, axis=axis, keepdims=keep), {"axis": word}
    for axis, word in enumerate(words):
        for place in _places(truth.shape[axis]):
            value = {"axis": word, "place": str(place)}
            yield "one_place", numpy.take(truth, place, axis), value
            yield "one_place", numpy.take(truth, [place], axis), value
            yield "place_missing", numpy.delete(truth, place, axis), value


def _places(size: int) -> range:
    """The places along an axis, of a long one the first few."""
    return range(min(size, 16)) if size > 1 else range(0)


def same_entries(truth: Array, shape: tuple[int, ...]) -> Array | None:
    """The same entries one after the other, in another shape."""
    return numpy.reshape(truth, shape) if truth.size == int(numpy.prod(shape)) else None


def heads_apart(truth: Array, shape: tuple[int, ...]) -> Iterator[Array]:
    """The columns of each token cut into heads, with the axis of the heads before or behind that of the tokens."""
    if truth.ndim < 2 or len(shape) != truth.ndim + 1:
        return
    width = truth.shape[-1]
    for heads in {shape[-2], shape[-3]}:
        if heads and width % heads == 0:
            cut = numpy.reshape(truth, (*truth.shape[:-1], heads, width // heads))
            yield cut
            yield numpy.swapaxes(cut, -2, -3)
