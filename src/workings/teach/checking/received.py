"""Numbers as somebody else has them: an array of any library, and how finely its numbers are told."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy

from ...engine.arrays import Array
from ...engine.errors import InputError
from ...engine.rounding import Unit, decimal_of
from ...engine.tensor import Tensor
from ..answers.matrix import GivenMatrix
from . import sentences as _sentences  # noqa: F401  (what all files here say)

WHOLE = "biu"  # the kinds of numbers in NumPy that are whole
REAL = f"{WHOLE}f"
NARROW = ("bfloat16", "float16", "float32")
TYPES = (*NARROW, "float64")
MOST_DIGITS = 9  # that somebody types; a number with more of them comes from a program
SAMPLE = 64  # entries that are looked at first: most arrays of programs are told apart by them
MOST_LOOKED_AT = 4096  # entries of a large array, here and there


@dataclass(frozen=True)
class Received:
    """An array of NumPy, and the type that its numbers had where they come from."""

    array: Array
    dtype: str
    typed: tuple[tuple[Unit, int], ...] | None = None  # the digits, where it is known how they were written
    blank: Array | None = None  # true where an entry was left open; there the array has nan

    @cached_property
    def digits(self) -> dict[Unit, int]:
        """How many digits its numbers have, if they are few enough to have been typed or rounded.

        >>> received([[0.25, 12.5]]).digits
        {'decimals': 2, 'significant': 3}
        >>> received([1 / 3]).digits
        {}
        """
        if self.typed is not None or self.array.dtype.kind in WHOLE:
            return dict(self.typed or ())
        entries = self.array[numpy.isfinite(self.array)].ravel()
        single = self.dtype == "float32"
        decimals, significant = 0, 0
        for part in (entries[:SAMPLE], entries[SAMPLE :: max(1, entries.size // MOST_LOOKED_AT)]):
            for entry in part:
                told = decimal_of(float(str(numpy.float32(entry))) if single else float(entry)).normalize()
                exponent = told.as_tuple().exponent
                assert isinstance(exponent, int)
                decimals = max(decimals, -exponent)
                significant = max(significant, len(told.as_tuple().digits), told.adjusted() + 1 if told else 0)
            if significant > (MOST_DIGITS - 3 if single else MOST_DIGITS):
                return {}
        return {"decimals": decimals, "significant": significant} if entries.size else {}

    def without_ones(self, shape: tuple[int, ...]) -> Received:
        """The numbers in this shape, if they differ from it only by axes of one entry; of any other shape, without
        those in front, such as a batch of one text.

        >>> received([[[1.0], [2.0]]]).without_ones((2,)).array
        array([1., 2.])
        """
        theirs = self.array.shape
        if [size for size in theirs if size != 1] == [size for size in shape if size != 1]:
            theirs = shape
        while len(theirs) > len(shape) and theirs[0] == 1:
            theirs = theirs[1:]
        return self.in_shape(theirs)

    def in_shape(self, shape: tuple[int, ...]) -> Received:
        """The same entries in another shape."""
        blank = None if self.blank is None else numpy.reshape(self.blank, shape)
        same = shape == self.array.shape
        return self if same else replace(self, array=numpy.reshape(self.array, shape), blank=blank)

    @cached_property
    def stored(self) -> str:
        """The narrowest type that holds each of its numbers: it may have been converted since.

        >>> received(numpy.float32([0.1, 0.2]).astype("float64")).stored
        'float32'
        """
        if self.dtype in NARROW or self.array.dtype.kind in WHOLE or self.digits:
            return self.dtype
        return next((kind for kind in NARROW if numpy.array_equal(narrowed(self.array, kind), self.array)), self.dtype)


def received(value: Any, name: str = "got") -> Received:
    """A tensor of any library as an array of NumPy, and the type that its numbers had there.

    >>> received([[1.0, 2.5]]).array
    array([[1. , 2.5]])
    """
    if isinstance(value, Received):
        return value
    if isinstance(value, GivenMatrix):
        return _typed(value)
    if isinstance(value, numpy.ma.MaskedArray) and numpy.ma.is_masked(value):
        raise InputError("compare.masked", name=name, count=int(numpy.sum(numpy.ma.getmaskarray(value))))
    try:
        array, kind = _as_numpy(value.array if isinstance(value, Tensor) else value)
    except Exception:  # a tensor of another library may raise what it likes
        raise InputError("compare.array", name=name) from None
    if array.dtype.kind not in REAL:
        raise InputError("compare.array", name=name)
    return Received(array if array.dtype.kind in WHOLE else array.astype(numpy.float64), kind)


def _as_numpy(value: Any) -> tuple[Array, str]:
    """A tensor off its graph and its device, and the type of its numbers there."""
    kind = str(getattr(value, "dtype", "float64")).rpartition(".")[2]
    for step in ("detach", "cpu"):
        if hasattr(value, step):
            value = getattr(value, step)()
    if kind == "bfloat16" and hasattr(value, "float"):  # which NumPy does not know
        value = value.float()
    return numpy.asarray(value), kind if kind in TYPES else "float64"


def _typed(matrix: GivenMatrix) -> Received:
    """Numbers as somebody wrote them: a 0 at the end is a digit, too."""
    entries = [entry for entry in matrix.entries if entry is not None and entry.unit and math.isfinite(entry.value)]
    digits: tuple[tuple[Unit, int], ...] = ()
    if entries and max(entry.digits for entry in entries) <= MOST_DIGITS:
        decimals = max(0, *(-round(math.log10(entry.unit)) for entry in entries))
        digits = (("decimals", decimals), ("significant", max(entry.digits for entry in entries)))
    array, blank = matrix.array, numpy.array([entry is None for entry in matrix.entries])
    return Received(array, "float64", digits, blank.reshape(array.shape) if numpy.any(blank) else None)


def narrowed(array: Array, kind: str) -> Array:
    """Real numbers as a narrower type holds them, in float64.

    >>> narrowed(numpy.array([0.1]), "bfloat16")
    array([0.10009766])
    """
    with numpy.errstate(over="ignore"):
        if kind != "bfloat16":
            return array.astype(kind).astype(numpy.float64)
        bits = array.astype(numpy.float32).view(numpy.uint32)
    # Half of the bits are cut off; what is just between two numbers goes to the even one.
    nearest = bits + 0x7FFF + ((bits >> 16) & 1)
    kept = numpy.where(numpy.isfinite(array), nearest & 0xFFFF0000, bits).astype(numpy.uint32)
    return kept.view(numpy.float32).astype(numpy.float64)
