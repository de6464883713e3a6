"""Data to train on: tasks that are made up on the spot, and long texts."""

from __future__ import annotations

from ...engine.errors import DataError
from . import sentences
from .addition import Addition
from .dates import Dates
from .long_text import LongText
from .pair import Pair
from .sequences import Copy, Reverse, Sort
from .task import Task
from .tasks import TASKS, task
from .texts import read_text, standard_library

__all__ = [
    "TASKS", "Addition", "Copy", "DataError", "Dates", "LongText", "Pair", "Reverse", "Sort", "Task", "read_text",
    "sentences",
    "standard_library", "task",
]  # fmt: skip
