"""Programs of people who know NumPy and nothing of this package: they compute a sheet, most of them with one mistake.

Each operation is written once as it is right (operations.py), and each lesson once as it is computed (transformer.py
and others). A person with a mistake overrides one operation, in one of the lessons.
"""

from __future__ import annotations

from .attention_mistakes import ATTENTION
from .backward_mistakes import BACKWARD
from .cat_sleeps import PEOPLE as CAT_SLEEPS
from .cat_sleeps import CatSleeps
from .embedding_mistakes import EMBEDDINGS
from .layer_mistakes import LAYERS
from .layer_norm import PEOPLE as LAYER_NORM
from .layer_norm import Normalizing
from .loss_mistakes import PREDICTIONS
from .masking import Masking
from .paper import Person
from .transformer import RIGHT as TRANSFORMERS
from .update_mistakes import UPDATES

RIGHT: tuple[type[Person], ...] = (*TRANSFORMERS, CatSleeps, Normalizing, Masking)
PEOPLE: tuple[type[Person], ...] = (
    *RIGHT,
    *EMBEDDINGS,
    *ATTENTION,
    *LAYERS,
    *PREDICTIONS,
    *BACKWARD,
    *UPDATES,
    *CAT_SLEEPS,
    *LAYER_NORM,
)
