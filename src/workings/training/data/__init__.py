"""Data to train on: tasks whose questions a program makes up, and long texts."""

from __future__ import annotations

from ...engine.errors import DataError
from .addition import Addition
from .by_name import TASKS, task
from .dates import Dates
from .long_text import LongText
from .sequences import Copy, Reverse, Sort
from .task import Pair, Task
from .text_files import read_text, standard_library

__all__ = [
    "TASKS", "Addition", "Copy", "DataError", "Dates", "LongText", "Pair", "Reverse", "Sort", "Task", "read_text",
    "standard_library", "task",
]  # fmt: skip
