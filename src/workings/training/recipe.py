"""What a session needs to know of a training. Scenarios do: scenarios/running/recipe.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from ..nn.architecture import Architecture
from ..nn.module import Module
from ..text.tokens import Tokens
from .sources import Source
from .trainer import Trainer

STEPS = "train.steps"  # the setting that changes the numbers only where the learning rate depends on it


@dataclass(frozen=True)
class SessionOptions:
    """How many steps are trained, and after how many of them a session evaluates the model and saves it."""

    steps: int = 1
    eval_steps: int = 250
    save_steps: int = 250
    keep: tuple[int, ...] = ()  # steps to be opened later: the checkpoints before them are not removed


@dataclass(frozen=True)
class Setup:
    """Everything that a session trains with, built and before its first step."""

    trainer: Trainer
    model: Module  # without dropout, for evaluation
    vocabulary: Tokens | None
    longest: int  # the tokens of the longest text
    source: Source | None = None  # of batches; None where examples are written out, so that none can be held out


class TrainingRecipe(Protocol):
    """What is trained, as plain text that a checkpoint stores."""

    @property
    def name(self) -> str: ...

    @property
    def seed(self) -> int: ...

    @property
    def precision(self) -> str: ...

    @property
    def options(self) -> SessionOptions: ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """Every setting that changes the numbers, by its key. Where all are equal, one training continues another."""

    def build(self) -> Setup:
        """Read the data, and build the model."""

    def architecture(self, vocabulary: Tokens | None, longest: int) -> Architecture:
        """The architecture of the model, once the data is known."""

    def to_data(self) -> dict[str, str]:
        """What a checkpoint stores."""

    @classmethod
    def from_data(cls, data: Mapping[str, str], version: int) -> Self:
        """The recipe that a checkpoint stored; the version is that of its format."""
