"""From text to tokens: vocabularies of words or characters, and texts filled up to one length."""

from __future__ import annotations

from .vocabulary import Padded, Unit, Vocabulary, pad

__all__ = ["Padded", "Unit", "Vocabulary", "pad"]
