"""The transformer, from ops: modules that read like the block diagram in a textbook.

architecture     everything that is needed to build a transformer, except its numbers
weights          its numbers: drawn from a seed, given by path, or only their shapes
build            from an architecture and weights to modules
module           what every module is: weights and smaller modules under names

embedding        tokens and positions to vectors          projection    X W or X W + b
attention        one head, several, or all in one matrix  masks         what a query may attend to
feed_forward     two linear layers                        norm          layer norm, RMS norm
sublayer         residual connections and where norms are
block            blocks and stacks of them                head          logits, classes, tags
model            whole models                             cache         the KV cache

from_torch, mask_from_torch    modules and masks of PyTorch
"""

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
