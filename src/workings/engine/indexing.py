"""Indexing: the brackets after a tensor, as the ops that do it: `take_row` for a position, `split` for a slice."""

from __future__ import annotations

import operator
from types import EllipsisType
from typing import Any, SupportsIndex, TypeAlias

from .errors import AxisError, CallError, ShapeError, WorkingsError
from .form import Form, position

Place: TypeAlias = SupportsIndex | slice | EllipsisType | str
TensorIndex: TypeAlias = Place | tuple[Place, ...]

HINT = 'Write x[0], x[0, 1:], x[..., -1], or an axis word and a position along it: x["query", 1].'


def indexing_ops(form: Form, index: TensorIndex) -> list[tuple[str, dict[str, Any]]]:
    """The ops that take this part out of a tensor, one after another, with their settings.

    >>> from workings.engine.form import form_of
    >>> for op in indexing_ops(form_of(("query", "key"), (2, 3)), (0, slice(1, None))):
    ...     print(op)
    ('take_row', {'index': 0, 'axis': 'query'})
    ('split', {'sizes': (1, 2), 'part': 1, 'axis': 'key'})
    """
    items = index if isinstance(index, tuple) else (index,)
    try:
        named = any(isinstance(item, str) for item in items)
        places = _by_word(form, items) if named else _by_position(form, items)
        # From the left: an axis counts from the right, so it keeps its place when one on its left is gone.
        ops = [_op(form, place, item) for place, item in sorted(places.items(), key=lambda pair: pair[0])]
    except WorkingsError as error:
        error.given = str(form)
        raise
    return [op for op in ops if op is not None]


def _by_word(form: Form, items: tuple[Any, ...]) -> dict[int, Any]:
    """x["query", 1, "key", 2:]: words and positions in turn."""
    words, chosen = items[::2], items[1::2]
    for word in words:
        if not isinstance(word, str):
            raise CallError("A position has no axis word before it.", hint=HINT)
    if len(words) > len(chosen) or any(isinstance(item, str) for item in chosen):
        raise CallError(f"There is no position after the axis word '{words[len(chosen) - 1]}'.", hint=HINT)
    found: dict[int, Any] = {}
    for word, item in zip(words, chosen, strict=True):
        place = position(form, word)
        if place in found:
            raise AxisError(f"The axis '{word}' is indexed twice.", hint="Give one position or slice for each axis.")
        found[place] = item
    return found


def _by_position(form: Form, items: tuple[Any, ...]) -> dict[int, Any]:
    """x[0, ..., 1:]: one item for each axis, from the left; after an ellipsis, up to the last axis."""
    rank = len(form.shape)
    dots = [n for n, item in enumerate(items) if item is ...] or [len(items)]
    before, after = items[: dots[0]], items[dots[0] + 1 :]
    if len(dots) > 1:
        raise CallError("The index has several ellipses (...).", hint="One is enough: it fills all axes in between.")
    if len(before) + len(after) > rank:
        count = len(before) + len(after)
        raise ShapeError(
            f"The index has {count} {'position' if count == 1 else 'positions'}, but the tensor has "
            f"{rank or 'no'} {'axis' if rank == 1 else 'axes'}.",
            hint="Give at most one position or slice for each axis." if rank else "It is one number: float(x).",
        )
    return {
        **{n - rank: item for n, item in enumerate(before)},
        **{n - len(after): item for n, item in enumerate(after)},
    }


def _op(form: Form, place: int, item: Any) -> tuple[str, dict[str, Any]] | None:
    """The op for one axis; none if all of the axis stays."""
    axis, size = form.axes[place] or place, form.shape[place]
    if not isinstance(item, slice):
        return "take_row", {"index": _whole(item), "axis": axis}
    if item.step is not None and _whole(item.step) != 1:
        raise CallError(
            f"A slice of a tensor has the step 1, not {item.step}.",
            hint="Take the positions one by one and join them: ops.concat(...).",
        )
    ends = (None if end is None else _whole(end) for end in (item.start, item.stop))
    start, stop, _ = slice(*ends).indices(size)
    if start >= stop:
        raise ShapeError(
            f"The slice {start}:{stop} is empty.", hint=f"The axis {axis} has {size} entries, counted from 0."
        )
    if stop - start == size:
        return None
    sizes = tuple(count for count in (start, stop - start, size - stop) if count)
    return "split", {"sizes": sizes, "part": 1 if start else 0, "axis": axis}


def _whole(item: Any) -> int:
    """A position as a whole number. A truth value is none, although Python takes it for one."""
    try:
        if not isinstance(item, bool):
            return operator.index(item)
    except TypeError:
        pass
    if item is None:
        raise CallError("None adds no axis to a tensor.", hint="Add it with ops.reshape(x, shape=...).")
    raise CallError(
        f"A tensor is indexed by positions and slices, not by a {type(item).__name__}.",
        hint=f"{HINT} For many rows: ops.lookup(x, ids).",
    )
