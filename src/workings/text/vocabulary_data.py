"""A vocabulary as plain data for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine.errors import VocabularyError
from .byte_pairs import BytePairs
from .merging import Merge
from .tokens import Tokens
from .vocabulary import Vocabulary


def vocabulary_to_data(vocabulary: Tokens) -> dict[str, Any]:
    """A vocabulary as a checkpoint stores it.

    >>> vocabulary_to_data(Vocabulary.characters("ab"))
    {'kind': 'tokens', 'tokens': ['a', 'b'], 'unit': 'character', 'special': []}
    """
    if isinstance(vocabulary, Vocabulary):
        tokens, special = list(vocabulary.tokens), list(vocabulary.special)
        return {"kind": "tokens", "tokens": tokens, "unit": vocabulary.unit, "special": special}
    if isinstance(vocabulary, BytePairs):
        # A byte is written as the character of its number, so that JSON can hold it.
        merges = [
            [merge.left.decode("latin-1"), merge.right.decode("latin-1"), merge.count] for merge in vocabulary.merges
        ]
        order, special = list(vocabulary.order), list(vocabulary.special)
        return {"kind": "byte pairs", "merges": merges, "special": special, "order": order}
    raise VocabularyError(
        f"A vocabulary of the kind {type(vocabulary).__name__} cannot be stored.",
        hint="Use a Vocabulary, or BytePairs.",
    )


def vocabulary_from_data(data: Mapping[str, Any]) -> Tokens:
    """The vocabulary that was stored.

    >>> vocabulary_from_data(vocabulary_to_data(Vocabulary.characters("ab"))).encode("ba")
    [1, 0]
    """
    special = tuple(data["special"])
    if data["kind"] == "tokens":
        return Vocabulary(tuple(data["tokens"]), data["unit"], special)
    merges = [
        Merge(number, left.encode("latin-1"), right.encode("latin-1"), count)
        for number, (left, right, count) in enumerate(data["merges"], start=1)
    ]
    return BytePairs(tuple(merges), special, tuple(data["order"]))
