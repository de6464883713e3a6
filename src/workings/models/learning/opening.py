"""Any step of a training as a whole trace, also long after it was made.

Batches and weights follow from the seed and the number of the step. So a step is made again: from the nearest
checkpoint before it, or from the very beginning, the steps up to it run as a program, and it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ...engine.errors import CheckpointError, TrainingError
from ...explain.view import Trace
from ..running.computation import LOSS
from ..scenario import names
from . import checkpoint as files
from .session import Session

STEP = re.compile(r"step(\d+)")


def is_training(name: str | Path, run: str | None = None) -> bool:
    """Whether a name means the folder of a training. The name of a scenario of the package means the scenario, unless a
    step is asked for; `./copy` is always a folder.
    """
    if str(name) in names() and not (run and STEP.fullmatch(run)):
        return False
    return bool(files.steps_in(Path(name)))


def step_called(run: str | None, last: int) -> int:
    """The number of the step that a run of a training means: `step100`; without a name, the last one made."""
    if run is None:
        return max(last, 1)
    match = STEP.fullmatch(run)
    if match is None:
        raise CheckpointError("checkpoint.run", run=run)
    return int(match[1])


def open_step(folder: str | Path, run: str | None = None, tell: Callable[[int, int], None] | None = None) -> Trace:
    """A step of the training in a folder: every number of it forward, backward and update.

    `tell` hears how many steps there are to make again before it, and how many are made.
    """
    folder = Path(folder)
    newest = files.load_checkpoint(folder)
    session = Session(newest.recipe, folder)
    number = step_called(run, newest.step)
    if not 1 <= number <= session.steps:
        raise TrainingError("train.done", step=number, steps=session.steps, where=str(folder))
    before = [step for step in files.steps_in(folder) if step < number]
    if before:
        session.resume(before[-1])
    session.advance_to(number - 1, tell)
    trace = session.recorded(number)
    trace.seed = newest.recipe.plan.parameters.seed
    trace.history = {LOSS: [*session.losses, float(trace[LOSS].value)]}
    return trace
