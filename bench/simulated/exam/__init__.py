"""The exam: people with the mistakes that a teaching assistant sees most often, on the lessons of all other sets.

They were written from experience, before looking at the catalogue and without looking at the grader. `says` and `names`
are as in the fresh set. `used` has the end of the path of a table that was used, and that of the one that would
have been right, where that is the whole mistake; `factor` is true where the wrong result is a constant times the right
one.
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
from .masks_and_heads import PEOPLE as MASKS_AND_HEADS
from .positions import PEOPLE as POSITIONS
from .training import PEOPLE as TRAINING
from .twice import PEOPLE as TWICE

SEEDS = tuple(random.Random(77).sample(range(1, 10**6), 40))

PEOPLE: tuple[type[Examinee], ...] = (
    *RIGHT,
    *POSITIONS,
    *ATTENTION,
    *MASKS_AND_HEADS,
    *LAYERS,
    *LOSSES,
    *BACKWARD,
    *ATTENTION_BACK,
    *TRAINING,
    *CAREFUL,
    *TWICE,
)
