"""Computing with shapes alone: every step of a model of any size, without a single number.

A hollow array has a shape and a type and no entries. A primitive gives the form that its `layout` says, a composite
runs its page, so the steps, their names and their backward rules are those of the real computation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..engine.arithmetic import Float, Operation
from ..engine.arrays import Array, dtype_name
from ..engine.form import Form
from ..engine.tensor import Tensor


@dataclass(frozen=True)
class Hollow:
    """An array that has only a shape and a type.

    >>> Hollow((50257, 768)).ndim
    2
    """

    shape: tuple[int, ...]
    dtype: str = "float32"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __array_namespace__(self) -> type[HollowLibrary]:
        return HollowLibrary


class HollowLibrary:
    """The few functions of an array library that pages call while their ops run."""

    @staticmethod
    def asarray(value: Any, dtype: str = "float32", copy: bool = False) -> Hollow:
        return value if isinstance(value, Hollow) else Hollow((), dtype)

    @staticmethod
    def ones(shape: tuple[int, ...], dtype: str = "float32") -> Hollow:
        return Hollow(shape, dtype)

    @staticmethod
    def tril(x: Hollow, k: int = 0) -> Hollow:
        return x

    @staticmethod
    def isdtype(dtype: str, kind: str) -> bool:
        return kind == ("integral" if dtype.startswith("int") else "real floating")


class Forms(Float):
    """The arithmetic of hollow arrays. It lists in `done` each primitive with the forms of its inputs and result."""

    checks = False  # there are no numbers to refuse

    def __init__(self) -> None:
        super().__init__()
        self.done: list[tuple[Operation, tuple[Form, ...], Form]] = []

    def run(self, op: Operation, inputs: tuple[Tensor, ...], settings: Mapping[str, Any]) -> Tensor:
        if op.kind != "primitive":
            result: Tensor = op.forward(*inputs, **settings)
            return result
        forms = tuple(x.form for x in inputs)
        form = op.laid_out(forms, settings).form
        self.done.append((op, forms, form))
        return Tensor(Hollow(form.shape), form)

    def accept(self, array: Array, literal: bool = False) -> Hollow:
        return Hollow(tuple(array.shape), dtype_name(array))
