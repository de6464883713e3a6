"""Sessions that take a second: a scenario with several ways of training, trained as a whole or stopped."""

from __future__ import annotations

from pathlib import Path

from small_training import BEGINNING

from workings.scenarios.running.recipe import Recipe
from workings.training.checkpoint import steps_in
from workings.training.checkpoint_format import WEIGHTS
from workings.training.session import Session

SMALL = (
    BEGINNING
    + """
train:
  {optimizer: adamw, learning_rate: 0.01, warmup_steps: 4, schedule: cosine, end_factor: 0.1, max_grad_norm: 1,
   batch_size: 8, steps: 20, save_steps: 5, eval_steps: 10}
runs:
  dropping: {model: {dropout: 0.2}}
  accumulating: {train: {accumulation_steps: 3, average: sequences}}
  steady: {train: {schedule: constant}}
  plain: {train: {optimizer: sgd, max_grad_norm: null}}
"""
)
TEXT = "the cat sat on the mat and the dog sat on the log\n" * 40


def recipe(run: str = "default", changes: str = "", text: str = SMALL) -> Recipe:
    return Recipe("small", text, run, changes)


def trained(folder: Path, run: str = "default", changes: str = "", text: str = SMALL) -> Session:
    """A session that has made its last step."""
    session = Session(recipe(run, changes, text), folder)
    session.resume()
    list(session.run())
    return session


def stopped(folder: Path, step: int, run: str = "default", changes: str = "") -> None:
    """Train until a step, and leave only what was saved."""
    session = Session(recipe(run, changes), folder)
    session.resume()
    for progress in session.run():
        if progress.step == step:
            return


def last_weights(folder: Path) -> bytes:
    """The file of the last checkpoint's weights."""
    return (folder / f"step-{steps_in(folder)[-1]:06d}" / WEIGHTS).read_bytes()
