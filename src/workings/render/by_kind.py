"""Pages that are written block by block."""

from __future__ import annotations

from typing import Any

from ..explain import document as d


class ByKind:
    """A page with one method for each kind of block, under the name of the kind. A kind without one is a KeyError in
    the tests, not an empty line.
    """

    def block(self, block: d.Block) -> Any:
        written = getattr(self, block.kind, None)
        if written is None:
            raise KeyError(block.kind)
        return written(block)
