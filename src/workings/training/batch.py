"""A batch: several texts, padded to one length, and which of their tokens count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy

from ..engine.arrays import Array
from ..engine.tensor import Tensor
from ..ops.given import given, ids


@dataclass(frozen=True)
class Batch:
    """Rows of token ids: the input, and the target at each position.

    `counted` is 1 where the target counts in the loss and 0 where it does not: at padding, or within a question. An
    encoder-decoder reads a `source` as well. `keep` is 1 for a token and 0 for padding, in the text whose tokens attend
    in both directions: the source, or the text of an encoder.
    """

    tokens: Array
    target: Array
    counted: Array
    source: Array | None = None
    keep: Array | None = None

    @property
    def size(self) -> int:
        return int(self.tokens.shape[0])

    def rows(self, part: slice) -> Batch:
        """Some of the texts."""
        others = {name: None if (array := getattr(self, name)) is None else array[part] for name in ("source", "keep")}
        return replace(self, tokens=self.tokens[part], target=self.target[part], counted=self.counted[part], **others)

    def tensors(self, shares: Array, dtype: str) -> dict[str, Tensor]:
        """The inputs of a pass by name; `shares` is the fraction of the loss that each token accounts for."""
        found = {} if self.source is None else {"source": ids(self.source, "batch token", name="source")}
        found |= {name: ids(getattr(self, name), "batch token", name=name) for name in ("tokens", "target")}
        if self.keep is not None:
            found["keep"] = given(self.keep.astype(dtype), "batch token", name="keep")
        found["shares"] = given(shares.astype(dtype), "batch token", name="shares")
        return found


def padded(rows: Sequence[Sequence[int]], length: int, padding: int = 0) -> Array:
    """Rows of one length.

    >>> padded([[3, 4], [5]], 3)
    array([[3, 4, 0],
           [5, 0, 0]])
    """
    table = numpy.full((len(rows), length), padding, dtype=numpy.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table
