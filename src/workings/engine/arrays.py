"""What the engine asks of an array, whichever library made it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

# Any array of the Python array API standard. The standard has no type for it yet.
Array: TypeAlias = Any
Index: TypeAlias = tuple[int, ...]


class AnyArray(Protocol):
    """An array of NumPy, of PyTorch, or of another library, as an input of an op."""

    @property
    def dtype(self) -> Any: ...
    @property
    def ndim(self) -> Any: ...
    @property
    def shape(self) -> Any: ...


_LIBRARIES: dict[type, Any] = {}  # asked for so often that asking the array each time would show


def namespace(array: Array) -> Any:
    """The library of an array: NumPy, array-api-strict, or PyTorch through array-api-compat."""
    library = _LIBRARIES.get(type(array))
    if library is None:
        library = _LIBRARIES[type(array)] = _library_of(array)
    return library


def _library_of(array: Array) -> Any:
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    # Only PyTorch tensors come here, so whoever calls already has torch loaded.
    from array_api_compat import array_namespace

    return array_namespace(array)


def is_array(value: object) -> bool:
    return hasattr(value, "__array_namespace__") or type(value).__module__.split(".")[0] == "torch"


def freeze(array: Array) -> Array:
    """Make a recorded array read-only where its library knows how to. (A NumPy scalar is so by nature.)"""
    try:
        array.setflags(write=False)
    except (AttributeError, ValueError):
        return array
    return array


def private(array: Array) -> Array:
    """An array that nobody else can change, in rows: a copy, unless it is so already."""
    flags = getattr(array, "flags", None)
    if flags is None:
        return namespace(array).asarray(array, copy=True)
    return array.copy() if flags.writeable or not flags.owndata else in_rows(array)


def in_rows(array: Array) -> Array:
    """The same numbers with their rows one after another in memory, as they are when they come from a file.
    The order in which a sum runs through the memory decides its last bit.
    """
    return array if lies_in_rows(array) else array.copy()


def lies_in_rows(array: Array) -> bool:
    flags = getattr(array, "flags", None)
    return flags is None or bool(flags.c_contiguous)


def is_float(array: Array) -> bool:
    return _is_kind(namespace(array), array.dtype, "real floating")


def is_real(array: Array) -> bool:
    """Whether the entries are real numbers, whole numbers or truth values: what an op can compute with."""
    kinds = ("real floating", "integral", "bool")
    return any(_is_kind(namespace(array), array.dtype, kind) for kind in kinds)


def any_true(array: Array) -> bool:
    """Whether any entry is true: counting is faster than asking, where there are few."""
    xp: Any = namespace(array)
    return bool(xp.count_nonzero(array))


def is_integer(array: Array) -> bool:
    return _is_kind(namespace(array), array.dtype, "integral")


@lru_cache(maxsize=64)
def _is_kind(xp: Any, dtype: Any, kind: str) -> bool:
    return bool(xp.isdtype(dtype, kind))


def dtype_name(array: Array) -> str:
    """`float64`, `int64`: the same word for every library.

    >>> import numpy
    >>> dtype_name(numpy.zeros(2, dtype="float32"))
    'float32'
    """
    return str(array.dtype).rpartition(".")[2]


def indices(shape: Iterable[int]) -> Iterator[Index]:
    """Every index of an array of this shape, row by row.

    >>> list(indices((1, 2)))
    [(0, 0), (0, 1)]
    """
    return itertools.product(*(range(size) for size in shape))


def brackets(index: Iterable[int]) -> str:
    """An index as it is written after a name.

    >>> brackets((1, 0))
    '[1][0]'
    """
    return "".join(f"[{position}]" for position in index)
