"""The exam's programs for `why`: broken ones with a sentence each, and right ones written in other ways."""

from __future__ import annotations

from ..fresh_why.cases import Told
from .attention import PROGRAMS as ATTENTION
from .block import PROGRAMS as BLOCKS
from .heads import PROGRAMS as HEADS
from .layers import PROGRAMS as LAYERS
from .norms import PROGRAMS as NORMS
from .right import PROGRAMS as RIGHT_ONES
from .training import PROGRAMS as TRAINING

BROKEN: tuple[Told, ...] = (*ATTENTION, *HEADS, *NORMS, *LAYERS, *TRAINING, *BLOCKS)
RIGHT: tuple[Told, ...] = tuple(RIGHT_ONES)
