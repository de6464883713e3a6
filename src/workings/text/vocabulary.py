"""Vocabularies: which tokens there are, and which number each one has.

A text is brought into the Unicode form NFC first, so that what looks the same is the same token: an e followed by
a combining accent becomes the one character é. Case is kept. Then a text is cut into tokens:

word       at white space; punctuation stays with its word
character  into what Python calls characters (code points). A special token such as <s> stays whole. A combining
           mark that has no NFC form with its letter is a character of its own, and so are the parts of an emoji
           that is made of several.

Some special tokens are known by their text, such as <unk> and [PAD]: see ROLES.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from ..engine.errors import VocabularyError
from ..engine.registry import nearest
from .sentences import say

Unit = Literal["word", "character"]

# What a special token is for. Where a vocabulary has several for one role, the first one named here has it.
ROLES: Mapping[str, tuple[str, ...]] = {
    "unknown": ("<unk>", "[UNK]"),
    "padding": ("<pad>", "[PAD]"),
    "mask": ("<mask>", "[MASK]"),
    "start": ("<s>", "[CLS]"),
    "end": ("</s>", "[SEP]"),
}


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a model, each with its number: its position in `entries`.

    >>> vocabulary = Vocabulary.words("hello world good", special=("<unk>",))
    >>> vocabulary.encode("hello good morning")
    [1, 3, 0]
    >>> vocabulary.decode([1, 3, 0])
    'hello good <unk>'
    """

    tokens: tuple[str, ...]
    unit: Unit = "word"
    special: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.unit not in get_args(Unit):
            raise VocabularyError("vocabulary.unit", unit=_quoted(self.unit))
        # A frozen record can still be put in order while it is made.
        object.__setattr__(self, "tokens", _all_normal(self.tokens))
        object.__setattr__(self, "special", _all_normal(self.special))
        _refuse_unfit(self)

    @classmethod
    def words(cls, words: str | Iterable[str], special: Iterable[str] = ()) -> Vocabulary:
        """A vocabulary of these words: a text, which is split at white space, or a list.

        >>> Vocabulary.words("the cat sat").id("cat")
        1
        """
        return cls(tuple(words.split()) if isinstance(words, str) else _all_normal(words), "word", _all_normal(special))

    @classmethod
    def characters(cls, characters: str | Iterable[str], special: Iterable[str] = ()) -> Vocabulary:
        """A vocabulary of these characters. A space is a character like every other.

        >>> Vocabulary.characters("abc ", special=("<unk>",)).encode("cab!")
        [3, 1, 2, 0]
        """
        known = tuple(_normal(characters)) if isinstance(characters, str) else _all_normal(characters)
        return cls(known, "character", _all_normal(special))

    @classmethod
    def from_text(cls, text: str, unit: Unit = "word", special: Iterable[str] = ()) -> Vocabulary:
        """The tokens of a text, each once, in the order in which they first appear.

        >>> Vocabulary.from_text("<s> the cat and the dog", special=("<s>",)).entries
        ('<s>', 'the', 'cat', 'and', 'dog')
        """
        apart = _all_normal(special)
        found = dict.fromkeys(_pieces(text, unit, apart))
        if not found:
            raise VocabularyError("vocabulary.nothing")
        return cls(tuple(token for token in found if token not in apart), unit, apart)

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """All tokens in the order of their ids: first the special ones that are not among the others.

        >>> Vocabulary(("hello", "</s>"), special=("<s>", "</s>")).entries
        ('<s>', 'hello', '</s>')
        """
        among = set(self.tokens)
        return (*(token for token in self.special if token not in among), *self.tokens)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.entries)}

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and unicodedata.normalize("NFC", token) in self._ids

    def id(self, token: str) -> int:
        """The number of a token; of an unknown one, that of the unknown token if there is one.

        >>> Vocabulary.words("the cat sat").id("cats")
        Traceback (most recent call last):
        ...
        workings.engine.errors.VocabularyError: The word 'cats' is not in the vocabulary.
          try:   Nearest in the vocabulary: cat. Or put <unk>, for all unknown words, among its special tokens.
        """
        return self._id(_text(token))

    def token(self, id: int) -> str:
        """The token of a number.

        >>> Vocabulary.words("the cat sat").token(2)
        'sat'
        """
        return self.entries[self._checked(id)]

    def encode(self, text: str | Iterable[str]) -> list[int]:
        """The ids of a text, or of a list of tokens.

        >>> Vocabulary.words("the cat sat").encode(["cat", "the"])
        [1, 0]
        >>> Vocabulary.words("the cat sat").encode("the Cat")
        Traceback (most recent call last):
        ...
        workings.engine.errors.VocabularyError: 'Cat' is not in the vocabulary, but it is there in another case: cat.
          where: position 1 of the text, counted from 0
          given: 'the Cat'
          try:   Write it as in the vocabulary: small and capital letters are different here.
        """
        in_one_string = isinstance(text, str | bytes) or not isinstance(text, Iterable)
        pieces = _pieces(text, self.unit, self.special) if in_one_string else _all_normal(text)
        if not pieces:
            raise VocabularyError("vocabulary.nothing")
        return [self._id(piece, pieces, position) for position, piece in enumerate(pieces)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids: words with a space between them, characters side by side.

        >>> Vocabulary.characters("abc ").decode([2, 0, 1])
        'cab'
        """
        return self._joined([self.entries[id] for id in self.checked(ids)])

    def checked(self, ids: Iterable[int]) -> list[int]:
        """The ids as a list, all inside the vocabulary."""
        return [self._checked(id) for id in _listed(ids, "vocabulary.ids")]

    @property
    def specials(self) -> dict[str, int]:
        """What the special tokens are for, and their ids.

        >>> Vocabulary.words("hello", special=("<pad>", "<unk>")).specials
        {'unknown': 1, 'padding': 0}
        """
        known = ((role, next(filter(self.__contains__, texts), None)) for role, texts in ROLES.items())
        return {role: self._ids[token] for role, token in known if token is not None}

    @cached_property
    def unknown(self) -> int | None:
        """The id that stands for every unknown token, or None. Looked up for each token, so it is kept."""
        return self.specials.get("unknown")

    @property
    def padding(self) -> int | None:
        """The id that fills texts up, or None."""
        return self.specials.get("padding")

    @property
    def mask(self) -> int | None:
        """The id of a hidden token, or None."""
        return self.specials.get("mask")

    @property
    def start(self) -> int | None:
        """The id with which a text begins, or None."""
        return self.specials.get("start")

    @property
    def end(self) -> int | None:
        """The id with which a text ends, or None."""
        return self.specials.get("end")

    def _id(self, token: str, text: tuple[str, ...] = (), position: int = 0) -> int:
        found = self._ids.get(token, self.unknown)
        if found is not None:
            return found
        where = say("text.position", position=position) if text else ""
        given = self._around(text, position) if text else ""
        others = [entry for entry in self.entries if entry.casefold() == token.casefold()]
        shown, few = _quoted(token), ", ".join(others[:3])
        if others:
            raise VocabularyError("vocabulary.case", where=where, given=given, token=shown, other=few)
        if self.unit == "word":
            near = nearest(token[:_SHOWN], self.entries)
            raise VocabularyError("vocabulary.word", where=where, given=given, token=shown, nearest=near)
        # No character looks like another one to a program: all are named instead.
        known = _cut(" ".join(_quoted(entry) for entry in self.entries))
        raise VocabularyError("vocabulary.character", where=where, given=given, token=shown, known=known)

    def _checked(self, id: Any) -> int:
        try:
            number = operator.index(id)
        except TypeError:
            number = None
        if number is None or isinstance(id, bool):
            raise VocabularyError("vocabulary.whole", id=_quoted(id))
        if not 0 <= number < len(self):
            raise VocabularyError("vocabulary.id", id=number, size=len(self), last=len(self) - 1)
        return number

    def _joined(self, tokens: Iterable[str]) -> str:
        return (" " if self.unit == "word" else "").join(tokens)

    def _around(self, tokens: tuple[str, ...], position: int) -> str:
        """A few tokens before and after a position."""
        first, last = max(0, position - 8), position + 9
        before, after = "…" if first else "", "…" if last < len(tokens) else ""
        return repr(before + self._joined(_cut(token) for token in tokens[first:last]) + after)


class Padded(NamedTuple):
    """Rows of one length: the ids, and the marks for padding_mask, 1 for a token and 0 for padding."""

    ids: list[list[int]]
    keep: list[list[int]]


def pad(rows: Iterable[Iterable[int]], vocabulary: Vocabulary) -> Padded:
    """Encoded texts filled up on the right with the padding token, to the length of the longest.

    >>> vocabulary = Vocabulary.words("hello good world", special=("<pad>",))
    >>> ids, keep = pad([vocabulary.encode("hello good world"), vocabulary.encode("hello")], vocabulary)
    >>> ids
    [[1, 2, 3], [1, 0, 0]]
    >>> keep
    [[1, 1, 1], [1, 0, 0]]
    """
    padding = vocabulary.padding
    if padding is None:
        raise VocabularyError("vocabulary.padding")
    known = [vocabulary.checked(row) for row in _listed(rows, "vocabulary.rows")]
    if not known:
        raise VocabularyError("vocabulary.no_rows")
    for number, row in enumerate(known):
        if not row:
            raise VocabularyError("vocabulary.empty_row", row=number)
    longest = max(len(row) for row in known)
    ids = [row + [padding] * (longest - len(row)) for row in known]
    # A padding token that stood in a text already is padding, too.
    return Padded(ids, [[int(id != padding) for id in row] for row in ids])


_SHOWN = 60  # characters of a token that an error shows
_NO_LIST = (str, bytes, Mapping, Set)


def _pieces(text: Any, unit: Unit, special: tuple[str, ...]) -> tuple[str, ...]:
    """A text cut into tokens. Among special tokens that begin alike, the longest is taken."""
    normal = _text(text)
    if unit == "word":
        return tuple(normal.split())
    longest_first = sorted(special, key=len, reverse=True)
    return tuple(re.findall("|".join([*map(re.escape, longest_first), "."]), normal, re.DOTALL))


def _refuse_unfit(vocabulary: Vocabulary) -> None:
    for tokens in (vocabulary.tokens, vocabulary.special):
        seen: set[str] = set()
        for position, token in enumerate(tokens):
            if not token:
                raise VocabularyError("vocabulary.blank", position=position)
            if token in seen:
                raise VocabularyError("vocabulary.twice", token=_quoted(token))
            seen.add(token)
            if vocabulary.unit == "word" and token.split() != [token]:
                raise VocabularyError("vocabulary.space", token=_quoted(token))
    if not set(vocabulary.tokens) - set(vocabulary.special):
        raise VocabularyError("vocabulary.empty")
    for token in vocabulary.tokens:
        if vocabulary.unit == "character" and len(token) > 1 and token not in vocabulary.special:
            raise VocabularyError("vocabulary.long", token=_quoted(token))


def _all_normal(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple(_normal(token) for token in _listed(tokens, "vocabulary.tokens"))


def _listed(values: Any, key: str) -> tuple[Any, ...]:
    """What is given as a list. A string is a slip, such as special="<unk>"; a set has another order in every run."""
    try:
        items = None if isinstance(values, _NO_LIST) else iter(values)
    except TypeError:  # among them an array without axes
        items = None
    if items is None:
        raise VocabularyError(key, type=type(values).__name__)
    return tuple(items)


def _text(text: Any) -> str:
    """A text in the form in which it is cut into tokens."""
    if not isinstance(text, str):
        raise VocabularyError("vocabulary.text", type=type(text).__name__)
    return _normal(text)


def _normal(token: Any) -> str:
    if not isinstance(token, str):
        raise VocabularyError("vocabulary.tokens", type=type(token).__name__)
    try:
        token.encode()
    except UnicodeEncodeError:
        raise VocabularyError("vocabulary.broken", text=_quoted(token)) from None
    return unicodedata.normalize("NFC", token)


def _quoted(value: object) -> str:
    return _cut(repr(_cut(value) if isinstance(value, str) else value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN + 2 else text[:_SHOWN] + "…"
