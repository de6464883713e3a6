"""From text to tokens: words, characters or byte pairs, tokenizer.json, and texts filled up to one length."""

from __future__ import annotations

from .byte_pairs import BytePairs
from .merging import Merge, Merging, Piece, State
from .tokenizer_json import Tokenizer, read_tokenizer
from .tokens import Tokens
from .vocabulary import Padded, Unit, Vocabulary, pad

__all__ = [
    "BytePairs", "Merge", "Merging", "Padded", "Piece", "State", "Tokenizer", "Tokens", "Unit", "Vocabulary", "pad",
    "read_tokenizer",
]  # fmt: skip
