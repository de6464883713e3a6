"""Blocks of one run in a document of several: step 17 of the run `twin` is `twin:17` there."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

NAMES = ("step", "history")  # the fields that name a step, or a history, of a run

Part = TypeVar("Part")


def located(part: Part, run: str) -> Part:
    """The same block, span or tuple of them, in which every step says to which run it belongs.

    >>> from workings.explain.document import Link
    >>> located((Link("Q", "4"), Link("nothing", "")), "twin")
    (Link(text='Q', step='twin:4', kind='link'), Link(text='nothing', step='', kind='link'))
    """
    if isinstance(part, tuple):
        return tuple(located(inner, run) for inner in part)  # type: ignore[return-value]
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return part
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name in NAMES:
            changes[field.name] = f"{run}:{value}" if value else value
        elif isinstance(value, tuple) or dataclasses.is_dataclass(value):
            changes[field.name] = located(value, run)
    return dataclasses.replace(part, **changes) if changes else part
