"""The trial: people with mistakes that other sets do not have, or have elsewhere, on the lessons of all sets.

They were written and frozen before anything was measured with them. `says`, `names`, `used` and `factor` are as in the
exam.
"""

from __future__ import annotations

import random

from ..fresh.lessons import RIGHT
from ..heldout.examinee import Examinee
from .attention import PEOPLE as ATTENTION
from .attention_back import PEOPLE as ATTENTION_BACK
from .backward import PEOPLE as BACKWARD
from .careful import PEOPLE as CAREFUL
from .layers import PEOPLE as LAYERS
from .losses import PEOPLE as LOSSES
from .positions import PEOPLE as POSITIONS
from .training import PEOPLE as TRAINING
from .twice import PEOPLE as TWICE

SEEDS = tuple(random.Random(4021).sample(range(1, 10**6), 40))

PEOPLE: tuple[type[Examinee], ...] = (
    *RIGHT,
    *POSITIONS,
    *ATTENTION,
    *LAYERS,
    *LOSSES,
    *BACKWARD,
    *ATTENTION_BACK,
    *TRAINING,
    *CAREFUL,
    *TWICE,
)
