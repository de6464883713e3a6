"""From an architecture and weights to modules: each choice picks a module that can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..engine.arguments import checks_arguments
from ..engine.op import OPS
from ..engine.tensor import Tensor
from ..ops.parts.drawing import Draws
from . import head as heads
from .architecture import Architecture
from .attention import Head, PackedHeads, SeparateHeads
from .block import AttentionBlock, Block, CrossBlock, Decoder, Encoder
from .embedding import BertEmbedding, Embedding, LearnedPositions, PositionedEmbedding, Sinusoidal
from .feed_forward import FeedForward
from .masks import SEE_ALL, Causal, Mask
from .model import EncoderDecoder, Side, Transformer
from .module import Module, Same
from .norm import LayerNorm, RMSNorm
from .sublayer import Dropped, NormFirst, NormLast, PostNorm, PreNorm, Residual, Straight
from .weights import Weights


@checks_arguments
def build(architecture: Architecture, weights: Weights, draws: Draws | None = None) -> Transformer | EncoderDecoder:
    """The model of an architecture. `draws` are for dropout, which is left out where there are none.

    >>> from workings import nn
    >>> model = nn.build(nn.Architecture(kind="decoder", vocab_size=4, width=2, hidden=3, norm="none"), nn.Drawn(7))
    >>> list(model.parameters())[:3]
    ['embedding.E', 'block1.attention.W_Q', 'block1.attention.W_K']
    """
    builder = _Builder(architecture, weights, draws)
    if architecture.kind == "encoder-decoder":
        return builder.encoder_decoder()
    return builder.transformer()


@dataclass
class _Builder:
    """Requests the weights in the order in which the data meets them."""

    a: Architecture
    weights: Weights
    draws: Draws | None

    def transformer(self) -> Transformer:
        a = self.a
        embedding = self.embedding("embedding")
        blocks = tuple(self.block(f"block{n}", self.own_mask()) for n in range(1, a.layers + 1))
        stack = Encoder(blocks, self.norm("final_norm") if a.final_norm else Same())
        return Transformer(embedding, stack, self.head(embedding))

    def encoder_decoder(self) -> EncoderDecoder:
        a = self.a
        read = self.embedding("encoder.embedding")
        blocks = tuple(self.block(f"encoder.block{n}", SEE_ALL) for n in range(1, a.layers + 1))
        encoder = Side(read, Encoder(blocks, self.norm("encoder.final_norm") if a.final_norm else Same()))
        # One table for both texts, as in the paper.
        own = self.embedding("decoder.embedding", read.E)
        crossing = tuple(self.cross_block(f"decoder.block{n}") for n in range(1, a.decoder_layers + 1))
        decoder = Side(own, Decoder(crossing, self.norm("decoder.final_norm") if a.final_norm else Same()))
        return EncoderDecoder(encoder, decoder, self.head(read))

    # -- embedding and head ------------------------------------------------------------------------

    def embedding(self, path: str, table: Tensor | None = None) -> Any:
        a = self.a
        E = self.weights(f"{path}.E", "vocab model", (a.vocab_size, a.width)) if table is None else table
        if a.position == "none":
            return Embedding(E)
        if a.position != "learned":
            return PositionedEmbedding(E, Sinusoidal(a.position))
        shape = (a.max_positions, a.width)
        position = LearnedPositions(self.weights(f"{path}.position.E_position", "place model", shape))
        if not a.segments:
            return PositionedEmbedding(E, position)
        segment = self.weights(f"{path}.E_segment", "segment model", (a.segments, a.width))
        return BertEmbedding(E, position, segment, self.norm(f"{path}.norm"))

    def head(self, embedding: Any) -> Module:
        a = self.a
        scored = {"last-token": heads.LastToken, "all-tokens": heads.AllTokens, "masked-tokens": heads.MaskedTokens}
        if a.head in scored:
            return scored[a.head](self.scores(embedding.E))
        if a.head == "token-sigmoid":
            return heads.TokenSigmoid(**self.pair("", "yes", "model answer", (self.width, 1), a.head_bias))
        if a.head == "classifier":
            return heads.Classifier(
                self.pool(), **self.pair("", "class", "model class", (self.width, a.classes), a.head_bias)
            )
        return self.pool() if a.pool == "pooler" else Same()

    def scores(self, table: Tensor) -> Module:
        a = self.a
        if a.tied_embeddings:
            return heads.TiedScores(table)
        return heads.Scores(**self.pair("", "vocab", "model vocab", (self.width, a.vocab_size), a.head_bias))

    def pool(self) -> Module:
        a = self.a
        if a.pool == "pooler":
            biased = a.biases == "all"
            return heads.Pooler(**self.pair("", "pool", "model pooled", (a.width, a.width), biased))
        return heads.MeanPool() if a.pool == "mean" else heads.FirstPool()

    @property
    def width(self) -> int:
        """The columns of what the blocks give."""
        return self.a.width if self.a.hidden else self.a.attention_width

    # -- blocks ------------------------------------------------------------------------------------

    def own_mask(self) -> Mask:
        return Causal() if self.a.mask == "causal" else SEE_ALL

    def block(self, path: str, mask: Mask) -> Module:
        attention = self.sublayer(f"{path}.attention", partial(self.attention, mask=mask))
        if not self.a.hidden:
            return AttentionBlock(attention)
        return Block(attention, self.sublayer(f"{path}.feed_forward", self.feed_forward))

    def cross_block(self, path: str) -> CrossBlock:
        attention = self.sublayer(f"{path}.attention", partial(self.attention, mask=Causal()))
        crossing = self.sublayer(f"{path}.cross_attention", partial(self.attention, mask=SEE_ALL))
        return CrossBlock(attention, crossing, self.sublayer(f"{path}.feed_forward", self.feed_forward))

    def sublayer(self, path: str, make: Any) -> Module:
        """A part with what surrounds it: a residual connection, a norm, dropout."""
        a = self.a
        is_feed_forward = path.endswith("feed_forward")
        residual = a.residual in ("all", "feed_forward" if is_feed_forward else "attention")
        ways: dict[tuple[bool, str], Any] = {
            (True, "pre"): PreNorm, (True, "post"): PostNorm, (False, "pre"): NormFirst, (False, "post"): NormLast,
        }  # fmt: skip
        norm = self.norm(f"{path}.norm") if a.norm != "none" and a.norm_place == "pre" else None
        part: Module = make(path)
        if a.norm != "none" and a.norm_place == "post":
            norm = self.norm(f"{path}.norm")
        if a.dropout and self.draws is not None:
            part = Dropped(part, a.dropout, self.draws)
        if norm is not None:
            way: Module = ways[residual, a.norm_place](part, norm)
            return way
        return Residual(part) if residual else Straight(part)

    def attention(self, path: str, mask: Mask) -> Module:
        a = self.a
        if not a.output_projection:
            return self.one_head(path, mask)
        back = partial(self.pairs, path, "O", "joined model", (a.joined, a.width), a.biases == "all")
        if a.projections == "per-head":
            heads = tuple(self.one_head(f"{path}.head{n}", mask) for n in range(1, a.heads + 1))
            return SeparateHeads(heads, **back())
        forth = self.pairs(path, "QKV", "model joined", (a.width, a.joined), a.biases == "all")
        return PackedHeads(**forth, **back(), heads=a.heads, mask=mask, d=self.scale)

    def one_head(self, path: str, mask: Mask) -> Head:
        a = self.a
        forth = self.pairs(path, "QKV", "model head_size", (a.width, a.head_size), a.biases == "all")
        return Head(**forth, mask=mask, d=self.scale)

    @property
    def scale(self) -> float | None:
        """The number whose root divides the scores, where it is not the head size."""
        return float(self.a.width) if self.a.attention_scale == "model" else None

    def feed_forward(self, path: str) -> FeedForward:
        a = self.a
        biased = a.biases != "none"
        # Without W_O, attention may give fewer columns than came in; feed-forward goes back to the width.
        first = self.pairs(path, "1", "model hidden", (a.attention_width, a.hidden), biased)
        second = self.pairs(path, "2", "hidden model", (a.hidden, a.width), biased)
        return FeedForward(**first, **second, activation=OPS[a.activation])

    def norm(self, path: str) -> Module:
        a = self.a
        size = (a.width,)
        gamma = self.weights(f"{path}.gamma", "model", size, "ones")
        if a.norm == "rms":
            return RMSNorm(gamma, a.norm_epsilon)
        beta = self.weights(f"{path}.beta", "model", size, "zeros")
        return LayerNorm(gamma, beta, a.norm_epsilon, a.norm_correction, a.norm_epsilon_place)

    # -- matrices with their biases ----------------------------------------------------------------

    def pairs(self, path: str, names: str, axes: str, shape: tuple[int, int], biased: bool) -> dict[str, Any]:
        """W_Q and b_Q, and so on, for each letter."""
        found: dict[str, Any] = {}
        for name in names:
            found |= self.pair(path, name, axes, shape, biased)
        return found

    def pair(self, path: str, name: str, axes: str, shape: tuple[int, int], biased: bool) -> dict[str, Any]:
        """A matrix and its bias, or None for it."""
        before = f"{path}." if path else ""
        W = self.weights(f"{before}W_{name}", axes, shape)
        b = self.weights(f"{before}b_{name}", axes.split()[1], shape[1:], "zeros") if biased else None
        return {f"W_{name}": W, f"b_{name}": b}
