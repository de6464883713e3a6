"""Closed: an op as one function of plain arrays, for those who do not look inside.

A recording keeps a composite as a single step. There is no need to walk through the ops of its
page each time: the first time they are recorded and compiled for inputs of these forms and
types, and from then on the compiled function is called. It gives the same result to the last
bit; the page stays the reference, and opening a step always runs the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arithmetic import Float
from .arrays import Array, namespace
from .form import Form
from .op import Op, Settings
from .tensor import Tensor

MOST = 1024  # functions that are remembered for one op

Closed = tuple[Callable[..., Any], Form]


def run_closed(op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> Tensor:
    """The value of an op on arrays of floating point numbers."""
    key = (tuple([(x.form, x.array.dtype) for x in tensors]), settings.key)
    closed = op.closed.get(key)
    if closed is None:
        if len(op.closed) >= MOST:
            op.closed.clear()
        closed = op.closed[key] = close(op, tensors, settings)
    function, form = closed
    (array,) = function(*[x.array for x in tensors])
    return Tensor(array if form.shape else namespace(array).asarray(array), form)


def can_close(arithmetic: Any, tensors: tuple[Tensor, ...]) -> bool:
    """Only plain floating point on NumPy arrays: a calculator has to go through every line."""
    return type(arithmetic) is Float and all([_is_numpy(x.array) for x in tensors])


def _is_numpy(array: Array) -> bool:
    return getattr(namespace(array), "__name__", "") == "numpy"


def close(op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> Closed:
    """Record the op once on fresh leaves, and compile the way from them to the result."""
    from .compile import compile_recording  # which needs to open composites, which needs this
    from .recording import Recording

    recording = Recording(arithmetic=Float().unchecked())
    leaves = [recording.add_leaf(Tensor(x.array, x.form, f"x{n}")) for n, x in enumerate(tensors)]
    with recording:
        output = op.forward(*[leaf.tensor for leaf in leaves], **settings)
        result = recording.step(recording.id_of(output))
    program = compile_recording(recording, leaves, [result], reuse=False)
    return program.function, result.form
