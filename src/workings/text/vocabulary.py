"""Vocabularies: which tokens there are, and which number each one has.

A text is brought into the Unicode form NFC first, so that what looks the same is the same token: an e followed by
a combining accent becomes the one character é. Case is kept. Then a text is cut into tokens:

word       at white space; punctuation stays with its word
character  into what Python calls characters (code points). A special token such as <s> stays whole. A combining
           mark that has no NFC form with its letter is a character of its own, and so are the parts of an emoji
           that is made of several.

Some special tokens are known by their text, such as <unk> and [PAD]: see ROLES in tokens.py.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from ..engine.errors import VocabularyError, did_you_mean
from ..engine.names import few
from .pieces import apart
from .tokens import (
    MAX_SHOWN_CHARS,
    Refusal,
    Tokens,
    all_whole,
    cut,
    listed,
    no_text,
    not_a_text,
    not_tokens,
    position_in,
    quoted,
    refuse_twice,
    whole,
)

Unit = Literal["word", "character"]


@dataclass(frozen=True)
class Vocabulary(Tokens):
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
            raise VocabularyError(
                f"A vocabulary cannot be of the unit {quoted(self.unit)}.", hint="Allowed: word, character."
            )
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
            raise no_text()
        return cls(tuple(token for token in found if token not in apart), unit, apart)

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """All tokens in the order of their ids: first the special ones that are not among the others.

        >>> Vocabulary(("hello", "</s>"), special=("<s>", "</s>")).entries
        ('<s>', 'hello', '</s>')
        """
        among = set(self.tokens)
        return (*(token for token in self.special if token not in among), *self.tokens)

    def _form(self, text: str) -> str:
        return unicodedata.normalize("NFC", text)

    def _encoded(self, text: str) -> list[int]:
        return self._numbered(_pieces(text, self.unit, self.special))

    def _decoded(self, ids: list[int]) -> str:
        """Words with a space between them, characters side by side."""
        return self._joined(self.entries[id] for id in ids)

    def _missing(self, token: str, text: Sequence[str], position: int) -> VocabularyError:
        where = position_in(text, position)
        given = self._around(text, position) if text else ""
        others = [entry for entry in self.entries if entry.casefold() == token.casefold()]
        shown = quoted(token)
        if others:
            return VocabularyError(
                f"{shown} is not in the vocabulary, but it is there in another case: {few(others, 3)}.",
                hint="Write it as in the vocabulary: upper and lower case are different here.",
                where=where,
                given=given,
            )
        if self.unit == "word":
            near = did_you_mean(token[:MAX_SHOWN_CHARS], self.entries, 3)
            return VocabularyError(
                f"The word {shown} is not in the vocabulary.",
                hint=f"{near}Its words: {few(self.entries)}. Or add the special token <unk> for all unknown words.",
                where=where,
                given=given,
            )
        # No character looks like another one to a program: all are named instead.
        known = cut(" ".join(quoted(entry) for entry in self.entries))
        return VocabularyError(
            f"The character {shown} is not in the vocabulary.",
            hint=f"The vocabulary has {known}. Or put <unk>, for all unknown characters, among its special tokens.",
            where=where,
            given=given,
        )

    def _joined(self, tokens: Iterable[str]) -> str:
        return (" " if self.unit == "word" else "").join(tokens)

    def _around(self, tokens: Sequence[str], position: int) -> str:
        """A few tokens before and after a position."""
        first, last = max(0, position - 8), position + 9
        before, after = "…" if first else "", "…" if last < len(tokens) else ""
        return repr(before + self._joined(cut(token) for token in tokens[first:last]) + after)


class Padded(NamedTuple):
    """Rows of one length: the ids, and the marks for padding_mask, 1 for a token and 0 for padding."""

    ids: list[list[int]]
    keep: list[list[int]]


def pad(rows: Iterable[Iterable[int]], vocabulary: Tokens) -> Padded:
    """Encoded texts, padded on the right with the padding token to the length of the longest.

    >>> vocabulary = Vocabulary.words("hello good world", special=("<pad>",))
    >>> ids, keep = pad([vocabulary.encode("hello good world"), vocabulary.encode("hello")], vocabulary)
    >>> ids
    [[1, 2, 3], [1, 0, 0]]
    >>> keep
    [[1, 1, 1], [1, 0, 0]]
    """
    padding = vocabulary.padding
    if padding is None:
        raise VocabularyError(
            "The vocabulary has no padding token to pad texts with.", hint='Make it with special=("<pad>",).'
        )
    known = [vocabulary.checked(row) for row in listed(rows, _not_rows)]
    if not known:
        raise VocabularyError("There are no texts to pad.", hint="Give at least one encoded text.")
    for number, row in enumerate(known):
        if not row:
            raise VocabularyError(
                f"Text {number} (counted from 0) has no tokens: it would be nothing but padding.",
                hint="Leave it out.",
            )
    longest = max(len(row) for row in known)
    ids = [row + [padding] * (longest - len(row)) for row in known]
    # A padding token that was in a text before is padding, too.
    return Padded(ids, [[int(id != padding) for id in row] for row in ids])


def _not_rows(value: Any) -> VocabularyError:
    return VocabularyError(
        f"The texts to pad are given as a list of rows, not as {type(value).__name__}.",
        hint="Give a list of encoded texts, such as [[0, 2, 1], [3]].",
    )


def _pieces(text: Any, unit: Unit, special: tuple[str, ...]) -> tuple[str, ...]:
    """A text cut into tokens."""
    normal = _normal(text, not_a_text)
    if unit == "word":
        return tuple(normal.split())
    parts = apart(normal, special)
    return tuple(token for part, is_special in parts for token in ((part,) if is_special else part))


def _refuse_unfit(vocabulary: Vocabulary) -> None:
    for tokens in (vocabulary.tokens, vocabulary.special):
        refuse_twice(tokens)
        for token in tokens:
            if vocabulary.unit == "word" and token.split() != [token]:
                raise VocabularyError(
                    f"The word {quoted(token)} contains white space; texts are split there, so it never occurs.",
                    hint="Give the words one by one, or use a vocabulary of characters.",
                )
    if not set(vocabulary.tokens) - set(vocabulary.special):
        raise VocabularyError(
            "The vocabulary has no tokens besides the special ones.", hint="Give it at least one word or character."
        )
    for token in vocabulary.tokens:
        if vocabulary.unit == "character" and len(token) > 1 and token not in vocabulary.special:
            raise VocabularyError(
                f"{quoted(token)} is more than one character.",
                hint=f"Give single characters, or name it as a special token: special=({quoted(token)},).",
            )


def _all_normal(tokens: Any) -> tuple[str, ...]:
    return tuple(unicodedata.normalize("NFC", token) for token in all_whole(tokens))


def _normal(text: Any, refusal: Refusal = not_tokens) -> str:
    return unicodedata.normalize("NFC", whole(text, refusal))
