"""Architectures of all kinds that can write a text, for the tests of generation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from workings import nn
from workings.nn import Architecture

POSITIONS = 6

# No shrinking: a failing architecture is small already, and its print says it all.
often = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)


@st.composite
def architectures(draw: Any, kinds: tuple[str, ...] = ("decoder", "encoder-decoder")) -> Architecture:
    kind = draw(st.sampled_from(kinds))
    position = draw(st.sampled_from(["none", "interleaved", "concatenated", "learned"]))
    heads = draw(st.integers(1, 3))
    projected = heads > 1 or draw(st.booleans())
    width = 2 * draw(st.integers(1, 4))
    return Architecture(
        kind=kind,
        vocab_size=draw(st.integers(2, 7)),
        width=width,
        heads=heads,
        head_size=draw(st.integers(1, 4)) if projected else width,
        layers=draw(st.integers(1, 3)),
        decoder_layers=draw(st.integers(0, 2)),
        hidden=draw(st.integers(int(kind == "encoder-decoder"), 6)),
        activation=draw(st.sampled_from(["relu", "gelu", "gelu_tanh"])),
        norm=draw(st.sampled_from(["none", "layer", "rms"])),
        norm_place=draw(st.sampled_from(["pre", "post"])),
        norm_epsilon=draw(st.sampled_from([1e-5, 1e-3])),
        final_norm=draw(st.booleans()),
        residual=draw(st.sampled_from(["all", "none", "attention", "feed_forward"])),
        attention_scale=draw(st.sampled_from(["head", "model"])),
        projections=draw(st.sampled_from(["packed", "per-head"])),
        output_projection=projected,
        biases=draw(st.sampled_from(["all", "feed_forward", "none"])),
        position=position,
        max_positions=POSITIONS,
        segments=draw(st.integers(0, 1)) if position == "learned" else 0,
        head=draw(st.sampled_from(["all-tokens", "last-token"])),
        tied_embeddings=draw(st.booleans()),
        head_bias=draw(st.booleans()),
    )


def built(architecture: Architecture, seed: int = 7) -> Any:
    """A model whose numbers have all digits: no two scores are equal."""
    return nn.build(architecture, nn.Drawn(seed, "normal"))


SMALL = Architecture(
    kind="decoder", vocab_size=5, width=4, heads=2, layers=2, hidden=6, position="learned", max_positions=POSITIONS,
    head="all-tokens",
)  # fmt: skip
PAIR = replace(SMALL, kind="encoder-decoder", mask=None)
