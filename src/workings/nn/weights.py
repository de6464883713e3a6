"""Where the weights of a model come from: drawn from a seed, given by path, or only their shapes.

A builder asks for each weight with its path, its axis words, its shape, and how it is to start: `matrix` (drawn),
`ones` or `zeros`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy

from ..engine.arrays import Array
from ..engine.errors import ShapeError
from ..engine.form import form_of
from ..engine.tensor import Tensor
from ..ops.drawing import Draws
from ..ops.given import parameter

Start = Literal["matrix", "ones", "zeros"]


class Weights(Protocol):
    """Gives the weight at a path."""

    def __call__(self, path: str, axes: str, shape: tuple[int, ...], start: Start = "matrix") -> Tensor: ...


@dataclass(frozen=True)
class Drawn:
    """Matrices drawn from a seed: in tenths from -0.9 to 0.9, for a pencil; or spread like a bell, so that sizes stay
    about the same from layer to layer. Norms start as if they were not there, biases at 0.

    Each has a stream of its own, which depends on the seed and on its path: another weight more or less changes none.

    >>> Drawn(7)("W", "model hidden", (2, 2)).array.tolist()
    [[-0.7, 0.3], [0.9, 0.1]]
    """

    seed: int
    draw: Literal["tenths", "normal"] = "tenths"
    dtype: str = "float64"

    def __call__(self, path: str, axes: str, shape: tuple[int, ...], start: Start = "matrix") -> Tensor:
        return parameter(self._values(path, shape, start).astype(self.dtype), axes, name=_last(path))

    def _values(self, path: str, shape: tuple[int, ...], start: Start) -> Array:
        if start != "matrix":
            return numpy.full(shape, float(start == "ones"))
        draws = Draws.stream(self.seed, path)
        if self.draw == "tenths":
            return (draws.whole(shape, below=19) - 9) / 10
        return draws.normal(shape) / math.sqrt(shape[0])


@dataclass(frozen=True)
class Given:
    """Weights by path; those that are not given come from elsewhere."""

    values: Mapping[str, Array]
    otherwise: Weights

    def __call__(self, path: str, axes: str, shape: tuple[int, ...], start: Start = "matrix") -> Tensor:
        if path not in self.values:
            return self.otherwise(path, axes, shape, start)
        weight = parameter(self.values[path], axes, name=_last(path))
        if weight.shape != shape:
            raise ShapeError(
                "shape.value", old=str(form_of(tuple(axes.split()), shape)), new=str(weight.form), where=path
            )
        return weight


class Shapes:
    """No numbers, only shapes: a model of any size to be looked at and counted, in no memory."""

    def __call__(self, path: str, axes: str, shape: tuple[int, ...], start: Start = "matrix") -> Tensor:
        nothing = numpy.broadcast_to(numpy.float32(0), shape)
        return Tensor(nothing, form_of(tuple(axes.split()), shape), name=_last(path), leaf="parameter")


def _last(path: str) -> str:
    return path.rpartition(".")[2]
