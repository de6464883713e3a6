"""A program whose result is handed to `why`, and what would be a true answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import workings as w

Array = np.ndarray
Program = Callable[[], Any]


@dataclass(frozen=True)
class Call:
    """`w.why(got, what, **inputs)`; calling it asks."""

    program: Program
    what: Any  # the name of an op or a module, or a module
    inputs: dict[str, Any]

    def __call__(self) -> Any:
        return w.why(self.program(), self.what, **self.inputs)


@dataclass(frozen=True)
class Checked:
    """`ids` are the mistakes, conventions or relations that describe truly what it does; none, if it is right."""

    name: str
    call: Call
    ids: frozenset[str]
    is_right: bool


class Programs(list[Checked]):
    """Programs are added by the decorators `broken` and `right`."""

    def broken(self, what: Any, inputs: dict[str, Any], *ids: str) -> Callable[[Program], Program]:
        return self._added(what, inputs, frozenset(ids))

    def right(self, what: Any, inputs: dict[str, Any]) -> Callable[[Program], Program]:
        return self._added(what, inputs, frozenset())

    def _added(self, what: Any, inputs: dict[str, Any], ids: frozenset[str]) -> Callable[[Program], Program]:
        def add(program: Program) -> Program:
            self.append(Checked(program.__name__, Call(program, what, inputs), ids, not ids))
            return program

        return add
