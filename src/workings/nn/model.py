"""Whole models: tokens in, the scores of a head out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..engine.errors import CallError
from ..engine.sentences import add_sentences
from ..engine.tensor import Tensor
from .masks import SEE_ALL, Mask, Padding
from .module import Module


@dataclass(frozen=True)
class Transformer(Module):
    """One stack of blocks. Whether it is an encoder like BERT or a decoder like GPT is a matter of its masks.

    `keep` marks the tokens of filled-up texts, `segments` which sentence each token is in, where the embedding asks for
    it; what a head asks besides (the covered places) is handed on to it.
    """

    embedding: Module
    stack: Module
    head: Module
    transparent: ClassVar[tuple[str, ...]] = ("stack", "head")

    def forward(
        self, tokens: Tensor, *asked: Any, keep: Tensor | None = None, segments: Tensor | None = None
    ) -> Tensor:
        _refuse_padding(self.head, keep)
        X = self.stack(self.embedding(tokens, *([] if segments is None else [segments])), _padding(keep))
        found: Tensor = self.head(X, *asked)
        return found


@dataclass(frozen=True)
class Side(Module):
    """One side of an encoder-decoder: its embedding and its blocks."""

    embedding: Module
    stack: Module
    transparent: ClassVar[tuple[str, ...]] = ("stack",)

    def forward(self, tokens: Tensor, *beside: Any) -> Tensor:
        found: Tensor = self.stack(self.embedding(tokens), *beside)
        return found


@dataclass(frozen=True)
class EncoderDecoder(Module):
    """Two stacks: the encoder reads one text, the decoder writes another and looks at what the encoder made."""

    encoder: Side
    decoder: Side
    head: Module
    transparent: ClassVar[tuple[str, ...]] = ("head",)

    def forward(
        self, source: Tensor, tokens: Tensor, *asked: Any, keep: Tensor | None = None, keep_own: Tensor | None = None
    ) -> Tensor:
        _refuse_padding(self.head, keep_own)
        memory = self.encoder(source, _padding(keep))
        X = self.decoder(tokens, memory, _padding(keep_own), _padding(keep))
        found: Tensor = self.head(X, *asked)
        return found


def _refuse_padding(head: Module, keep: Tensor | None) -> None:
    """A head that looks at the last token, or at all of them together, would look at padding."""
    if keep is not None and getattr(head, "whole", False):
        raise CallError("head.padding", head=type(head).__name__)


add_sentences(
    "error",
    {
        "head.padding": "{head} asks about a whole text, and these texts are filled up with padding.",
        "head.padding.try": "Give texts of one length, or one text at a time; AllTokens answers for every token.",
        "head.places": "MaskedTokens needs to know which places were covered.",
        "head.places.try": "Give their positions after the tokens: model(tokens, places).",
    },
)


def _padding(keep: Tensor | None) -> Mask:
    return SEE_ALL if keep is None else Padding(keep.rename(token="key"))
