"""Merges as data: what was learned, and how the bytes of a text are joined, one merge after the other."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .learning import Pair


@dataclass(frozen=True)
class Merge:
    """Two tokens that become one. `number` counts from 1, in the order in which merges were learned.

    `count` is how often the pair occurred when the merge was learned, if that is known. It does not matter for what a
    vocabulary does: merges with other counts are equal.

    >>> Merge(1, b" t", b"he").joined
    b' the'
    """

    number: int
    left: bytes
    right: bytes
    count: int | None = field(default=None, compare=False)

    @property
    def joined(self) -> bytes:
        return self.left + self.right

    @property
    def pair(self) -> Pair:
        return self.left, self.right


@dataclass(frozen=True)
class State:
    """The tokens of a piece at one moment, and the merge that led there; at the beginning there is none."""

    tokens: tuple[bytes, ...]
    merge: Merge | None = None


@dataclass(frozen=True)
class Piece:
    """A piece of a text: its states from single bytes to tokens, and their ids. A special token has one state."""

    text: str
    states: tuple[State, ...]
    ids: tuple[int, ...]
    special: bool = False


@dataclass(frozen=True)
class Merging:
    """How a text becomes tokens: its pieces, one after the other."""

    pieces: tuple[Piece, ...]

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text."""
        return [id for piece in self.pieces for id in piece.ids]


class Chain:
    """The bytes of a piece, being joined. The merge that was learned first goes first, and of its places the leftmost.

    >>> chain = Chain(b"lower", {(b"l", b"o"): 1, (b"e", b"r"): 2})
    >>> list(chain.joins()), chain.tokens
    ([1, 2], (b'lo', b'w', b'er'))
    """

    def __init__(self, content: bytes, numbers: Mapping[Pair, int]) -> None:
        self._numbers = numbers
        self._end = len(content)
        self._at = [bytes((byte,)) for byte in content]  # what begins here; empty where it belongs to the token before
        self._before = list(range(-1, self._end - 1))
        self._after = list(range(1, self._end + 1))

    @property
    def tokens(self) -> tuple[bytes, ...]:
        return tuple(token for token in self._at if token)

    def joins(self) -> Iterator[int]:
        """Join as long as there is something to join; yields the number of each merge just before it is carried out.

        All places wait in a queue, so that a piece of any length is done in about as many steps as it has bytes.
        """
        queue = [(number, place) for place in range(self._end) if (number := self._number(place))]
        heapq.heapify(queue)
        while queue:
            number, place = heapq.heappop(queue)
            if self._number(place) != number:
                continue  # one of the two has been joined with something else since
            yield number
            self._join(place)
            for near in (self._before[place], place):
                if new := self._number(near):
                    heapq.heappush(queue, (new, near))

    def _number(self, place: int) -> int | None:
        """The merge that joins what begins here with what comes after it."""
        if place < 0 or self._after[place] == self._end:
            return None
        return self._numbers.get((self._at[place], self._at[self._after[place]]))

    def _join(self, place: int) -> None:
        right = self._after[place]
        self._at[place], self._at[right] = self._at[place] + self._at[right], b""
        self._after[place] = self._after[right]
        if self._after[place] < self._end:
            self._before[self._after[place]] = place
