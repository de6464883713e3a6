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

from ..engine.errors import VocabularyError
from ..engine.registry import nearest
from .sentences import say
from .tokens import SHOWN, Tokens, quoted, whole


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
            raise VocabularyError("tokenizer.package") from None
        try:
            inner = Inner.from_str(self.source)
        except Exception as error:  # the package raises nothing more exact
            raise VocabularyError("tokenizer.refused", reason=_reason(error)) from None
        inner.no_truncation()
        inner.no_padding()
        return inner

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """All tokens in the order of their ids, as the file writes them."""
        tokens = {id: token for token, id in self._inner.get_vocab(with_added_tokens=True).items()}
        if not tokens:
            raise VocabularyError("vocabulary.empty")
        for id in range(len(tokens)):
            if id not in tokens:
                raise VocabularyError("tokenizer.gap", id=id, size=len(tokens))
        return tuple(tokens[id] for id in range(len(tokens)))

    @cached_property
    def special(self) -> tuple[str, ...]:
        """The tokens that stay whole in a text."""
        return tuple(token.content for _, token in sorted(self._inner.get_added_tokens_decoder().items()))

    def framed(self, text: str) -> list[int]:
        """The ids of a text with the special tokens around it that the file asks for, such as [CLS] and [SEP]."""
        return self._called(self._inner.encode, whole(text, "vocabulary.text"), add_special_tokens=True)

    def _encoded(self, text: str) -> list[int]:
        return self._called(self._inner.encode, text, add_special_tokens=False)

    def _decoded(self, ids: list[int]) -> str:
        return str(self._inner.decode(ids, skip_special_tokens=False))

    def _called(self, encode: Callable[..., Any], text: str, **settings: bool) -> list[int]:
        try:
            return list(encode(text, **settings).ids)
        except Exception as error:  # such as a word without an id, where the file has no unknown token
            raise VocabularyError("tokenizer.encode", reason=_reason(error), given=quoted(text)) from None

    def _missing(self, token: str, text: Sequence[str], position: int) -> VocabularyError:
        where = say("text.position", position=position) if text else ""
        near = nearest(token[:SHOWN], self.entries)
        return VocabularyError("tokenizer.token", where=where, token=quoted(token), nearest=near)


def read_json(path: str | PathLike[str]) -> dict[str, Any]:
    """The content of a tokenizer.json."""
    try:
        file = Path(path)
    except TypeError:
        raise VocabularyError("tokenizer.path", type=type(path).__name__) from None
    where = str(file) if str(file).isprintable() else quoted(str(file))
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise VocabularyError("tokenizer.missing", path=where) from None
        reason = error.strerror or type(error).__name__
        raise VocabularyError("tokenizer.unreadable", path=where, reason=reason) from None
    except UnicodeDecodeError:
        raise VocabularyError("tokenizer.binary", path=where) from None
    except ValueError:  # a sign that no name of a file can have
        raise VocabularyError("tokenizer.missing", path=where) from None
    try:
        source = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise VocabularyError("tokenizer.damaged", where=where, reason=_reason(error)) from None
    if not isinstance(source, dict) or not isinstance(source.get("model"), dict):
        raise VocabularyError("tokenizer.other", where=where)
    return source


def _reason(error: Exception) -> str:
    """What another program says, in one line and without its full stop."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
