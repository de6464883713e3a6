"""All op pages by name. Filled while `workings.ops` is imported, and only read afterwards."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import CallError

if TYPE_CHECKING:
    from .op import Op

OPS: dict[str, Op] = {}


def find_op(name: str) -> Op:
    """The page of this name.

    >>> import workings
    >>> find_op("softmax").name
    'softmax'
    """
    if name not in OPS:
        raise CallError("op.unknown", name=name, nearest=nearest(name, OPS))
    return OPS[name]


def nearest(name: str, names: Iterable[str], most: int = 3) -> str:
    """The names that look most like this one, for an error message."""
    names = list(names)
    close = (difflib.get_close_matches(name, names, n=most, cutoff=likeness) for likeness in (0.7, 0.4))
    return ", ".join(next(filter(None, close), names[:most]))
