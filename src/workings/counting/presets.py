"""Architectures that are known by name, as their authors published them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..nn import Architecture

GPT2 = Architecture(
    kind="decoder",
    vocab_size=50257,
    width=768,
    heads=12,
    layers=12,
    hidden=3072,
    activation="gelu_tanh",
    final_norm=True,
    mask="causal",
    position="learned",
    max_positions=1024,
    head="all-tokens",
    tied_embeddings=True,
)

BERT = Architecture(
    kind="encoder",
    vocab_size=30522,
    width=768,
    heads=12,
    layers=12,
    hidden=3072,
    activation="gelu",
    norm_place="post",
    norm_epsilon=1e-12,
    position="learned",
    max_positions=512,
    segments=2,
    head="none",
    pool="pooler",
)

# "Attention Is All You Need", with the choices of `workings.conventions` under the name paper.
PAPER = Architecture(
    kind="encoder-decoder",
    vocab_size=37000,
    width=512,
    heads=8,
    layers=6,
    hidden=2048,
    norm_place="post",
    norm_epsilon=1e-6,
    mask="causal",
    biases="feed_forward",
    position="interleaved",
    head="all-tokens",
    tied_embeddings=True,
)

PRESETS: Mapping[str, Architecture] = MappingProxyType(
    {
        "gpt2": GPT2,
        "gpt2-medium": replace(GPT2, width=1024, heads=16, head_size=0, layers=24, decoder_layers=0, hidden=4096),
        "gpt2-large": replace(GPT2, width=1280, heads=20, head_size=0, layers=36, decoder_layers=0, hidden=5120),
        "gpt2-xl": replace(GPT2, width=1600, heads=25, head_size=0, layers=48, decoder_layers=0, hidden=6400),
        "bert-base": BERT,
        "bert-large": replace(BERT, width=1024, heads=16, head_size=0, layers=24, decoder_layers=0, hidden=4096),
        # BERT as teaching documents count it: a round vocabulary, attention without biases, no segments, no pooler,
        # and no norm after the embedding.
        "bert-base-source": replace(BERT, vocab_size=30000, biases="feed_forward", segments=0, pool="mean"),
        "paper-base": PAPER,
        "paper-big": replace(PAPER, width=1024, heads=16, head_size=0, hidden=4096),
    }
)
