"""A tokenizer.json, as it comes with published models, read through the package `tokenizers`.

The package is loaded when a file is read: nothing else here needs it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from ..engine.errors import VocabularyError, did_you_mean
from ..engine.files import read_user_text, shown_path
from .tokens import MAX_SHOWN_CHARS, Tokens, not_a_text, position_in, quoted, whole

MAX_FILE_BYTES = 500_000_000  # the largest published ones have some 40 MB


def read_tokenizer(path: str | PathLike[str]) -> Tokenizer:
    """A tokenizer.json of any kind that the package knows: BPE, WordPiece, Unigram, with all their settings.

    >>> import os, tempfile
    >>> from .byte_pairs import BytePairs
    >>> pairs = BytePairs.learn("low lower lowest low", 260)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tokenizer.json")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write(pairs.to_tokenizer_json())
    ...     tokenizer = read_tokenizer(path)
    >>> tokenizer.encode("lowest") == pairs.encode("lowest")
    True
    """
    source = read_json(path)
    tokenizer = Tokenizer(json.dumps(source), Path(path).name)
    try:
        _ = tokenizer.entries
    except VocabularyError as error:
        error.where = str(path)
        raise
    return tokenizer


@dataclass(frozen=True)
class Tokenizer(Tokens):
    """What a tokenizer.json does, with the same methods as a Vocabulary.

    Encoding adds nothing to a text; `framed` puts the special tokens around it that the file asks for. Texts are
    neither cut off nor filled up, whatever the file says: for that there is `pad`.
    """

    source: str = field(repr=False)
    name: str = "tokenizer.json"

    @cached_property
    def _inner(self) -> Any:
        try:
            from tokenizers import Tokenizer as Inner
        except ImportError:
            raise VocabularyError(
                "Reading a tokenizer.json needs the package tokenizers, which is not installed.",
                hint='Install it with pip install "workings[models]". BytePairs.from_tokenizer_json reads byte-level '
                "BPE without it.",
            ) from None
        try:
            inner = Inner.from_str(self.source)
        except Exception as error:  # the package raises nothing more exact
            raise VocabularyError(
                f"The package tokenizers cannot read this file: {_reason(error)}.",
                hint="Get the file again, or a newer version of the package.",
            ) from None
        inner.no_truncation()
        inner.no_padding()
        return inner

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """All tokens in the order of their ids, as the file writes them."""
        tokens = {id: token for token, id in self._inner.get_vocab(with_added_tokens=True).items()}
        if not tokens:
            raise VocabularyError("The vocabulary of this file has no tokens.", hint="Get the file again.")
        for id in range(len(tokens)):
            if id not in tokens:
                raise missing_id(id, len(tokens))
        return tuple(tokens[id] for id in range(len(tokens)))

    @cached_property
    def special(self) -> tuple[str, ...]:
        """The tokens that stay whole in a text."""
        return tuple(token.content for _, token in sorted(self._inner.get_added_tokens_decoder().items()))

    def framed(self, text: str) -> list[int]:
        """The ids of a text with the special tokens around it that the file asks for, such as [CLS] and [SEP]."""
        return self._ids_from(self._inner.encode, whole(text, not_a_text), add_special_tokens=True)

    def _encoded(self, text: str) -> list[int]:
        return self._ids_from(self._inner.encode, text, add_special_tokens=False)

    def _decoded(self, ids: list[int]) -> str:
        return str(self._inner.decode(ids, skip_special_tokens=False))

    def _ids_from(self, encode: Callable[..., Any], text: str, **settings: bool) -> list[int]:
        try:
            return list(encode(text, **settings).ids)
        except Exception as error:  # such as a word without an id, where the file has no unknown token
            raise VocabularyError(
                f"The package tokenizers cannot encode this text: {_reason(error)}.",
                hint="Leave out what this vocabulary does not know.",
                given=quoted(text),
            ) from None

    def _missing(self, token: str, text: Sequence[str], position: int) -> VocabularyError:
        near = did_you_mean(token[:MAX_SHOWN_CHARS], self.entries, 3)
        return VocabularyError(
            f"{quoted(token)} is not a token of this tokenizer.json.",
            hint=f"{near}Give a whole text as one string.",
            where=position_in(text, position),
        )


def read_json(path: str | PathLike[str]) -> dict[str, Any]:
    """The content of a tokenizer.json."""
    try:
        file = Path(path)
    except TypeError:
        raise VocabularyError(
            f"The path of a tokenizer.json is a string, not {type(path).__name__}.",
            hint='Write it in quotes: "gpt2/tokenizer.json".',
        ) from None
    where = shown_path(file)
    text = read_user_text(file, MAX_FILE_BYTES, hint="Give a tokenizer.json, which a model has next to its weights.")
    try:
        source = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise VocabularyError(
            f"This is not a tokenizer.json: {_reason(error)}.",
            hint="Get the file again: it may have been cut off.",
            where=where,
        ) from None
    if not isinstance(source, dict) or not isinstance(source.get("model"), dict):
        raise VocabularyError(
            "This is JSON, but not a tokenizer.json: it has no model in it.",
            hint="Give the tokenizer.json. A tokenizer_config.json or a vocab.json is not enough.",
            where=where,
        )
    return source


def missing_id(id: int, size: int) -> VocabularyError:
    return VocabularyError(
        f"No token has the id {id}, but there are {size} tokens.", hint="Ids must count from 0 without a gap."
    )


def _reason(error: Exception) -> str:
    """The message of another program, in one line and without its full stop."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
