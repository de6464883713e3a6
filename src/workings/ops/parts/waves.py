"""The waves of positional encoding: the angle of each entry, and what goes wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...engine.arrays import Array, namespace
from ...engine.form import Form, form_of
from ...engine.op import Primitive
from ...engine.page import mistake
from ...engine.tensor import Tensor
from ..sin import cos, sin

Numerator = Callable[
    [int, int, bool], float
]  # of an exponent, from a column, its pair of waves, and whether it is a sine


def right(n: int, pair: int, is_sine: bool) -> float:
    """The numerator of the exponent 2i / size."""
    return 2 * pair


def column(n: int, size: int, layout: str) -> tuple[int, bool]:
    """Which pair of waves a column belongs to, and whether it is the sine of the pair."""
    if layout == "interleaved":
        return n // 2, n % 2 == 0
    return n % (size // 2), n < size // 2


def plain_angles(positions: Array, numerator: Numerator, size: int, base: float, layout: str) -> tuple[Array, Array]:
    """The angle of each entry, and which columns are sines. Only mistakes have another numerator than the right one."""
    xp: Any = namespace(positions)
    columns = [column(n, size, layout) for n in range(size)]
    exponents = [numerator(n, pair, is_sine) / size for n, (pair, is_sine) in enumerate(columns)]
    divisors = xp.asarray([base**exponent for exponent in exponents], dtype=xp.float64)
    turns = xp.expand_dims(xp.astype(positions, xp.float64), axis=-1) / divisors
    return turns, xp.asarray([is_sine for _, is_sine in columns])


def angles(
    positions: Tensor, numerator: Numerator, size: int, base: float, layout: str, dtype: str
) -> tuple[Tensor, ...]:
    xp: Any = namespace(positions.array)
    found = plain_angles(positions.array, numerator, size, base, layout)
    parts = [xp.astype(part, getattr(xp, dtype)) for part in found]
    words = (*positions.axes, "model")
    return tuple(Tensor(part, form_of(words[-part.ndim :], part.shape), leaf="constant") for part in parts)


def waves(turns: Tensor, is_sine: Tensor) -> Tensor:
    return is_sine * sin(turns) + (1 - is_sine) * cos(turns)


class WaveMistakes(Primitive):
    """Mistakes in the angle of a position, and in which columns are sines."""

    @mistake("You did not divide the position: each pair of columns divides it by its own power of the base.")
    def not_divided(self, positions: Tensor, **settings: Any) -> Tensor:
        return self(positions, **{**settings, "base": 1.0})

    @mistake("You multiplied the position by the power: divide it.")
    def multiplied(self, positions: Tensor, **settings: Any) -> Tensor:
        return self(positions, **{**settings, "base": 1 / settings["base"]})

    @mistake("You used 4i / size as the exponent: it is 2i / size, where i counts the pairs of columns.")
    def pairs_doubled(self, positions: Tensor, **settings: Any) -> Tensor:
        return self(positions, **{**settings, "base": settings["base"] ** 2})

    @mistake("You counted the pairs of columns from 1: the first pair has i = 0, so its positions are not divided.")
    def pairs_from_one(self, positions: Tensor, **settings: Any) -> Tensor:
        return waves(*angles(positions, lambda n, pair, is_sine: 2 * (pair + 1), **settings))

    @mistake("You used log base 10: e to the power of a logarithm needs the natural logarithm, ln.")
    def base_ten(self, positions: Tensor, **settings: Any) -> Tensor:
        return self(positions, **{**settings, "base": math.exp(math.log10(settings["base"]))})

    @mistake("You left out the position: the angle is the position divided by a power of the base.")
    def position_forgotten(self, positions: Tensor, **settings: Any) -> Tensor:
        return self(0 * positions + 1, **settings)

    @mistake("You used sines only: the second column of each pair is a cosine.")
    def all_sines(self, positions: Tensor, **settings: Any) -> Tensor:
        return sin(angles(positions, right, **settings)[0])

    @mistake("You used cosines only: the first column of each pair is a sine.")
    def all_cosines(self, positions: Tensor, **settings: Any) -> Tensor:
        return cos(angles(positions, right, **settings)[0])

    @mistake("You used sines for even positions and cosines for odd ones: they alternate along the columns.")
    def rows_alternate(self, positions: Tensor, **settings: Any) -> Tensor:
        turns, _ = angles(positions, right, **settings)
        xp: Any = namespace(positions.array)
        even = xp.astype(xp.expand_dims(positions.array, axis=-1) % 2 == 0, turns.array.dtype)
        form = Form((*positions.axes, ""), even.shape, (*[False] * positions.ndim, True))
        return waves(turns, Tensor(even, form, leaf="constant"))

    @mistake("You counted the positions from the end: the first token is at position 0.")
    def from_the_end(self, positions: Tensor, **settings: Any) -> Tensor:
        numbers = positions.array
        first_and_last = int(numbers.min()) + int(numbers.max())
        return self(first_and_last - positions, **settings)
