"""Computing with forms alone: every step of a model of any size, without one number.

A hollow array has a shape and a type and nothing in it. Ops are carried out by their `layout`, composites by running
their page, so that the steps, their names and their backward rules are those of the real computation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...engine.arithmetic import Float
from ...engine.arrays import Array, dtype_name
from ...engine.form import Form
from ...engine.op import Op
from ...engine.tensor import Tensor


@dataclass(frozen=True)
class Hollow:
    """An array of which only the shape and the type are there.

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
    """The few functions that pages ask of the library of an array while they run through ops."""

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
    """The arithmetic of hollow arrays. What it carries out, it notes in `done`: the op, what went in, what came out."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[tuple[Op, tuple[Form, ...], Form]] = []

    def run(self, op: Op, inputs: tuple[Tensor, ...], settings: Mapping[str, Any]) -> Tensor:
        if op.kind != "primitive":
            result: Tensor = op.forward(*inputs, **settings)
            return result
        forms = tuple(x.form for x in inputs)
        form = op.laid_out(forms, settings).form
        self.done.append((op, forms, form))
        return Tensor(Hollow(form.shape), form)

    def accept(self, array: Array, literal: bool = False) -> Hollow:
        return Hollow(tuple(array.shape), dtype_name(array))
