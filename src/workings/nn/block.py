"""Blocks, of which a transformer is a stack."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.tensor import Tensor
from .masks import SEE_ALL, Mask
from .module import SAME, Module


@dataclass(frozen=True)
class Block(Module):
    """Attention among the tokens, then feed-forward for each token. Both are sublayers: see sublayer.py."""

    attention: Module
    feed_forward: Module

    def forward(self, X: Tensor, padding: Mask = SEE_ALL) -> Tensor:
        X = self.attention(X, None, padding)
        found: Tensor = self.feed_forward(X)
        return found


@dataclass(frozen=True)
class AttentionBlock(Module):
    """Attention alone, as in the first examples of a course."""

    attention: Module

    def forward(self, X: Tensor, padding: Mask = SEE_ALL) -> Tensor:
        found: Tensor = self.attention(X, None, padding)
        return found


@dataclass(frozen=True)
class CrossBlock(Module):
    """The block of a decoder with an encoder: masked attention among its own tokens, cross-attention to the
    encoder's output for the other text (the memory), feed-forward.
    """

    attention: Module
    cross_attention: Module
    feed_forward: Module

    def forward(self, X: Tensor, memory: Tensor, padding: Mask = SEE_ALL, memory_padding: Mask = SEE_ALL) -> Tensor:
        X = self.attention(X, None, padding)
        X = self.cross_attention(X, memory, memory_padding)
        found: Tensor = self.feed_forward(X)
        return found


@dataclass(frozen=True)
class Encoder(Module):
    """Blocks one after the other, whose tokens attend to each other. With causal masks it is a decoder like GPT."""

    blocks: tuple[Module, ...]
    final_norm: Module = SAME

    def forward(self, X: Tensor, padding: Mask = SEE_ALL) -> Tensor:
        for block in self.blocks:
            X = block(X, padding)
        found: Tensor = self.final_norm(X)
        return found


@dataclass(frozen=True)
class Decoder(Module):
    """Blocks that attend to their own text and to a memory."""

    blocks: tuple[Module, ...]
    final_norm: Module = SAME

    def forward(self, X: Tensor, memory: Tensor, padding: Mask = SEE_ALL, memory_padding: Mask = SEE_ALL) -> Tensor:
        for block in self.blocks:
            X = block(X, memory, padding, memory_padding)
        found: Tensor = self.final_norm(X)
        return found


@dataclass(frozen=True)
class EncoderDecoderStack(Module):
    """An encoder and a decoder without embeddings and without a head: vectors of both texts in, vectors out.

    Each of the three attentions has a mask: the source attends to itself, X to itself, X to the source.
    """

    encoder: Module
    decoder: Module

    def forward(
        self,
        source: Tensor,
        X: Tensor,
        padding: Mask = SEE_ALL,
        own_padding: Mask = SEE_ALL,
        memory_padding: Mask = SEE_ALL,
    ) -> Tensor:
        memory = self.encoder(source, padding)
        found: Tensor = self.decoder(X, memory, own_padding, memory_padding)
        return found
