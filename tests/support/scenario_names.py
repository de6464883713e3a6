"""The scenarios of the package: those whose data is written out, and those that are there to be trained for long."""

from __future__ import annotations

import workings as w
from workings.scenarios.scenario import Scenario, names

EXAMPLES = tuple(name for name in names() if isinstance(w.scenario(name).plan().data, tuple))
TRAININGS = tuple(name for name in names() if name not in EXAMPLES)

SMALLER = """
precision: float64
model: {width: 4, heads: 2, layers: 1, hidden: 4}
train: {batch_size: 2}
"""


def smaller(name: str) -> Scenario:
    """A training as it is, with a model and batches that fit on a page."""
    return w.scenario(name).changed(SMALLER)
