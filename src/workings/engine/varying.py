"""Varying settings: numbers of which a compiled program knows the name and not the value.

A learning rate changes from step to step. Recorded as `Varying("rate", 0.1)` it is a setting like any other; compiled,
it is an argument of the program. A page may hand it on to the ops that it is written in; it must not compute with it,
for then the number of today would be written into the program for good. Arithmetic with it is refused. It may be
compared, because pages refuse settings outside their limits; nothing else may be decided by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Never


class _Named:
    """What both kinds have in common: in source code the name stands for the number."""

    label: str

    def __repr__(self) -> str:
        return self.label

    __str__ = __repr__

    def __format__(self, specification: str) -> str:
        return self.label

    def _refuse(self, *others: object) -> Never:
        raise TypeError(f"{self.label} changes from call to call: a page cannot compute with it, only hand it on")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __neg__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __round__ = _refuse


class Varying(_Named, float):
    """A real number that is an argument of the program."""

    def __new__(cls, label: str, value: float) -> Varying:
        made = super().__new__(cls, value)
        made.label = label
        return made


class VaryingCount(_Named, int):
    """A whole number that is an argument of the program."""

    def __new__(cls, label: str, value: int) -> VaryingCount:
        made = super().__new__(cls, value)
        made.label = label
        return made


def varies(settings: Mapping[str, Any]) -> bool:
    """Whether a step depends on a number that is not known before the program is called."""
    return any(isinstance(value, _Named) for value in settings.values())


def settled(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same settings as plain numbers: an array library takes a number of another type for a wide one."""
    if not varies(settings):
        return settings
    return {key: _plain(value) for key, value in settings.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Varying):
        return float(value)
    return int(value) if isinstance(value, VaryingCount) else value
