"""What Python and other libraries get when they are given a tensor: plain numbers where they ask for them, and a
sentence where they would compute with it, because no trace would record that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arrays import Array, namespace
from .errors import CallError, NumberError
from .form import Form

# NumPy's function behind an operator -> our method for a tensor on the right of it.
REFLECTED = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "matmul": "__rmatmul__",
}
# Functions of NumPy that only look at numbers.
LOOKING = {"allclose", "array_equal", "isclose", "shape", "ndim", "size", "array_repr", "array_str", "array2string"}


class PlainNumbers:
    """The numbers of a tensor without their axis words. None of this is recorded."""

    __slots__ = ()
    array: Array
    form: Form

    def __float__(self) -> float:
        return float(self._one_number("float(x)"))

    def __int__(self) -> int:
        return int(self._one_number("int(x)"))

    def __bool__(self) -> bool:
        return bool(self._one_number("if x:"))

    def __contains__(self, number: object) -> bool:
        return bool(namespace(self.array).any(self.array == number))

    def _one_number(self, use: str) -> Any:
        if any(size != 1 for size in self.form.shape):
            first = ", ".join("0" for _ in self.form.shape)
            raise NumberError(
                f"`{use}` needs one number, and this tensor has more: {self.form}.",
                hint=f"Take one entry, such as x[{first}], or all as an array: numpy.asarray(x).",
            )
        return self.array[(0,) * len(self.form.shape)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        plain = self.array.__array__() if dtype is None else self.array.__array__(dtype)
        return plain.copy() if copy else plain

    def __dlpack__(self, **options: Any) -> Any:
        # A copy, because recorded arrays are read-only and the protocol cannot say so.
        return namespace(self.array).asarray(self.array, copy=True).__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return namespace(self.array).asarray(self.array).__dlpack_device__()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy asks here before it computes. `array * tensor` is our operator."""
        reflected = REFLECTED.get(ufunc.__name__)
        if reflected and method == "__call__" and inputs[-1] is self and not options:
            return getattr(self, reflected)(inputs[0])
        raise unrecorded(f"numpy.{ufunc.__name__}")

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, options: Any) -> Any:
        if function.__name__ in LOOKING:
            return function(*map(_plain, args), **{name: _plain(value) for name, value in options.items()})
        raise unrecorded(f"{function.__module__}.{function.__name__}")

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), options: Any = None) -> Any:
        if type(function).__name__ == "method_descriptor":  # an operator, such as `torch_tensor * tensor`, is ours
            return NotImplemented
        module = (getattr(function, "__module__", None) or "torch").replace("._C._nn", ".nn.functional")
        raise unrecorded(f"{module.replace('._C', '')}.{getattr(function, '__name__', function)}")


def _plain(value: Any) -> Any:
    return value.__array__() if isinstance(value, PlainNumbers) else value


def unrecorded(function: str) -> CallError:
    """A function of another library was given a tensor."""
    return CallError(
        f"{function} does not know axis words, and no trace would record what it does.",
        hint="Use an op of workings.ops instead, or pass plain numbers: numpy.asarray(x).",
    )
