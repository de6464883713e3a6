"""Changing blocks and spans wherever they stand: within lists, folds, tables and answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

Part = TypeVar("Part")


def rewritten(part: Part, change: Callable[[Any], Any]) -> Part:
    """The same block, span or tuple of them, in which each is what `change` makes of it, the innermost first.

    >>> from workings.explain.document import Fold, Text, Words
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
