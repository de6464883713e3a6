"""The fresh set: a third examination, for graders and for `why`, on the lessons of both earlier sets.

It comes from public issue threads and questions about home-made transformers and from experience, not from the grader
or its catalogue; mistakes were chosen by how common they are. Each person and program has `says`, one sentence about
what was done and what is right. `names` has the ids of the catalogue whose hints are true of it, and an id that begins
with `pending.` where there are none. As with the held-out set, nothing is tuned with a view to this one.
"""

from __future__ import annotations

import random

from ..heldout.examinee import Examinee
from .attention import PEOPLE as ATTENTION
from .attention_back import PEOPLE as ATTENTION_BACK
from .backward import PEOPLE as BACKWARD
from .careful import PEOPLE as CAREFUL
from .layers import PEOPLE as LAYERS
from .lessons import RIGHT
from .losses import PEOPLE as LOSSES
from .positions import PEOPLE as POSITIONS
from .training import PEOPLE as TRAINING
from .twice import PEOPLE as TWICE

SEEDS = tuple(random.Random(2026).sample(range(1, 10**6), 40))

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
