"""Data to train on: tasks that are made up on the spot."""

from __future__ import annotations

from .addition import Addition
from .dates import Dates
from .errors import DataError
from .pair import Pair
from .sequences import Copy, Reverse, Sort
from .task import Task
from .tasks import TASKS, task

__all__ = ["TASKS", "Addition", "Copy", "DataError", "Dates", "Pair", "Reverse", "Sort", "Task", "task"]
