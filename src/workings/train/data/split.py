"""What is held out: one thing in ten, which no training ever sees.

Whether a thing is held out is never luck, but follows from the thing itself: its numbers are stirred together into
one number of 64 bits, and if that is divisible by ten, the thing is held out. So it is on the same side whenever and
wherever it is asked for. The stirring is that of ops/drawing.py.
"""

from __future__ import annotations

import numpy

from ...engine.arrays import Array
from ...ops.drawing import LAST, STEP, STIR

ONE_IN = 10


def held_out(rows: Array) -> Array:
    """For each row of whole numbers: is it held out? An entry of 0 is the same as no entry.

    >>> import numpy
    >>> rows = numpy.arange(60).reshape(20, 3)
    >>> numpy.flatnonzero(held_out(rows)).tolist()
    [3, 6, 10, 12, 14]
    """
    numbers = rows.astype(numpy.uint64)
    # The same number counts for something else in another place.
    places = numpy.arange(1, rows.shape[1] + 1, dtype=numpy.uint64) * numpy.uint64(STEP)
    each = numpy.where(numbers == 0, numpy.uint64(0), _stirred(numbers + places))
    return _stirred(numpy.sum(each, axis=1)) % numpy.uint64(ONE_IN) == 0


def _stirred(numbers: Array) -> Array:
    for shift, factor in STIR:
        numbers = (numbers ^ (numbers >> numpy.uint64(shift))) * numpy.uint64(factor)
    return numbers ^ (numbers >> numpy.uint64(LAST))
