"""Closed: an op as one function of plain arrays, for those who do not look inside.

A recording keeps a composite as a single step. There is no need to walk through the ops of its
page each time: the first time they are recorded and compiled for inputs of these forms and
types, and from then on the compiled function is called. Primitives profit as well: their
NumPy source is faster than the same expression through the array API. The result is the same
to the last bit; the page stays the reference, and opening a step always runs the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .arithmetic import Float
from .arrays import lies_in_rows, namespace
from .form import Form
from .guard import Guard
from .op import Op
from .room import Room
from .settings import Settings
from .tensor import Tensor

if TYPE_CHECKING:
    from .compile import Program

LARGE = 2**18  # bytes of a result whose memory is worth a thought
MOST = 1024  # functions that are remembered for one op
MOST_BYTES = 2**26  # of the constants in these functions: a mask has one for every length of text


class Closed(NamedTuple):
    function: Callable[..., Any]
    form: Form
    positional: Mapping[str, Any]  # the settings as `check` takes them
    moves: bool  # numbers without computing with them: nothing can overflow
    bytes: int  # of its constants
    large: Program | None  # the same for inputs that lie in rows, where the result is large


def run_closed(op: Op, tensors: tuple[Tensor, ...], settings: Settings, guard: Guard, room: Room) -> Tensor | None:
    """The value of an op; None if the arrays are not NumPy's."""
    arrays = [x.array for x in tensors]
    key = (tuple([(x.form, x.array.dtype, type(x.array)) for x in tensors]), settings.key)
    closed = op.closed.get(key)
    if closed is None:
        if not all(getattr(namespace(array), "__name__", "") == "numpy" for array in arrays):
            return None
        closed = _close(op, tensors, settings)
        if len(op.closed) >= MOST or closed.bytes + sum(old.bytes for old in list(op.closed.values())) > MOST_BYTES:
            op.closed.clear()
        op.closed[key] = closed
    elif op.check is not None:
        op.check(*arrays, **closed.positional)
    if closed.large is not None and all(lies_in_rows(array) for array in arrays):
        (array,) = guard.run(closed.large.function, [*arrays, room] if closed.large.asks else arrays)
        return Tensor(array, closed.form)
    (array,) = closed.function(*arrays) if closed.moves else guard.run(closed.function, arrays)
    return Tensor(array if closed.form.shape else namespace(array).asarray(array), closed.form)


def _close(op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> Closed:
    """Record the op once on fresh leaves, and compile the way from them to the result."""
    from .compile import compile_recording  # which opens composites, and so needs this module
    from .recording import Recording

    positional = op.positional(tuple(x.form for x in tensors), settings)
    if op.check is not None:
        op.check(*(x.array for x in tensors), **positional)
    recording = Recording(arithmetic=Float().unchecked(), closes=False)
    leaves = [recording.add_leaf(Tensor(x.array, x.form, f"x{n}")) for n, x in enumerate(tensors)]
    inputs = [leaf.tensor for leaf in leaves]
    with recording:
        output = op(*inputs, **settings) if op.kind == "primitive" else op.forward(*inputs, **settings)
        result = recording.step(recording.id_of(output))
    program = compile_recording(recording, leaves, [result], reuse=False)
    large = None
    if getattr(result.tensor.array, "nbytes", 0) >= LARGE and not getattr(op, "view", False):
        large = compile_recording(recording, leaves, [result], reuse=False, large=True)
    constants = sum(getattr(value, "nbytes", 0) for value in program.function.__globals__.values())
    return Closed(program.function, result.form, positional, getattr(op, "view", False), constants, large)
