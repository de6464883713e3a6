"""Drawing numbers at random: the same seed gives the same numbers on every machine and in every version.

The generator is SplitMix64. Its state is a counter that goes up in large steps; each number is the counter,
stirred by three shifts and two products of 64-bit whole numbers. Real numbers are made from these with
sums, products, quotients and square roots only, which every machine rounds in the same way.
"""

from __future__ import annotations

import math
from hashlib import sha256
from typing import Any

import numpy

from ...engine.arrays import Array
from ...engine.settings import BELOW_ONE, MAX_WHOLE, bad_setting
from ...engine.tensor import Tensor
from ..given import random

STEP = 0x9E3779B97F4A7C15  # 2⁶⁴ divided by the golden ratio, made odd
STIR = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST = 31
SIZE = 2**64

Shape = tuple[int, ...] | int


class Draws:
    """A stream of pseudorandom numbers. Each call goes on where the last one ended.

    >>> draws = Draws(1234567)
    >>> draws.whole(5, below=10).tolist()
    [3, 1, 5, 2, 8]
    >>> draws.whole(5, below=10).tolist()
    [4, 5, 2, 4, 8]
    """

    def __init__(self, seed: int) -> None:
        _refuse_uncountable("seed", seed, least=-MAX_WHOLE)
        self._state = seed % SIZE

    @classmethod
    def stream(cls, seed: int, name: str) -> Draws:
        """A stream of its own for each name, so that more or fewer draws elsewhere change none of its numbers.

        >>> Draws.stream(7, "step 1").whole(3, below=10).tolist()
        [0, 9, 7]
        """
        _refuse_uncountable("seed", seed, least=-MAX_WHOLE)
        return cls(int.from_bytes(sha256(f"{seed} {name}".encode()).digest()[:6], "big"))

    def go_on_like(self, other: Draws) -> None:
        """Give from now on the numbers that the other would give."""
        self._state = other._state

    def bits(self, count: int) -> Array:
        """The next `count` numbers of 64 bits: what all others are made of."""
        counters = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(STEP)
        numbers = counters + numpy.full(1, self._state, dtype=numpy.uint64)
        self._state = (self._state + count * STEP) % SIZE
        for shift, factor in STIR:
            numbers = (numbers ^ (numbers >> numpy.uint64(shift))) * numpy.uint64(factor)
        return numbers ^ (numbers >> numpy.uint64(LAST))

    def uniform(self, shape: Shape) -> Array:
        """Real numbers from 0 up to, but not including, 1; each multiple of 2⁻⁵³ is as likely as any other.

        >>> Draws(7).uniform(3).round(4).tolist()
        [0.3898, 0.0168, 0.9008]
        """
        places = _places(shape)
        return numpy.reshape((self.bits(math.prod(places)) >> numpy.uint64(11)) * 2.0**-53, places)

    def whole(self, shape: Shape, below: int) -> Array:
        """Whole numbers from 0 up to, but not including, `below`."""
        _refuse_uncountable("below", below)
        return numpy.floor(self.uniform(shape) * below).astype(numpy.int64)

    def normal(self, shape: Shape) -> Array:
        """Numbers from the standard normal distribution. Two uniform numbers make one, by the method of Box and Muller:
        a length, times the cosine of an angle.

        >>> Draws(7).normal((2, 2)).round(4).tolist()
        [[-0.9885, 1.8643], [-0.0039, 0.5293]]
        """
        places = _places(shape)
        pairs = self.uniform((math.prod(places), 2))
        length = numpy.sqrt(-2.0 * _ln(1.0 - pairs[:, 0]))
        return numpy.reshape(length * _cos(2.0 * math.pi * (pairs[:, 1] - 0.5)), places)

    def kept(self, shape: Shape, rate: float, axes: str = "", *, name: str = "kept") -> Tensor:
        """The marks for dropout: 0 with the probability `rate`, else 1. They are a leaf of the kind random,
        which a trace writes down, so that a replay leaves out the same entries.

        >>> Draws(7).kept((2, 3), 0.5, "token model")
        Tensor(kept: token 2 × model 3, float64)
        """
        if not 0 <= rate < 1:
            raise bad_setting("Draws", "rate", rate, BELOW_ONE)
        return random((self.uniform(shape) >= rate).astype(numpy.float64), axes, name=name)


def _places(shape: Shape) -> tuple[int, ...]:
    places = shape if isinstance(shape, tuple) else (shape,)
    for size in places:
        _refuse_uncountable("shape", size)
    return places


def _refuse_uncountable(setting: str, value: Any, least: int = 1) -> None:
    whole = isinstance(value, int | numpy.integer) and not isinstance(value, bool)
    if not whole or not least <= value < MAX_WHOLE:
        raise bad_setting("Draws", setting, value, "a whole number above 0" if least == 1 else "a whole number")


# The functions of NumPy may differ in their last digit from one processor to the next. These do not.


def _ln(x: Array) -> Array:
    """The natural logarithm: x = m · 2ⁿ with m near 1, and ln m = 2 (s + s³/3 + s⁵/5 + …), s = (m - 1) / (m + 1)."""
    m, n = numpy.frexp(x)
    small = m < math.sqrt(0.5)
    m, n = numpy.where(small, 2.0 * m, m), n - small
    s = (m - 1.0) / (m + 1.0)
    series = numpy.zeros_like(s)
    for k in range(23, 0, -2):
        series = series * (s * s) + 1.0 / k
    return n * 0.6931471805599453 + 2.0 * s * series


def _cos(x: Array) -> Array:
    """The cosine of angles from -π to π: 1 - x²/2! + x⁴/4! - …, from the last term to the first."""
    series = numpy.ones_like(x)
    for k in range(34, 0, -2):
        series = 1.0 - series * (x * x) / (k * (k - 1))
    return series
