"""All weights in one long row, so that one update moves them all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from ..engine.arrays import Array
from ..engine.form import Form
from ..engine.tensor import Tensor

# How many weights are updated at a time, so that they stay in the cache of the processor.
PIECE = 2**16


@dataclass(frozen=True)
class Flat:
    """Where each weight is in the row. A long row is padded with zeros to whole pieces.

    >>> from workings import parameter
    >>> flat = Flat.of({"W": parameter([[1.0, 2.0]], "model hidden"), "b": parameter([3.0], "hidden")})
    >>> flat.row({"W": [[1.0, 2.0]], "b": [3.0]}, "float64")
    array([1., 2., 3.])
    """

    forms: Mapping[str, Form]

    @classmethod
    def of(cls, weights: Mapping[str, Tensor]) -> Flat:
        return cls({path: weight.form for path, weight in weights.items()})

    @property
    def entries(self) -> int:
        """How many numbers the weights have."""
        return sum(math.prod(form.shape) for form in self.forms.values())

    @property
    def piece(self) -> int:
        return min(PIECE, max(self.entries, 1))

    def empty(self, dtype: str) -> Array:
        """A row of zeros."""
        return numpy.zeros(math.ceil(max(self.entries, 1) / self.piece) * self.piece, dtype=dtype)

    def row(self, arrays: Mapping[str, Any], dtype: str) -> Array:
        """The weights one after the other."""
        row = self.empty(dtype)
        for path, view in self.views(row).items():
            view[...] = arrays[path]
        return row

    def views(self, row: Array) -> dict[str, Array]:
        """Each weight as a view of the row: what changes the row changes the weight."""
        found: dict[str, Array] = {}
        start = 0
        for path, form in self.forms.items():
            size = math.prod(form.shape)
            found[path] = row[start : start + size].reshape(form.shape)
            start += size
        return found
