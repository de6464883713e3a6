"""The trial's programs for `why`: broken ones with a sentence each, and right ones written in other ways."""

from __future__ import annotations

from ..fresh_why.cases import Told
from .attention import PROGRAMS as ATTENTION
from .layers import PROGRAMS as LAYERS
from .right import PROGRAMS as RIGHT_ONES
from .training import PROGRAMS as TRAINING

BROKEN: tuple[Told, ...] = (*ATTENTION, *LAYERS, *TRAINING)
RIGHT: tuple[Told, ...] = tuple(RIGHT_ONES)
