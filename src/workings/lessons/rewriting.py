"""Changing blocks and spans wherever they are: within lists, folds, tables and answers. In a document of several runs,
step 17 of the run `twin` is `twin:17`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

Part = TypeVar("Part")


def rewritten(part: Part, change: Callable[[Any], Any]) -> Part:
    """The same block, span or tuple of them, in which each is what `change` makes of it, the innermost first.

    >>> from workings.document.blocks import Fold, Text, Words
    >>> louder = lambda item: Words(item.text.upper()) if isinstance(item, Words) else item
    >>> rewritten((Fold("More", (Text((Words("here"),)),)),), louder)[0].blocks[0].spans[0].text
    'HERE'
    """
    if isinstance(part, tuple):
        return tuple([rewritten(inner, change) for inner in part])  # type: ignore[return-value]
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return part
    changes: dict[str, Any] = {}
    for name in part.__dataclass_fields__:
        value = getattr(part, name)
        if isinstance(value, tuple) or dataclasses.is_dataclass(value):
            new = rewritten(value, change)
            if new is not value and new != value:
                changes[name] = new
    changed: Part = change(dataclasses.replace(part, **changes) if changes else part)
    return changed


NAMES = ("step", "result", "history")  # the fields that name a step, or a history, of a run


def located(part: Part, run: str) -> Part:
    """The same block, span or tuple of them, in which every step says to which run it belongs.

    >>> from workings.document.blocks import Link
    >>> located((Link("Q", "4"), Link("nothing", "")), "twin")
    (Link(text='Q', step='twin:4', kind='link'), Link(text='nothing', step='', kind='link'))
    """
    return rewritten(part, lambda item: step_located(item, run))


def step_located(item: Any, run: str) -> Any:
    """One block or span, as far as it names a step itself."""
    values = {name: getattr(item, name, "") for name in NAMES}
    named = {name: f"{run}:{value}" for name, value in values.items() if value and isinstance(value, str)}
    return dataclasses.replace(item, **named) if named else item
