"""Checkpoints of scenarios that were trained: read again, or any step of the training opened as a whole trace.

Batches and weights depend only on the seed and the number of the step. So a step can be made again at any time: the
steps up to it run as a program, from the nearest checkpoint or from the beginning, and the step itself is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ...engine.arguments import checks_arguments
from ...engine.errors import CheckpointError, TrainingError
from ...explain.trace import Trace
from ...training.checkpoint import read_checkpoint, steps_in
from ...training.checkpoint_format import Checkpoint
from ...training.gradients import LOSS
from ...training.session import Session
from ..scenario import names
from .recipe import Recipe

STEP = re.compile(r"step([0-9]{1,18})")


@checks_arguments
def load_checkpoint(path: str | Path, step: int | None = None) -> Checkpoint[Recipe]:
    """The last checkpoint in the folder of a training, or that of a step; the folder of one checkpoint works too."""
    return read_checkpoint(path, Recipe.from_data, step)


def is_training(name: str | Path, run: str | None = None) -> bool:
    """Whether a name means the folder of a training. The name of a scenario of the package means the scenario, unless
    the run is a training step; `./copy` is always a folder.
    """
    if str(name) in names() and not (run and STEP.fullmatch(run)):
        return False
    return bool(steps_in(Path(name)))


def open_step(folder: str | Path, run: str | None = None, on_step: Callable[[int, int], None] | None = None) -> Trace:
    """A step of the training in a folder (`step100`, or the last one): every number of forward, backward and update.

    While steps before it are made again, `on_step(made, to_make)` is called after each.
    """
    folder = Path(folder)
    newest = load_checkpoint(folder)
    number = _step_number(run, newest.step)
    session = Session(newest.recipe, folder)
    if not 1 <= number <= session.steps:
        raise TrainingError(
            f"This training has no step {number}: it has {session.steps}.",
            hint=f"Choose a step from 1 to {session.steps}, or train more steps.",
            where=str(folder),
        )
    before = [step for step in steps_in(folder) if step < number]
    if before:
        session.resume(before[-1])
    session.advance_to(number - 1, on_step)
    trace = session.record_step()
    return trace.with_run(seed=newest.recipe.seed, history={LOSS: tuple(session.losses)})


def _step_number(run: str | None, last: int) -> int:
    if run is None:
        return max(last, 1)
    match = STEP.fullmatch(run)
    if match is None:
        raise CheckpointError(f"'{run}' is not a training step.", hint="Name a step by its number: --run step100.")
    return int(match[1])
