"""Where the weights of a model come from: drawn from a seed, given by path, or only their shapes.

A builder requests each weight with its path, its axis words, its shape, and how it is to start: `matrix` (drawn),
`ones` or `zeros`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy

from ..engine.arguments import CheckedCall, unknown_choice
from ..engine.arrays import Array
from ..engine.form import form_of
from ..engine.tensor import Tensor
from ..ops.given import parameter
from ..ops.parts.drawing import Draws
from .module import wrong_weight_shape

Start = Literal["matrix", "ones", "zeros"]
Draw = Literal["tenths", "normal"]


class Weights(Protocol):
    """Gives the weight at each path, such as w.nn.Drawn(seed=1)."""

    def __call__(self, path: str, axes: str, shape: tuple[int, ...], start: Start = "matrix") -> Tensor: ...


@dataclass(frozen=True)
class Drawn(metaclass=CheckedCall):
    """Matrices drawn from a seed: in tenths from -0.9 to 0.9, for a pencil; or from a normal distribution, so that
    sizes stay about the same from layer to layer. Norms start as the identity, biases at 0.

    Each has a stream of its own, which depends on the seed and on its path: another weight more or less changes none.

    >>> Drawn(7)("W", "model hidden", (2, 2)).array.tolist()
    [[-0.7, 0.3], [0.9, 0.1]]
    """

    seed: int
    draw: Draw = "tenths"
    dtype: str = "float64"

    def __post_init__(self) -> None:
        if self.draw not in get_args(Draw):
            raise unknown_choice("draw", self.draw, get_args(Draw))

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
            raise wrong_weight_shape(path, form_of(tuple(axes.split()), shape), weight.form)
        return weight


class Shapes:
    """No numbers, only shapes: a model of any size to inspect and count, without memory."""

    def __call__(self, path: str, axes: str, shape: tuple[int, ...], start: Start = "matrix") -> Tensor:
        nothing = numpy.broadcast_to(numpy.float32(0), shape)
        return Tensor(nothing, form_of(tuple(axes.split()), shape), name=_last(path), leaf="parameter")


def _last(path: str) -> str:
    return path.rpartition(".")[2]
