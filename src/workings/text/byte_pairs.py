"""Byte-pair encoding: a vocabulary that knows every text, learned from one.

A text is cut into pieces (see pieces.py), and each piece is its UTF-8 bytes. The 256 bytes are tokens, so nothing is
ever unknown. Then pairs of tokens are joined in the order in which this was learned: the most frequent pair first
(see learning.py). The text is taken as it is, without NFC, and comes back as it was.

A token is bytes, and its bytes need not be whole characters. As an entry it is written in the signs of GPT-2: Ġ is a
space, Ċ a line end, and a letter that is not ASCII is two signs or more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from os import PathLike
from typing import Any

from ..engine.errors import VocabularyError, did_you_mean
from .byte_level_json import from_json, to_json
from .learning import Pair, learned_pairs
from .merging import Chain, Merge, Merging, Piece, State
from .pieces import SIGNS, apart, from_signs, in_signs, pieces
from .tokenizer_json import read_json
from .tokens import (
    MAX_SHOWN_CHARS,
    Tokens,
    all_whole,
    listed,
    no_text,
    not_a_text,
    position_in,
    quoted,
    refuse_twice,
    whole,
    whole_number,
)


@dataclass(frozen=True)
class BytePairs(Tokens):
    """Tokens of bytes: what was merged, in which order.

    Ids count the special tokens first, then the 256 bytes, then what each merge makes; `order` lists the entries
    where it is another one.

    >>> pairs = BytePairs.learn("low lower lowest low", 260)
    >>> pairs.entries[256:]
    ('lo', 'low', 'Ġlow', 'Ġlowe')
    >>> pairs.encode("lower 🙂")
    [257, 101, 114, 32, 240, 159, 153, 130]
    >>> pairs.decode([257, 101, 114, 32, 240, 159, 153, 130])
    'lower 🙂'
    """

    merges: tuple[Merge, ...]
    special: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # A frozen record can still be put in order while it is made.
        object.__setattr__(self, "merges", listed(self.merges, _not_merges))
        object.__setattr__(self, "special", all_whole(self.special))
        object.__setattr__(self, "order", all_whole(self.order))
        _refuse_merges(self.merges)
        refuse_twice(self.special)
        counted = Counter(self._usual)
        for token in self.special:
            if counted[token] > 1:
                raise VocabularyError(
                    f"The special token {quoted(token)} is written like a token that is made of bytes.",
                    hint="Give it a text of its own, such as <s> or [MASK].",
                )
        if self.order == self._usual:
            object.__setattr__(self, "order", ())
        counted.subtract(self.order or self._usual)
        for token, difference in counted.items():
            if difference:
                raise VocabularyError(
                    f"The order has {quoted(token)} too often, or not at all.",
                    hint="Name every entry once, or leave the order out.",
                )

    @classmethod
    def learn(cls, text: str, size: int, special: Iterable[str] = ()) -> BytePairs:
        """Learn merges from a text until there are `size` entries, or no pair occurs twice.

        Special tokens are cut out of the text first: nothing is learned from them.

        >>> BytePairs.learn("<s>a cat and a hat", 259, special=("<s>",)).merges
        (Merge(number=1, left=b' ', right=b'a', count=2), Merge(number=2, left=b'a', right=b't', count=2))
        """
        known = all_whole(special)
        least, wanted = len(SIGNS) + len(known), whole_number(size)
        if wanted is None:
            raise VocabularyError(
                f"{quoted(size)} is not the size of a vocabulary: sizes are whole numbers.",
                hint="Give the number of all entries, such as 1000.",
            )
        if wanted < least:
            raise VocabularyError(
                f"{wanted} entries are too few: there are 256 bytes and {len(known)} special tokens.",
                hint=f"Give {least} or more; what is above {least} is learned.",
            )
        parts = [part for part, is_special in apart(whole(text, not_a_text), known) if not is_special]
        if not parts:
            raise no_text()
        merges: dict[Pair, Merge] = {}
        made: set[bytes] = set()
        # Two merges may make the same token, and a pair may come together again that was merged before.
        for pair, count in learned_pairs(piece for part in parts for piece in pieces(part)):
            if least + len(made) == wanted:
                break
            if pair not in merges:
                merges[pair] = Merge(len(merges) + 1, *pair, count)
                made.add(b"".join(pair))
        return cls(tuple(merges.values()), known)

    @classmethod
    def from_tokenizer_json(cls, path: str | PathLike[str]) -> BytePairs:
        """What a tokenizer.json of the kind byte-level BPE does, such as that of GPT-2; other kinds are refused."""
        return cls(*from_json(read_json(path), str(path)))

    def to_tokenizer_json(self) -> str:
        """This vocabulary as the text of a tokenizer.json.

        >>> '"type": "ByteLevel"' in BytePairs.learn("to be or not to be", 260).to_tokenizer_json()
        True
        """
        return to_json(self.entries, (merge.pair for merge in self.merges), self.special)

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """All tokens in the order of their ids, in the signs of GPT-2; special tokens as they are.

        >>> BytePairs.learn("no no no", 257, special=()).entries[256]
        'no'
        """
        return self.order or self._usual

    def merging(self, text: str) -> Merging:
        """How a text becomes tokens: its pieces, and of each piece what every merge does.

        >>> [piece] = BytePairs.learn("low lower lowest low", 260).merging("lows").pieces
        >>> for state in piece.states:
        ...     print(state.merge and state.merge.number, state.tokens)
        None (b'l', b'o', b'w', b's')
        1 (b'lo', b'w', b's')
        2 (b'low', b's')
        """
        found: list[Piece] = []
        for part, is_special in apart(whole(text, not_a_text), self.special):
            if is_special:
                found.append(Piece(part, (State((part.encode(),)),), (self._ids[part],), True))
            else:
                found += [self._piece(piece) for piece in pieces(part)]
        if not found:
            raise no_text()
        return Merging(tuple(found))

    # -- text into tokens and back --------------------------------------------------------------------

    def _encoded(self, text: str) -> list[int]:
        ids: list[int] = []
        known: dict[str, list[int]] = {}  # most pieces of a text come again
        for part, is_special in apart(text, self.special):
            if is_special:
                ids.append(self._ids[part])
                continue
            for piece in pieces(part):
                if piece not in known:
                    known[piece] = self._joined(piece)
                ids += known[piece]
        return ids

    def _joined(self, piece: str) -> list[int]:
        chain = Chain(piece.encode(), self._numbers)
        for _ in chain.joins():
            pass
        return [self._id_of[token] for token in chain.tokens]

    def _decoded(self, ids: list[int]) -> str:
        """Bytes that are no UTF-8 become the replacement character, U+FFFD."""
        return b"".join(self._contents[id] for id in ids).decode(errors="replace")

    def _piece(self, text: str) -> Piece:
        chain = Chain(text.encode(), self._numbers)
        states = [State(chain.tokens)]
        for number, places in groupby(chain.joins()):  # one merge may join at several places: that is one state
            for _ in places:
                pass
            states.append(State(chain.tokens, self.merges[number - 1]))
        return Piece(text, tuple(states), tuple(self._id_of[token] for token in chain.tokens))

    def _missing(self, token: str, text: Sequence[str], position: int) -> VocabularyError:
        near = did_you_mean(token[:MAX_SHOWN_CHARS], self.entries, 3)
        return VocabularyError(
            f"{quoted(token)} is not a token of this vocabulary.",
            hint=f"{near}A space is written Ġ here. Give a whole text as one string.",
            where=position_in(text, position),
        )

    # -- what is looked up ----------------------------------------------------------------------------

    @cached_property
    def _usual(self) -> tuple[str, ...]:
        made = dict.fromkeys(in_signs(merge.joined) for merge in self.merges)
        return (*self.special, *SIGNS, *made)

    @cached_property
    def _numbers(self) -> dict[Pair, int]:
        return {merge.pair: merge.number for merge in self.merges}

    @cached_property
    def _contents(self) -> tuple[bytes, ...]:
        """The bytes of each entry."""
        special = set(self.special)
        return tuple(entry.encode() if entry in special else from_signs(entry) or b"" for entry in self.entries)

    @cached_property
    def _id_of(self) -> dict[bytes, int]:
        special = set(self.special)
        return {
            content: id
            for id, (entry, content) in enumerate(zip(self.entries, self._contents, strict=True))
            if entry not in special
        }


def _not_merges(value: Any) -> VocabularyError:
    return VocabularyError(
        f"Merges are given as a list of Merge records, not as {type(value).__name__}.",
        hint="Learn them from a text: BytePairs.learn(text, size).",
    )


def _refuse_merges(merges: Sequence[Any]) -> None:
    """Each merge is a record with its number, joins tokens that exist, and occurs once."""
    for number, merge in enumerate(merges, 1):
        if not isinstance(merge, Merge):
            raise _not_merges(merge)
        if merge.number != number:
            raise VocabularyError(
                f"The merge with the number {merge.number} is at place {number}.",
                hint="Number the merges from 1, in the order in which they are applied.",
            )
    known = {bytes((byte,)) for byte in range(256)} | {merge.joined for merge in merges}
    seen: set[Pair] = set()
    for merge in merges:
        for token in merge.pair:
            if token not in known:
                raise VocabularyError(
                    f"Merge {merge.number} joins {quoted(token)}, which is neither a byte nor made by another merge.",
                    hint="Give the merge that makes it, too.",
                )
        if merge.pair in seen:
            left, right = map(quoted, merge.pair)
            raise VocabularyError(
                f"Merge {merge.number} joins {left} and {right}, as another merge does already.", hint="Leave one out."
            )
        seen.add(merge.pair)
