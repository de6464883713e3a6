"""The lessons of both earlier sets as the people of this one compute them; nothing is wrong here."""

from __future__ import annotations

from ..heldout.adam import Adam
from ..heldout.batch import Batch
from ..heldout.block import Block, Encoder
from ..heldout.cache import Cached
from ..heldout.cross import Cross, Scores
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..heldout.recurrent import Recurrent
from ..heldout.sampling import Dropping, Sampling
from ..heldout.tips import Tips
from ..heldout.token_i import TokenI
from ..programs.cat_sleeps import CatSleeps
from ..programs.layer_norm import Normalizing
from ..programs.masking import Masking
from ..programs.transformer import (
    Example1,
    Example2,
    Example3,
    Example5,
    Example6,
    HeadsAndLayers,
    MultiHead,
    PositionalEncoding,
    ResidualAttention,
    SmallDecoder,
)


def pending(slug: str) -> frozenset[str]:
    """What stands for the ids of a mistake that the catalogue has no name for."""
    return frozenset({f"pending.{slug}"})


class One(Examinee, Example1):
    """Two tokens, one head, one prediction."""


class Two(Examinee, Example2):
    """The same, and the last weight is updated."""


class Three(Examinee, Example3):
    """The same, and every weight is updated."""


class Five(Examinee, Example5):
    """With a feed-forward network and its residual."""


class Six(Examinee, Example6):
    """Two blocks with norms and two heads."""


class Residual(Examinee, ResidualAttention):
    """Attention with a residual, without a prediction."""


class Places(Examinee, PositionalEncoding):
    """Positions, then attention with a residual; forward only."""


class Heads(Examinee, MultiHead):
    """Two heads, without a prediction."""


class Decoder(Examinee, SmallDecoder):
    """A pre-norm decoder block that predicts at every position."""


class Layers(Examinee, HeadsAndLayers):
    """Two heads and a feed-forward network without residuals."""


class Sleeping(Examinee, CatSleeps):
    """Yes or no for each of three tokens."""


class Norm(Examinee, Normalizing):
    """Layer normalization, line by line."""


class Masked(Examinee, Masking):
    """A causal mask over given scores."""


RIGHT: tuple[type[Examinee], ...] = (
    One, Two, Three, Five, Six, Residual, Places, Heads, Decoder, Layers, Sleeping, Norm, Masked,
    Tips, Batch, TokenI, HelloWorld, Block, Encoder, Cross, Scores, Adam, Cached, Sampling, Dropping, Recurrent,
)  # fmt: skip
