"""Numbers that leave the range of floating point are errors, not warnings: no inf or nan goes on unnoticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from typing import Any

from .arrays import Array, brackets, indices, is_float, namespace
from .errors import NumberError

STRICT = {"over": "raise", "divide": "raise", "invalid": "raise"}


def guarded(function: Callable[..., Any], arrays: Sequence[Array], settings: Mapping[str, Any]) -> Any:
    """The result of an array function; one that overflows or is not defined is refused."""
    errstate = getattr(namespace(arrays[0]), "errstate", None)
    if errstate is None:  # not NumPy
        return function(*arrays, **settings)
    try:
        with errstate(**STRICT):
            return function(*arrays, **settings)
    except FloatingPointError:
        return _looked_at(function, arrays, settings)


class Guard:
    """The same for many functions of NumPy arrays, one at a time: the strict state is entered as a context
    that is made once, which takes a fraction of the time.
    """

    __slots__ = ("_context",)

    def __init__(self) -> None:
        self._context: Context | None = None

    def run(self, function: Callable[..., Any], arrays: Sequence[Array]) -> Any:
        context = self._context
        if context is None:
            errstate = getattr(namespace(arrays[0]), "errstate", None)
            if errstate is None:  # not NumPy
                return function(*arrays)
            context = self._context = Context()  # an empty one: it must not hold on to anything
            context.run(errstate(**STRICT).__enter__)
        try:
            return context.run(function, *arrays)
        except FloatingPointError:
            return _looked_at(function, arrays, {})


def _looked_at(function: Callable[..., Any], arrays: Sequence[Array], settings: Mapping[str, Any]) -> Any:
    """Some libraries for matrix products sound the alarm for nothing: what counts is the result."""
    with namespace(arrays[0]).errstate(all="ignore"):
        result = function(*arrays, **settings)
    for array in result if isinstance(result, tuple) else (result,):
        _refuse_nonfinite(array)
    return result


def _refuse_nonfinite(array: Array) -> None:
    xp: Any = namespace(array)
    if not is_float(array) or bool(xp.all(xp.isfinite(array))):
        return
    for at in indices(array.shape):
        if not bool(xp.isfinite(array[at])):
            raise NumberError(
                f"Entry {brackets(at) or '0'} of the result is {float(array[at])}: too large, or not defined.",
                hint="Check the inputs for entries that are very large, 0 or infinite.",
            )
