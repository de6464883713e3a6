"""Tensor: an array whose axes have words."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal

from .arrays import Array, dtype_name, is_float, namespace
from .errors import AxisError
from .form import NO_AXES, Form, form_of, position, relabelled
from .guard import guarded
from .registry import OPS

LeafKind = Literal["given", "parameter", "constant", "random"]


class Tensor:
    """An array with axis words, and, once recorded, the mark of the step that made it.

    `leaf`, `name` say what it becomes if a recording meets it for the first time.
    A plain class with slots: thousands are made a second while recording.
    """

    __slots__ = ("array", "form", "leaf", "mark", "name", "root")

    def __init__(
        self,
        array: Array,
        form: Form | None = None,
        name: str = "",
        leaf: LeafKind = "given",
        mark: tuple[object, str] | None = None,
        root: Tensor | None = None,
    ) -> None:
        self.array = array
        self.form = form if form is not None else form_of(("",) * array.ndim, tuple(array.shape))
        self.name = name
        self.leaf: LeafKind = leaf
        self.mark = mark  # (the recording's token, step id)
        self.root = root  # the tensor that this one relabels

    @property
    def axes(self) -> tuple[str, ...]:
        return self.form.axes

    @property
    def shape(self) -> tuple[int, ...]:
        return self.form.shape

    @property
    def ndim(self) -> int:
        return len(self.form.shape)

    @property
    def entries(self) -> int:
        return math.prod(self.form.shape)

    def size(self, axis: str | int) -> int:
        """How many entries an axis has, by its word or its position."""
        return self.form.shape[position(self.form, axis)]

    def rename(self, **words: str) -> Tensor:
        """The same value under other axis words: `x.rename(token="key")`. No step is recorded."""
        for old in words:
            if old not in self.form.axes:
                raise AxisError("axis.rename", axis=old, axes=str(self.form))
        return self.relabelled(tuple(words.get(word, word) for word in self.form.axes))

    def relabelled(self, axes: tuple[str, ...]) -> Tensor:
        """The same value with these words on its axes."""
        return self.read_as(relabelled(self.form, axes))

    def read_under(self, form: Form) -> Tensor:
        """The same value under the words of a form, which may have been noted when the value had another shape."""
        if form.shape == self.form.shape:
            return self.read_as(form)
        return self.relabelled(form.axes) if len(form.axes) == len(self.form.axes) else self

    def read_as(self, form: Form) -> Tensor:
        """The same value under another form of the same shape."""
        if form == self.form:
            return self
        root = self.root if self.root is not None else self
        return Tensor(self.array, form, name=self.name, leaf=self.leaf, mark=self.mark, root=root)

    def __repr__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        return f"Tensor({name}{self.form}, {dtype_name(self.array)})"

    # Operators are the ops of the same name. A plain number becomes a setting where the op
    # has one (2 * x is a scaling), else a constant. A bare array is an input like any other.

    __array_ufunc__ = None  # so that NumPy leaves `array * tensor` to us

    def __add__(self, other: Any) -> Tensor:
        return OPS["add"](self, self._beside(other))

    def __radd__(self, other: Any) -> Tensor:
        return OPS["add"](self._beside(other), self)

    def __sub__(self, other: Any) -> Tensor:
        return OPS["sub"](self, self._beside(other))

    def __rsub__(self, other: Any) -> Tensor:
        return OPS["sub"](self._beside(other), self)

    def __mul__(self, other: Any) -> Tensor:
        return OPS["scale"](self, factor=other) if _is_number(other) else OPS["mul"](self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return OPS["scale"](self, factor=other) if _is_number(other) else OPS["mul"](other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return OPS["divide_by"](self, divisor=other) if _is_number(other) else OPS["div"](self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return OPS["div"](self._beside(other), self)

    def __matmul__(self, other: Any) -> Tensor:
        return OPS["matmul"](self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return OPS["matmul"](other, self)

    def __neg__(self) -> Tensor:
        return OPS["neg"](self)

    @property
    def T(self) -> Tensor:
        return OPS["transpose"](self)

    def _beside(self, other: Any) -> Any:
        return constant_like(other, self) if _is_number(other) else other


def _is_number(value: Any) -> bool:
    return type(value) is not Tensor and isinstance(value, Real)


def constant_like(value: Any, other: Tensor) -> Tensor:
    """A number of the method, such as the 1 in 1 - p, in the array library and type of `other`."""
    # A fraction beside whole numbers stays a fraction.
    fits = is_float(other.array) or isinstance(value, int)
    xp, dtype = namespace(other.array), other.array.dtype if fits else None
    array: Any = guarded(lambda _: xp.asarray(value, dtype=dtype), [other.array], {})
    return Tensor(array, NO_AXES, leaf="constant", name=f"{value:g}")
