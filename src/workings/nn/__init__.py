"""The transformer, from ops: modules that read like the block diagram in a textbook."""

from __future__ import annotations

from .architecture import Architecture
from .attention import Head, PackedHeads, SeparateHeads, attend
from .block import AttentionBlock, Block, CrossBlock, Decoder, Encoder, EncoderDecoderStack
from .build import build
from .cache import Cached, CachedEncoderDecoder, with_cache
from .embedding import BertEmbedding, Embedding, LearnedPositions, PositionedEmbedding, Sinusoidal
from .feed_forward import FeedForward
from .from_torch import from_torch
from .head import (
    AllTokens,
    Classifier,
    FirstPool,
    LastToken,
    MaskedTokens,
    MeanPool,
    Pooler,
    Scores,
    TiedScores,
    TokenSigmoid,
)
from .mask_from_torch import mask_from_torch
from .masks import Allowed, Biased, BiasedKeys, Both, Causal, Padding, SeeAll
from .model import EncoderDecoder, Side, Transformer
from .module import Module, Same
from .norm import LayerNorm, RMSNorm
from .projection import Linear, project
from .sublayer import Dropped, NormFirst, NormLast, PostNorm, PreNorm, Residual, Straight
from .weights import Drawn, Given, Shapes

__all__ = [
    "AllTokens", "Allowed", "Architecture", "AttentionBlock", "BertEmbedding", "Biased", "BiasedKeys", "Block",
    "Both", "Cached", "CachedEncoderDecoder", "Causal", "Classifier", "CrossBlock", "Decoder", "Drawn", "Dropped",
    "Embedding", "Encoder", "EncoderDecoder", "EncoderDecoderStack", "FeedForward", "FirstPool", "Given", "Head",
    "LastToken", "LayerNorm", "LearnedPositions", "Linear", "MaskedTokens", "MeanPool", "Module", "NormFirst",
    "NormLast", "PackedHeads", "Padding", "Pooler", "PositionedEmbedding", "PostNorm", "PreNorm", "RMSNorm",
    "Residual", "Same", "Scores", "SeeAll", "SeparateHeads", "Shapes", "Side", "Sinusoidal", "Straight",
    "TiedScores", "TokenSigmoid", "Transformer", "attend", "build", "from_torch", "mask_from_torch", "project",
    "with_cache",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
