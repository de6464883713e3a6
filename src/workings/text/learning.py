"""Learning which bytes belong together: the most frequent pair becomes one token, again and again.

Pairs are counted within pieces (see pieces.py), each distinct piece once and times how often it occurs. After a
merge only the pieces that contain the pair are counted again, so that many merges cost little more than a few.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

Pair: TypeAlias = tuple[bytes, bytes]


def learned_pairs(pieces: Iterable[str]) -> Iterator[tuple[Pair, int]]:
    """The pairs in the order in which they are merged, each with how often it occurred just before.

    Of pairs that are equally frequent, the one that comes first in the order of its bytes is taken. It ends when no
    pair occurs twice.

    >>> list(learned_pairs(["low", "lower", "low"]))
    [((b'l', b'o'), 3), ((b'lo', b'w'), 3)]
    """
    counted = Counter(pieces)
    times = list(counted.values())
    words = [[bytes((byte,)) for byte in piece.encode()] for piece in counted]
    counts: Counter[Pair] = Counter()
    places: dict[Pair, set[int]] = {}  # the pieces that have, or once had, the pair
    for place, word in enumerate(words):
        for pair in pairwise(word):
            counts[pair] += times[place]
            places.setdefault(pair, set()).add(place)
    queue = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(queue)
    while queue:
        count, pair = heapq.heappop(queue)
        if -count != counts[pair]:
            continue  # an older count: the pair is in the queue again with its own
        if -count < 2:
            return
        yield pair, -count
        changed: set[Pair] = set()
        for place in places.pop(pair):
            before = words[place]
            after = words[place] = joined(before, pair)
            for known in pairwise(before):
                counts[known] -= times[place]
                changed.add(known)
            for new in pairwise(after):
                counts[new] += times[place]
                changed.add(new)
                places.setdefault(new, set()).add(place)
        for one in changed:
            if counts[one]:
                heapq.heappush(queue, (-counts[one], one))


def joined(word: list[bytes], pair: Pair) -> list[bytes]:
    """The tokens with the pair joined wherever it occurs, from left to right.

    >>> joined([b"a", b"a", b"a", b"b"], (b"a", b"a"))
    [b'aa', b'a', b'b']
    """
    left, right = pair
    result: list[bytes] = []
    at, last = 0, len(word) - 1
    while at <= last:
        if at < last and word[at] == left and word[at + 1] == right:
            result.append(left + right)
            at += 2
        else:
            result.append(word[at])
            at += 1
    return result
