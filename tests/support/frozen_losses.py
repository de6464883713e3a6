"""Three trainings of ten steps, as a user would start them, and the losses that they had when they were frozen.

`python tests/support/frozen_losses.py write` (make frozen) writes frozen_losses.json anew, to be read before it is
committed. PyTorch is the judge of the numbers (test_frozen_losses.py); the file shows when both have moved.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workings.engine.arrays import Array
from workings.scenarios.running.checkpoints import load_checkpoint
from workings.scenarios.running.computation import BatchComputation
from workings.scenarios.running.recipe import Recipe
from workings.training.session import Session

FILE = Path(__file__).parents[1] / "training" / "frozen_losses.json"
TEXT = FILE.with_name("river.txt")  # a text of our own: Python's sources differ from version to version
STEPS = 10

TRAINED = """
train:
  optimizer: {name: adamw, beta2: 0.98, decay: 0.05}
  learning_rate: 0.01
  warmup_steps: 3
  schedule: cosine
  end_factor: 0.1
  steps: 10
"""

SCENARIOS = {
    # Here as in the others the first gradients are longer than `clip`.
    "GPT-style": """
scenario: 1
convention: gpt2
model: {kind: decoder, width: 16, heads: 4, layers: 2, hidden: 32, final_norm: true, position: learned,
  head: all-tokens}
parameters: {seed: 3, draw: normal}
data: {text: RIVER, context: 24}
"""
    + TRAINED
    + "  max_grad_norm: 1\n  batch_size: 5\n",
    # Two small batches a step, in which not equally many words are covered.
    "BERT-style": """
scenario: 1
convention: bert
vocabulary: {unit: word}
model: {kind: encoder, width: 12, heads: 3, layers: 2, hidden: 24, position: learned, head: all-tokens}
parameters: {seed: 5, draw: normal}
data: {text: RIVER, context: 14}
"""
    + TRAINED
    + "  max_grad_norm: 0.5\n  batch_size: 4\n  accumulation_steps: 2\n",
    # Dates are of different lengths: the source is filled up, and nobody may look at what it is filled up with.
    "encoder-decoder": """
scenario: 1
convention: pytorch
model: {kind: encoder-decoder, width: 12, heads: 2, layers: 2, decoder_layers: 1, hidden: 20, final_norm: true,
  position: learned, head: all-tokens}
parameters: {seed: 8, draw: normal}
data: {task: dates}
"""
    + TRAINED
    + "  max_grad_norm: 2\n  batch_size: 6\n",
}


@dataclass(frozen=True)
class Trained:
    """A training: its weights at the start and at the end, and its losses."""

    session: Session
    start: dict[str, Array]
    losses: list[float]
    weights: dict[str, Array]

    @property
    def computation(self) -> BatchComputation:
        computation = self.session.trainer.computation
        assert isinstance(computation, BatchComputation)
        return computation


def trained(name: str, folder: Path) -> Trained:
    """A training from its first step to its last; its weights are read from its last checkpoint."""
    text = SCENARIOS[name].replace("RIVER", json.dumps(str(TEXT)))
    session = Session(Recipe(name, text), folder)
    start = {path: weight.array.copy() for path, weight in session.trainer.weights().items()}
    session.advance_to(STEPS)
    session.save(set())
    return Trained(session, start, session.losses, dict(load_checkpoint(folder).weights))


def read() -> dict[str, list[float]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        losses = {name: trained(name, Path(folder) / name).losses for name in SCENARIOS}
    FILE.write_text(json.dumps(losses, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["write"]:
    write()
