"""What every vocabulary can do, whatever its tokens are: text into ids and back, and the roles of special tokens.

Vocabulary (words, characters), BytePairs and Tokenizer say how a text is cut; the rest is here, once.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Any, TypeAlias

from ..engine.errors import VocabularyError

# What a special token is for. Where a vocabulary has several for one role, the first one named here has it.
ROLES: Mapping[str, tuple[str, ...]] = {
    "unknown": ("<unk>", "[UNK]"),
    "padding": ("<pad>", "[PAD]"),
    "mask": ("<mask>", "[MASK]"),
    "start": ("<s>", "[CLS]"),
    "end": ("</s>", "[SEP]", "<|endoftext|>"),
}


class Tokens(ABC):
    """The tokens of a model, each with its number: its position in `entries`."""

    # -- what each kind of vocabulary says for itself ------------------------------------------------

    @property
    @abstractmethod
    def entries(self) -> tuple[str, ...]:
        """All tokens in the order of their ids."""

    @abstractmethod
    def _encoded(self, text: str) -> list[int]:
        """The ids of a text, none for a text without tokens."""

    @abstractmethod
    def _decoded(self, ids: list[int]) -> str:
        """The text of ids that are known to be inside."""

    @abstractmethod
    def _missing(self, token: str, text: Sequence[str], position: int) -> VocabularyError:
        """The error about a token that is not there, perhaps at a position of a text."""

    def _form(self, text: str) -> str:
        """The form in which texts and tokens are compared: as they are, unless a vocabulary says otherwise."""
        return text

    # -- what all of them can do ---------------------------------------------------------------------

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.entries)}

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and self._form(token) in self._ids

    def id(self, token: str) -> int:
        """The number of a token; of an unknown one, that of the unknown token if there is one.

        >>> from .vocabulary import Vocabulary
        >>> Vocabulary.words("the cat sat").id("cats")
        Traceback (most recent call last):
        ...
        workings.engine.errors.VocabularyError: The word 'cats' is not in the vocabulary.
          try:   Did you mean cat? Its words: the, cat, sat. Or add the special token <unk> for all unknown words.
        """
        return self._id(self._form(whole(token, not_a_text)))

    def token(self, id: int) -> str:
        """The token of a number.

        >>> from .vocabulary import Vocabulary
        >>> Vocabulary.words("the cat sat").token(2)
        'sat'
        """
        return self.entries[self._checked(id)]

    def encode(self, text: str | Iterable[str]) -> list[int]:
        """The ids of a text, or of a list of tokens.

        >>> from .vocabulary import Vocabulary
        >>> Vocabulary.words("the cat sat").encode(["cat", "the"])
        [1, 0]
        >>> Vocabulary.words("the cat sat").encode("the Cat")
        Traceback (most recent call last):
        ...
        workings.engine.errors.VocabularyError: 'Cat' is not in the vocabulary, but it is there in another case: cat.
          where: position 1 of the text, counted from 0
          given: 'the Cat'
          try:   Write it as in the vocabulary: upper and lower case are different here.
        """
        if isinstance(text, str | bytes) or not isinstance(text, Iterable):
            ids = self._encoded(self._form(whole(text, not_a_text)))
        else:
            ids = self._numbered([self._form(token) for token in all_whole(text)])
        if not ids:
            raise no_text()
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids: words have a space between them, all other tokens are joined without one.

        >>> from .vocabulary import Vocabulary
        >>> Vocabulary.characters("abc ").decode([2, 0, 1])
        'cab'
        """
        return self._decoded(self.checked(ids))

    def checked(self, ids: Iterable[int]) -> list[int]:
        """The ids as a list, all inside the vocabulary."""
        return [self._checked(id) for id in listed(ids, _not_ids)]

    @property
    def specials(self) -> dict[str, int]:
        """What the special tokens are for, and their ids.

        >>> from .vocabulary import Vocabulary
        >>> Vocabulary.words("hello", special=("<pad>", "<unk>")).specials
        {'unknown': 1, 'padding': 0}
        """
        known = ((role, next(filter(self._ids.__contains__, texts), None)) for role, texts in ROLES.items())
        return {role: self._ids[token] for role, token in known if token is not None}

    @cached_property
    def unknown(self) -> int | None:
        """The id of every unknown token, or None. Looked up for each token, so it is kept."""
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

    def _numbered(self, tokens: Sequence[str]) -> list[int]:
        return [self._id(token, tokens, position) for position, token in enumerate(tokens)]

    def _id(self, token: str, text: Sequence[str] = (), position: int = 0) -> int:
        found = self._ids.get(token, self.unknown)
        if found is None:
            raise self._missing(token, text, position)
        return found

    def _checked(self, id: Any) -> int:
        number = whole_number(id)
        if number is None:
            raise VocabularyError(
                f"{quoted(id)} is not an id: ids are whole numbers.",
                hint="Encode the text first: vocabulary.encode(text).",
            )
        if not 0 <= number < len(self):
            raise VocabularyError(
                f"The id {number} is outside the vocabulary of {len(self)} tokens.",
                hint=f"Ids count from 0 to {len(self) - 1}.",
            )
        return number


