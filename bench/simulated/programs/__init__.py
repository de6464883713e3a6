"""Programs of people who know NumPy and nothing of this package: they work out a sheet, most of them with one mistake.

Each file is one computation, written once as it is right. A person is a class that does one thing of it differently.
"""

from __future__ import annotations

from .attention import PEOPLE as ATTENTION
from .cat_sleeps import PEOPLE as CAT_SLEEPS
from .feed_forward import PEOPLE as FEED_FORWARD
from .heads import PEOPLE as HEADS
from .layer_norm import PEOPLE as LAYER_NORM
from .masking import PEOPLE as MASKING
from .paper import Person
from .positions import PEOPLE as POSITIONS

PEOPLE: tuple[type[Person], ...] = (
    *ATTENTION,
    *FEED_FORWARD,
    *CAT_SLEEPS,
    *LAYER_NORM,
    *POSITIONS,
    *MASKING,
    *HEADS,
)
