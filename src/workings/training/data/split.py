"""What is held out: one example in ten, which training never sees.

Whether an example is held out depends on nothing but the example: its numbers are hashed to one number of 64 bits, and
if that is divisible by ten, it is held out. So it is always on the same side. The hash is that of ops/parts/drawing.py.
"""

from __future__ import annotations

import numpy

from ...engine.arrays import Array
from ...ops.parts.drawing import LAST, STEP, STIR

ONE_IN = 10


def held_out(rows: Array) -> Array:
    """Whether each row of whole numbers is held out. An entry of 0 is the same as no entry.

    >>> import numpy
    >>> rows = numpy.arange(60).reshape(20, 3)
    >>> numpy.flatnonzero(held_out(rows)).tolist()
    [3, 6, 10, 12, 14]
    """
    numbers = rows.astype(numpy.uint64)
    # The same number has another hash at another position.
    places = numpy.arange(1, rows.shape[1] + 1, dtype=numpy.uint64) * numpy.uint64(STEP)
    each = numpy.where(numbers == 0, numpy.uint64(0), _hashed(numbers + places))
    return _hashed(numpy.sum(each, axis=1)) % numpy.uint64(ONE_IN) == 0


def _hashed(numbers: Array) -> Array:
    for shift, factor in STIR:
        numbers = (numbers ^ (numbers >> numpy.uint64(shift))) * numpy.uint64(factor)
    return numbers ^ (numbers >> numpy.uint64(LAST))