# -- input, checked before it is used -----------------------------------------------------------------

MAX_SHOWN_CHARS = 60  # of a token in an error
_NO_LIST = (str, bytes, Mapping, Set)

Refusal: TypeAlias = Callable[[Any], VocabularyError]  # the error about a value of the wrong type


def not_a_text(value: Any) -> VocabularyError:
    return VocabularyError(
        f"A text is a string, not {type(value).__name__}.", hint='Write it in quotes: "hello world".'
    )


def not_tokens(value: Any) -> VocabularyError:
    return VocabularyError(
        f"Tokens are given as a list of strings, not as {type(value).__name__}.",
        hint='Give a list or a tuple, such as ["hello", "world"]. In a set they have no order.',
    )


def _not_ids(value: Any) -> VocabularyError:
    return VocabularyError(
        f"Ids are given as a list, not as {type(value).__name__}.", hint="Give a list such as [0, 2, 1]."
    )


def no_text() -> VocabularyError:
    return VocabularyError("There is no text here.", hint="Give at least one word or character.")


def position_in(text: Sequence[str], position: int) -> str:
    """Where a token is in its text, in words; a token by itself is nowhere."""
    return f"position {position} of the text, counted from 0" if text else ""


def listed(values: Any, refusal: Refusal) -> tuple[Any, ...]:
    """A list as a tuple. A string is a mistake, such as special="<unk>"; a set has another order in every run."""
    try:
        items = None if isinstance(values, _NO_LIST) else iter(values)
    except TypeError:  # among them an array without axes
        items = None
    if items is None:
        raise refusal(values)
    return tuple(items)


def whole(text: Any, refusal: Refusal = not_tokens) -> str:
    """A string without halves of characters."""
    if not isinstance(text, str):
        raise refusal(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise VocabularyError(
            f"{quoted(text)} contains half of a character, which no file and no screen can hold.",
            hint="Check how the text was read: it should be decoded as UTF-8.",
        ) from None
    return text


def all_whole(tokens: Any) -> tuple[str, ...]:
    return tuple(whole(token) for token in listed(tokens, not_tokens))


def refuse_twice(tokens: Iterable[str]) -> None:
    """Every token has a text, and no two have the same."""
    seen: set[str] = set()
    for position, token in enumerate(tokens):
        if not token:
            raise VocabularyError(
                f"Token {position} (counted from 0) is empty.", hint="Leave it out: a token has at least one character."
            )
        if token in seen:
            raise VocabularyError(
                f"The token {quoted(token)} is given twice.",
                hint="Leave one out, or collect the tokens of a text, each once, with Vocabulary.from_text.",
            )
        seen.add(token)


def whole_number(value: Any) -> int | None:
    """A whole number of Python or of an array as an int; None for anything else, True among it."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def quoted(value: object) -> str:
    return cut(repr(cut(value) if isinstance(value, str) else value))


def cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARS + 2 else text[:MAX_SHOWN_CHARS] + "…"
