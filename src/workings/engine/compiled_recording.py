"""A recording that runs each op as one compiled function of plain arrays.

There is no need to walk through the ops of a composite's page each time: the first time they are recorded and compiled
for inputs of these forms and types, and from then on the compiled function is called. Primitives profit as well: their
NumPy source is faster than the same expression through the array API. The result is the same to the last bit; the page
stays the reference, and opening a step always runs the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .arithmetic import PLAIN, Arithmetic, Float
from .arrays import lies_in_rows, namespace
from .compile import CompiledProgram, compile_recording
from .form import Form
from .guard import Guard
from .op import Op
from .recording import Level, Recording
from .room import Room, SharedRoom, no_room
from .settings import Settings
from .tensor import Tensor

LARGE = 2**18  # bytes of a result whose memory is worth a thought
MAX_FUNCTIONS = 1024  # that are kept for one op
MAX_CONSTANT_BYTES = 2**26  # in the functions of one op: a mask has a constant for every length of text


class CompiledOp(NamedTuple):
    """An op as a function of arrays of certain shapes and types."""

    function: Callable[..., Any]
    form: Form
    positional: Mapping[str, Any]  # the settings as `check` takes them
    moves: bool  # numbers without computing with them: nothing can overflow
    bytes: int  # of its constants
    large: CompiledProgram | None  # the same for inputs that lie in rows, where the result is large


class CompiledRecording(Recording):
    """Records plain floating point at the speed of compiled functions. A calculator goes through every line."""

    def __init__(self, level: Level = "trace", arithmetic: Arithmetic = PLAIN) -> None:
        super().__init__(level, arithmetic)
        self._compiles = type(arithmetic) is Float
        self._guard = Guard()
        # A trace keeps all its values together; a tape frees them one by one.
        self._room: Room = SharedRoom() if level == "trace" else no_room

    def compute(self, op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> Tensor:
        """The value of one op, recorded nowhere."""
        if not self._compiles:
            return super().compute(op, tensors, settings)
        arrays = [x.array for x in tensors]
        key = (tuple([(x.form, x.array.dtype, type(x.array)) for x in tensors]), settings.key)
        compiled = op.compiled.get(key)
        if compiled is None:
            if not all(getattr(namespace(array), "__name__", "") == "numpy" for array in arrays):
                return super().compute(op, tensors, settings)
            compiled = _compile(op, tensors, settings)
            _keep(op, key, compiled)
        elif op.check is not None:
            op.check(*arrays, **compiled.positional)
        if compiled.large is not None and all(lies_in_rows(array) for array in arrays):
            program = compiled.large
            (array,) = self._guard.run(program.function, [*arrays, self._room] if program.asks else arrays)
            return Tensor(array, compiled.form)
        (array,) = compiled.function(*arrays) if compiled.moves else self._guard.run(compiled.function, arrays)
        return Tensor(array if compiled.form.shape else namespace(array).asarray(array), compiled.form)


def _keep(op: Op, key: Any, compiled: CompiledOp) -> None:
    kept = list(op.compiled.values())
    if len(kept) >= MAX_FUNCTIONS or compiled.bytes + sum(old.bytes for old in kept) > MAX_CONSTANT_BYTES:
        op.compiled.clear()
    op.compiled[key] = compiled


def _compile(op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> CompiledOp:
    """Record the op once on fresh leaves, and compile the way from them to the result."""
    positional = op.positional(tuple(x.form for x in tensors), settings)
    if op.check is not None:
        op.check(*(x.array for x in tensors), **positional)
    recording = Recording(arithmetic=Float().unchecked())
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
    return CompiledOp(program.function, result.form, positional, getattr(op, "view", False), constants, large)
