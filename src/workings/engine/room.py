"""Room: the memory of large results, asked for in pieces that hold many of them.

A system hands out memory page by page, as it is first written to, and that may take as long as the arithmetic. Large
pieces it hands out in large pages. The values of a trace live and die together, so they can share such pieces.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from .arrays import Array

PIECE = 2**25  # bytes
LINE = 64  # bytes: where the memory of an array should begin


# The shape, type and size in bytes of an array, and the library that makes it.
Kind: TypeAlias = tuple[tuple[int, ...], Any, int, Any]


class Room(Protocol):
    """Gives an array to write a result into, or None: then the function makes one itself."""

    def __call__(self, kind: Kind) -> Array | None: ...


def no_room(kind: Kind) -> None:
    """Every result in memory of its own, which can be let go by itself."""


class SharedRoom:
    """Puts results side by side into large pieces."""

    __slots__ = ("_free", "_piece")

    def __init__(self) -> None:
        self._piece: Array = None
        self._free = 0

    def __call__(self, kind: Kind) -> Array | None:
        shape, dtype, size, xp = kind
        if size > PIECE // 2:
            return None
        if self._free < size:
            self._piece, self._free = xp.empty(PIECE, dtype=xp.uint8), PIECE
        start = PIECE - self._free
        self._free -= -(-size // LINE) * LINE
        return self._piece[start : start + size].view(dtype).reshape(shape)
