"""A long text, cut into windows in which every token predicts the next one."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

import numpy

from ...engine.arrays import Array
from ...engine.errors import DataError
from ...engine.settings import MAX_WHOLE
from ...ops.parts.drawing import Draws
from ...text import Vocabulary
from ...text.tokens import Tokens, not_a_text, whole
from .split import ONE_IN
from .task import refuse_unless_whole

UNKNOWN = -1


@dataclass(frozen=True)
class LongText:
    """A text as one row of ids. The last tenth is held out to test with; training sees only what precedes it.

    >>> vocabulary = Vocabulary.characters("abcdefghij")
    >>> text = LongText("abcdefghij" * 10, vocabulary, context=4)
    >>> tokens, targets = text.windows(Draws(1), 2)
    >>> [vocabulary.decode(row) for row in tokens], [vocabulary.decode(row) for row in targets]
    (['ijab', 'efgh'], ['jabc', 'fghi'])
    """

    text: str = field(repr=False)
    vocabulary: Tokens = field(repr=False)
    context: int
    ids: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuse_unless_whole("LongText", "context", self.context, most=MAX_WHOLE - 1)
        ids = _encoded(whole(self.text, not_a_text), self.vocabulary)
        ids.flags.writeable = False
        object.__setattr__(self, "ids", ids)
        self._refuse_short()

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of its UTF-8, in hexadecimal digits: no other text has it.

        >>> LongText("ab" * 50, Vocabulary.characters("ab"), context=4).fingerprint[:8]
        'c7f0d925'
        """
        return sha256(self.text.encode()).hexdigest()

    def windows(self, draws: Draws, count: int, held_out: bool = False) -> tuple[Array, Array]:
        """Windows from random positions: their tokens, and for each token the one that follows it.

        Both are whole numbers of the shape (count, context).

        >>> text = LongText("ab" * 50, Vocabulary.characters("ab"), context=4)
        >>> tokens, targets = text.windows(Draws(1), 2, held_out=True)
        >>> tokens.tolist(), targets.tolist()
        ([[1, 0, 1, 0], [0, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 1, 0]])
        """
        refuse_unless_whole("windows", "count", count, most=MAX_WHOLE - 1)
        part = self._part(held_out)
        return self._cut(part, draws.whole(count, below=len(part) - self.context))

    @property
    def most_held_out(self) -> int:
        """How many windows fit into the held-out part side by side.

        >>> LongText("ab" * 50, Vocabulary.characters("ab"), context=4).most_held_out
        2
        """
        return max(1, len(self._part(held_out=True)) // self.context)

    def held_out_windows(self, count: int) -> tuple[Array, Array]:
        """Windows of the held-out part, the same ones each time, evenly spread from its beginning to its end.

        >>> vocabulary = Vocabulary.characters("0123456789")
        >>> text = LongText("0123456789" * 10, vocabulary, context=3)
        >>> tokens, targets = text.held_out_windows(3)
        >>> tokens.tolist()
        [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
        >>> targets.tolist()
        [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
        """
        refuse_unless_whole("held_out_windows", "count", count, most=MAX_WHOLE - 1)
        part = self._part(held_out=True)
        last = len(part) - self.context - 1
        return self._cut(part, numpy.arange(count) * last // max(count - 1, 1))

    def _refuse_short(self) -> None:
        """The last tenth must have room for a window and the token after it."""
        length, largest = len(self.ids), len(self.ids) // ONE_IN - 1
        if self.context > largest:
            needed = ONE_IN * (self.context + 1)
            smaller = f"Give a context of at most {largest}, or a longer text." if largest > 0 else ""
            raise DataError(
                f"The text is too short: it has {length} tokens, and a context of {self.context} needs {needed}.",
                hint=smaller or "Give a longer text.",
            )

    def _part(self, held_out: bool) -> Array:
        border = len(self.ids) - len(self.ids) // ONE_IN
        return self.ids[border:] if held_out else self.ids[:border]

    def _cut(self, part: Array, starts: Array) -> tuple[Array, Array]:
        places = starts[:, None] + numpy.arange(self.context)
        return part[places].astype(numpy.int64), part[places + 1].astype(numpy.int64)


def _encoded(text: str, vocabulary: Tokens) -> Array:
    """The ids of a text: from a table, all characters at once, if each of them is known."""
    if isinstance(vocabulary, Vocabulary) and vocabulary.unit == "character":
        ids = _looked_up(unicodedata.normalize("NFC", text), vocabulary)
        if not numpy.any(ids == UNKNOWN):
            return ids
    return numpy.array(vocabulary.encode(text), dtype=numpy.int32)  # says which character is unknown, and where


def _looked_up(text: str, vocabulary: Vocabulary) -> Array:
    unknown = UNKNOWN if vocabulary.unknown is None else vocabulary.unknown
    table = numpy.full(0x110000, unknown, dtype=numpy.int32)  # as many as Unicode has
    for number, entry in enumerate(vocabulary.entries):
        if len(entry) == 1:
            table[ord(entry)] = number
    longest_first = sorted(vocabulary.special, key=len, reverse=True)
    special = "|".join(map(re.escape, longest_first))
    # Special tokens are not split: the text is cut at them, and they are every second part.
    parts = re.split(f"({special})", text) if special else [text]
    ids = [
        numpy.array([vocabulary.id(part)], dtype=numpy.int32) if place % 2 else table[_codes(part)]
        for place, part in enumerate(parts)
    ]
    return numpy.concatenate(ids)


def _codes(text: str) -> Array:
    return numpy.frombuffer(text.encode("utf-32-le"), dtype="<u4")
