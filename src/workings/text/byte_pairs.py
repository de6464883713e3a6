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

from ..engine.errors import VocabularyError
from ..engine.registry import nearest
from .byte_level_json import from_json, to_json
from .learning import Pair, learned_pairs
from .merging import Chain, Merge, Merging, Piece, State
from .pieces import SIGNS, apart, from_signs, in_signs, pieces
from .sentences import say
from .tokenizer_json import read_json
from .tokens import SHOWN, Tokens, all_whole, listed, quoted, refuse_twice, whole, whole_number


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
        object.__setattr__(self, "merges", listed(self.merges, "byte_pairs.merges"))
        object.__setattr__(self, "special", all_whole(self.special))
        object.__setattr__(self, "order", all_whole(self.order))
        _refuse_merges(self.merges)
        refuse_twice(self.special)
        counted = Counter(self._usual)
        for token in self.special:
            if counted[token] > 1:
                raise VocabularyError("byte_pairs.special", token=quoted(token))
        if self.order == self._usual:
            object.__setattr__(self, "order", ())
        counted.subtract(self.order or self._usual)
        for token, difference in counted.items():
            if difference:
                raise VocabularyError("byte_pairs.order", token=quoted(token))

    @classmethod
    def learn(cls, text: str, size: int, special: Iterable[str] = ()) -> BytePairs:
        """Learn merges from a text until there are `size` entries, or nothing stands side by side twice.

        Special tokens are cut out of the text first: nothing is learned from them.

        >>> BytePairs.learn("<s>a cat and a hat", 259, special=("<s>",)).merges
        (Merge(number=1, left=b' ', right=b'a', count=2), Merge(number=2, left=b'a', right=b't', count=2))
        """
        known = all_whole(special)
        least, wanted = len(SIGNS) + len(known), whole_number(size)
        if wanted is None:
            raise VocabularyError("byte_pairs.whole", size=quoted(size))
        if wanted < least:
            raise VocabularyError("byte_pairs.size", size=wanted, special=len(known), least=least)
        parts = [part for part, is_special in apart(whole(text, "vocabulary.text"), known) if not is_special]
        if not parts:
            raise VocabularyError("vocabulary.nothing")
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
        for part, is_special in apart(whole(text, "vocabulary.text"), self.special):
            if is_special:
                found.append(Piece(part, (State((part.encode(),)),), (self._ids[part],), True))
            else:
                found += [self._piece(piece) for piece in pieces(part)]
        if not found:
            raise VocabularyError("vocabulary.nothing")
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
        where = say("text.position", position=position) if text else ""
        near = nearest(token[:SHOWN], self.entries)
        return VocabularyError("byte_pairs.token", where=where, token=quoted(token), nearest=near)

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


def _refuse_merges(merges: Sequence[Any]) -> None:
    """Each merge is a record with its number, joins what there is, and stands there once."""
    for number, merge in enumerate(merges, 1):
        if not isinstance(merge, Merge):
            raise VocabularyError("byte_pairs.merges", type=type(merge).__name__)
        if merge.number != number:
            raise VocabularyError("byte_pairs.number", number=merge.number, place=number)
    known = {bytes((byte,)) for byte in range(256)} | {merge.joined for merge in merges}
    seen: set[Pair] = set()
    for merge in merges:
        for token in merge.pair:
            if token not in known:
                raise VocabularyError("byte_pairs.unmade", number=merge.number, token=quoted(token))
        if merge.pair in seen:
            left, right = map(quoted, merge.pair)
            raise VocabularyError("byte_pairs.twice", number=merge.number, left=left, right=right)
        seen.add(merge.pair)
