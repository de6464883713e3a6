"""The fresh programs for `why`: broken ones with a sentence each, and right ones in unusual styles."""

from __future__ import annotations

from .attention import PROGRAMS as ATTENTION
from .cases import Told
from .layers import PROGRAMS as LAYERS
from .right import PROGRAMS as RIGHT_ATTENTION
from .right_layers import PROGRAMS as RIGHT_LAYERS
from .training import PROGRAMS as TRAINING

BROKEN: tuple[Told, ...] = (*ATTENTION, *LAYERS, *TRAINING)
RIGHT: tuple[Told, ...] = (*RIGHT_ATTENTION, *RIGHT_LAYERS)
