"""From text to tokens.

tokens             what every vocabulary can do: text into ids and back
vocabulary         words or characters, and texts padded to one length     vocabulary_data   the same as JSON
byte_pairs         byte-pair encoding                                      learning          how it is learned
merging            its merges as data                                      pieces            what bytes are merged in
tokenizer_json     a tokenizer.json of a published model                   byte_level_json   byte-level BPE in one
"""

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
