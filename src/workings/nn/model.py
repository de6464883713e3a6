"""Whole models: tokens in, logits out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..engine.errors import CallError
from ..engine.tensor import Tensor
from .masks import SEE_ALL, Mask, Padding
from .module import Module


@dataclass(frozen=True)
class Transformer(Module):
    """One stack of blocks. Whether it is an encoder like BERT or a decoder like GPT is a matter of its masks.

    `keep` marks the tokens of padded texts, `segments` says which sentence each token is in, where the embedding needs
    it; further inputs (the places of masked tokens) go to the head.
    """

    embedding: Module
    stack: Module
    head: Module
    transparent: ClassVar[tuple[str, ...]] = ("stack", "head")

    def forward(
        self, tokens: Tensor, *for_head: Any, keep: Tensor | None = None, segments: Tensor | None = None
    ) -> Tensor:
        _refuse_padding(self.head, keep)
        X = self.stack(self.embedding(tokens, *([] if segments is None else [segments])), _padding(keep))
        found: Tensor = self.head(X, *for_head)
        return found


@dataclass(frozen=True)
class Side(Module):
    """One side of an encoder-decoder: its embedding and its blocks."""

    embedding: Module
    stack: Module
    transparent: ClassVar[tuple[str, ...]] = ("stack",)

    def forward(self, tokens: Tensor, *more: Any) -> Tensor:
        found: Tensor = self.stack(self.embedding(tokens), *more)
        return found


@dataclass(frozen=True)
class EncoderDecoder(Module):
    """Two stacks: the encoder reads one text, the decoder generates another and attends to the encoder's output."""

    encoder: Side
    decoder: Side
    head: Module
    transparent: ClassVar[tuple[str, ...]] = ("head",)

    def forward(
        self, source: Tensor, tokens: Tensor, *for_head: Any, keep: Tensor | None = None, keep_own: Tensor | None = None
    ) -> Tensor:
        _refuse_padding(self.head, keep_own)
        memory = self.encoder(source, _padding(keep))
        X = self.decoder(tokens, memory, _padding(keep_own), _padding(keep))
        found: Tensor = self.head(X, *for_head)
        return found


def _refuse_padding(head: Module, keep: Tensor | None) -> None:
    """A head that reads the last token, or all of them together, would read padding."""
    if keep is not None and getattr(head, "whole", False):
        raise CallError(
            f"{type(head).__name__} reads a whole text, and these texts have padding.",
            hint="Give texts of one length, or one text at a time; AllTokens answers for every token.",
        )


def _padding(keep: Tensor | None) -> Mask:
    return SEE_ALL if keep is None else Padding(keep.rename(token="key"))
