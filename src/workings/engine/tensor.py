"""Tensor: an array whose axes have words. Leaves are the tensors that a computation starts from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, Literal, get_args

from .arrays import Array, brackets, dtype_name, indices, is_float, is_real, namespace
from .errors import AxisError, CallError, NumberError, ShapeError
from .form import NO_AXES, Axis, Form, form_of, position, relabeled
from .guard import guarded
from .indexing import TensorIndex, indexing_ops
from .other_libraries import PlainNumbers

LeafKind = Literal["given", "parameter", "constant", "random"]
LEAF_KINDS: tuple[LeafKind, ...] = get_args(LeafKind)

# The ops behind + - * / @ and x[0], by name. Every op enters itself when it is made, in op.py.
OPERATORS: dict[str, Callable[..., Tensor]] = {}


class Tensor(PlainNumbers):
    """An array with axis words, such as w.given([[1.0, 2.0]], "token model").

    Once recorded, it has the mark of the step that made it. `leaf` and `name` say what it becomes if a recording meets
    it for the first time. A plain class with slots: thousands are made a second while recording.
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
                raise AxisError(f"There is no axis '{old}' to rename.", hint=f"Axes of this tensor: {self.form!s}.")
        return self.relabeled(tuple(words.get(word, word) for word in self.form.axes))

    def relabeled(self, axes: tuple[str, ...]) -> Tensor:
        """The same value with these words on its axes."""
        return self.read_as(relabeled(self.form, axes))

    def read_under(self, form: Form) -> Tensor:
        """The same value under the words of a form, which may have been noted when the value had another shape."""
        if form.shape == self.form.shape:
            return self.read_as(form)
        return self.relabeled(form.axes) if len(form.axes) == len(self.form.axes) else self

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

    def __add__(self, other: Any) -> Tensor:
        return OPERATORS["add"](self, self._as_operand(other))

    def __radd__(self, other: Any) -> Tensor:
        return OPERATORS["add"](self._as_operand(other), self)

    def __sub__(self, other: Any) -> Tensor:
        return OPERATORS["sub"](self, self._as_operand(other))

    def __rsub__(self, other: Any) -> Tensor:
        return OPERATORS["sub"](self._as_operand(other), self)

    def __mul__(self, other: Any) -> Tensor:
        return OPERATORS["scale"](self, factor=other) if _is_number(other) else OPERATORS["mul"](self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return OPERATORS["scale"](self, factor=other) if _is_number(other) else OPERATORS["mul"](other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return OPERATORS["divide_by"](self, divisor=other) if _is_number(other) else OPERATORS["div"](self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return OPERATORS["div"](self._as_operand(other), self)

    def __matmul__(self, other: Any) -> Tensor:
        return OPERATORS["matmul"](self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return OPERATORS["matmul"](other, self)

    def __neg__(self) -> Tensor:
        return OPERATORS["neg"](self)

    @property
    def T(self) -> Tensor:
        return OPERATORS["transpose"](self)

    def __getitem__(self, index: TensorIndex) -> Tensor:
        """A position or a slice along each axis, `x[0]`, `x[0, 1:]`, or along the axis of a word, `x["query", 1]`. Each
        is a step: `take_row` for a position, which leaves its axis out, and `split` for a slice.
        """
        found = self
        for op, settings in indexing_ops(self.form, index):
            found = OPERATORS[op](found, **settings)
        return found

    def __len__(self) -> int:
        if not self.form.shape:
            raise ShapeError("One number has no length.", hint="Its value is float(x).", where=self.name)
        return self.form.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        """Along the first axis, as in NumPy."""
        return (self[n] for n in range(len(self)))

    def sum(self, axis: Axis | None = None, *, keep: bool = False, name: str | None = None) -> Tensor:
        """The sum along an axis, by its word or position, or of all entries: `ops.sum`."""
        return OPERATORS["sum"](self, axis=axis, keep=keep, name=name)

    def mean(self, axis: Axis | None = None, *, keep: bool = False, name: str | None = None) -> Tensor:
        """The mean along an axis, by its word or position, or of all entries: `ops.mean`."""
        return OPERATORS["mean"](self, axis=axis, keep=keep, name=name)

    def _as_operand(self, other: Any) -> Any:
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


def leaf(array: Array, axes: str | tuple[str, ...] = (), *, name: str = "", kind: LeafKind = "given") -> Tensor:
    """A tensor to start from. Inputs and weights must be finite; a constant (a mask) need not be."""
    words = tuple(axes.replace(",", " ").split() if isinstance(axes, str) else axes)
    _refuse_tracked(array, name)
    if not is_real(array):
        raise not_rectangular(where=name)
    if 0 in array.shape:
        raise ShapeError(
            f"There are no numbers here: the shape is {tuple(array.shape)}.",
            hint="Give at least one number along every axis.",
            where=name,
        )
    form = form_of(words or ("",) * array.ndim, tuple(array.shape))
    if kind in ("given", "parameter"):
        refuse_nonfinite(array, name or kind)
    return Tensor(array, form, name=name, leaf=kind)


def _refuse_tracked(array: Array, name: str) -> None:
    """PyTorch would follow the gradients of its own tensors, and numbers on another device cannot be read here."""
    if getattr(array, "requires_grad", False):
        raise CallError(
            "This PyTorch tensor has requires_grad=True, so PyTorch and the trace would both record gradients.",
            hint="Pass its numbers: x.detach().numpy().",
            where=name,
        )
    device = getattr(getattr(array, "device", None), "type", "cpu")
    if device != "cpu":
        raise CallError(
            f"This tensor is on the device '{device}', and ops compute on the CPU.",
            hint="Pass its numbers: x.detach().cpu().numpy().",
            where=name,
        )


def not_rectangular(where: str = "", given: str = "") -> ShapeError:
    return ShapeError(
        "The rows are not equally long, or an entry is not a number.",
        hint="Give nested lists of numbers in which all rows have the same length.",
        where=where,
        given=given,
    )


def refuse_nonfinite(array: Array, name: str) -> None:
    """NaN or inf in an input is an error that names the entry."""
    xp: Any = namespace(array)
    if not is_float(array) or bool(xp.all(xp.isfinite(array))):
        return
    for at in indices(array.shape):
        if not bool(xp.isfinite(array[at])):
            raise NumberError(
                f"{name} contains {float(array[at])} at {brackets(at) or 'its entry'}.",
                hint="Inputs and weights must be finite numbers. Check what produced this one.",
            )
