"""Blocks of one run in a document of several: step 17 of the run `twin` is `twin:17` there."""

from __future__ import annotations

import dataclasses
from typing import Any

from .rewriting import Part, rewritten

NAMES = ("step", "history")  # the fields that name a step, or a history, of a run


def located(part: Part, run: str) -> Part:
    """The same block, span or tuple of them, in which every step says to which run it belongs.

    >>> from workings.explain.document import Link
    >>> located((Link("Q", "4"), Link("nothing", "")), "twin")
    (Link(text='Q', step='twin:4', kind='link'), Link(text='nothing', step='', kind='link'))
    """
    return rewritten(part, lambda item: step_located(item, run))


def step_located(item: Any, run: str) -> Any:
    """One block or span, as far as it names a step itself."""
    named = {name: f"{run}:{value}" for name in NAMES if (value := getattr(item, name, ""))}
    return dataclasses.replace(item, **named) if named else item
