"""A user's numbers: an array of any library, and how precise its numbers are."""

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

WHOLE = "biu"  # the kinds of whole numbers in NumPy
REAL = f"{WHOLE}f"
NARROW = ("bfloat16", "float16", "float32")
TYPES = (*NARROW, "float64")
MAX_TYPED_DIGITS = 9  # a number with more digits comes from a program
FIRST_SAMPLE = 64  # entries that are examined first: they settle most arrays of programs
MAX_SAMPLE = 4096  # entries of a large array, spread over it


@dataclass(frozen=True)
class UserArray:
    """A NumPy array, and the type that its numbers had in the user's program."""

    array: Array
    dtype: str
    typed: tuple[tuple[Unit, int], ...] | None = None  # the digits, if the text is known
    blank: Array | None = None  # true where an entry was left open; there the array has NaN

    @cached_property
    def digits(self) -> dict[Unit, int]:
        """How many digits its numbers have, if they are few enough to have been typed or rounded.

        >>> to_user_array([[0.25, 12.5]]).digits
        {'decimals': 2, 'significant': 3}
        >>> to_user_array([1 / 3]).digits
        {}
        """
        if self.typed is not None or self.array.dtype.kind in WHOLE:
            return dict(self.typed or ())
        entries = self.array[numpy.isfinite(self.array)].ravel()
        single = self.dtype == "float32"
        decimals, significant = 0, 0
        for part in (entries[:FIRST_SAMPLE], entries[FIRST_SAMPLE :: max(1, entries.size // MAX_SAMPLE)]):
            for entry in part:
                exact = decimal_of(float(str(numpy.float32(entry))) if single else float(entry)).normalize()
                exponent = exact.as_tuple().exponent
                assert isinstance(exponent, int)
                decimals = max(decimals, -exponent)
                significant = max(significant, len(exact.as_tuple().digits), exact.adjusted() + 1 if exact else 0)
            if significant > (MAX_TYPED_DIGITS - 3 if single else MAX_TYPED_DIGITS):
                return {}
        return {"decimals": decimals, "significant": significant} if entries.size else {}

    def without_ones(self, shape: tuple[int, ...]) -> UserArray:
        """The numbers in this shape, if they differ from it only by axes of one entry; of any other shape, without
        those in front, such as a batch of one text.

        >>> to_user_array([[[1.0], [2.0]]]).without_ones((2,)).array
        array([1., 2.])
        """
        theirs = self.array.shape
        if [size for size in theirs if size != 1] == [size for size in shape if size != 1]:
            theirs = shape
        while len(theirs) > len(shape) and theirs[0] == 1:
            theirs = theirs[1:]
        return self.in_shape(theirs)

    def in_shape(self, shape: tuple[int, ...]) -> UserArray:
        """The same entries in another shape."""
        blank = None if self.blank is None else numpy.reshape(self.blank, shape)
        same = shape == self.array.shape
        return self if same else replace(self, array=numpy.reshape(self.array, shape), blank=blank)

    @cached_property
    def stored(self) -> str:
        """The narrowest type that holds all of its numbers: they may have been converted since.

        >>> to_user_array(numpy.float32([0.1, 0.2]).astype("float64")).stored
        'float32'
        """
        if self.dtype in NARROW or self.array.dtype.kind in WHOLE or self.digits:
            return self.dtype
        return next((kind for kind in NARROW if numpy.array_equal(narrowed(self.array, kind), self.array)), self.dtype)


def to_user_array(value: Any, name: str = "got") -> UserArray:
    """A tensor of any library as a NumPy array, and the type that its numbers had there.

    >>> to_user_array([[1.0, 2.5]]).array
    array([[1. , 2.5]])
    """
    if isinstance(value, UserArray):
        return value
    if isinstance(value, GivenMatrix):
        return _typed(value)
    if isinstance(value, numpy.ma.MaskedArray) and numpy.ma.is_masked(value):
        raise InputError(
            f"{name} is a masked array, and hides {int(numpy.sum(numpy.ma.getmaskarray(value)))} of its entries.",
            hint="Give every entry, or leave the step out: hidden entries cannot be compared.",
        )
    try:
        array, kind = _as_numpy(value.array if isinstance(value, Tensor) else value)
    except Exception:  # a tensor of another library may raise anything
        raise _not_an_array(name) from None
    if array.dtype.kind not in REAL:
        raise _not_an_array(name)
    return UserArray(array if array.dtype.kind in WHOLE else array.astype(numpy.float64), kind)


def _not_an_array(name: str) -> InputError:
    return InputError(
        f"{name} is not an array of numbers.", hint="Give an array of numbers, or None as long as there is none."
    )


def _as_numpy(value: Any) -> tuple[Array, str]:
    """A tensor detached from its graph and its device, and the type of its numbers there."""
    kind = str(getattr(value, "dtype", "float64")).rpartition(".")[2]
    for step in ("detach", "cpu"):
        if hasattr(value, step):
            value = getattr(value, step)()
    if kind == "bfloat16" and hasattr(value, "float"):  # which NumPy does not know
        value = value.float()
    return numpy.asarray(value), kind if kind in TYPES else "float64"


def _typed(matrix: GivenMatrix) -> UserArray:
    """Numbers as text: a trailing 0 is a digit, too."""
    entries = [entry for entry in matrix.entries if entry is not None and entry.unit and math.isfinite(entry.value)]
    digits: tuple[tuple[Unit, int], ...] = ()
    if entries and max(entry.digits for entry in entries) <= MAX_TYPED_DIGITS:
        decimals = max(0, *(-round(math.log10(entry.unit)) for entry in entries))
        digits = (("decimals", decimals), ("significant", max(entry.digits for entry in entries)))
    array, blank = matrix.array, numpy.array([entry is None for entry in matrix.entries])
    return UserArray(array, "float64", digits, blank.reshape(array.shape) if numpy.any(blank) else None)


def narrowed(array: Array, kind: str) -> Array:
    """Real numbers as a narrower type holds them, in float64.

    >>> narrowed(numpy.array([0.1]), "bfloat16")
    array([0.10009766])
    """
    with numpy.errstate(over="ignore"):
        if kind != "bfloat16":
            return array.astype(kind).astype(numpy.float64)
        bits = array.astype(numpy.float32).view(numpy.uint32)
    # Half of the bits are dropped; a number exactly between two others is rounded to the even one.
    nearest = bits + 0x7FFF + ((bits >> 16) & 1)
    kept = numpy.where(numpy.isfinite(array), nearest & 0xFFFF0000, bits).astype(numpy.uint32)
    return kept.view(numpy.float32).astype(numpy.float64)
