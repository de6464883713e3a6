"""Pages that are rendered block by block."""

from __future__ import annotations

from typing import Any

from ..document import blocks as d


class ByKind:
    """A page with one method for each kind of block, named after the kind. A kind without a method is a KeyError."""

    def block(self, block: d.Block) -> Any:
        render = getattr(self, block.kind, None)
        if render is None:
            raise KeyError(block.kind)
        return render(block)
