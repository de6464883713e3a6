"""All tasks by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from ...engine.errors import CallError, DataError, did_you_mean
from .addition import Addition
from .dates import Dates
from .sequences import Copy, Reverse, Sort
from .task import Task

TASKS: Mapping[str, type[Task]] = MappingProxyType(
    {task.name: task for task in (Copy, Reverse, Sort, Addition, Dates)},
)


def task(name: str, **settings: Any) -> Task:
    """The task of this name, with these settings.

    >>> task("addition", digits=2).longest_question
    6
    >>> task("sorting")
    Traceback (most recent call last):
    ...
    workings.engine.errors.DataError: There is no task 'sorting'.
      try:   Did you mean sort? Known: copy, reverse, sort, addition, dates.
    """
    if not isinstance(name, str) or name not in TASKS:
        raise DataError(
            f"There is no task {name!r}.",
            hint=f"{did_you_mean(str(name), TASKS)}Known: {', '.join(TASKS)}.",
        )
    known = [field.name for field in fields(TASKS[name])]
    for setting in settings:
        if setting not in known:
            raise CallError(
                f"{name} has no setting '{setting}'.", hint=f"Its settings are: {', '.join(known) or 'none'}."
            )
    return TASKS[name](**settings)
