"""Compile: write a recording out as one Python function of plain array calls.

Composites are opened down to primitives, what does not depend on the inputs becomes a
constant, equal computations are done once, and the results go into buffers that are used
again as soon as nobody reads them any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .arithmetic import Calculator
from .arrays import Array, dtype_name, in_rows, is_array, namespace
from .errors import CallError, ReplayError, ShapeError
from .guard import guarded
from .lowering import Lowering, Node
from .op import wrong_count
from .recording import Recording
from .steps import Step
from .varying import varies


@dataclass
class CompiledProgram:
    """A compiled recording: call it with one array per input, get one array per output.

    `source` is the function's text. The buffers belong to the program: one thread at a time.
    """

    source: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    kinds: tuple[tuple[tuple[int, ...], Any], ...]  # the shape and the type of each input
    function: Any = field(repr=False)
    asks: bool = False  # whether the function is told, after its inputs, where to get the memory of its result
    numbers: tuple[str, ...] = ()  # the settings that each call gives by name: see varying.py

    def __call__(self, *arrays: Array, **numbers: float) -> tuple[Array, ...]:
        if len(arrays) != len(self.inputs):
            raise wrong_count("The program", self.inputs, len(arrays))
        for place, (array, (shape, dtype)) in enumerate(zip(arrays, self.kinds, strict=True)):
            if getattr(array, "dtype", None) is not dtype or array.shape != shape:
                self._refuse(self.inputs[place], array, shape, dtype)
        if not arrays:
            return tuple(self.function())
        result: tuple[Array, ...] = guarded(self.function, [in_rows(array) for array in arrays], numbers)
        return result

    def _refuse(self, name: str, array: Array, shape: tuple[int, ...], dtype: Any) -> None:
        """Refuse an array that does not fit, if it really does not."""
        if not is_array(array):
            raise CallError(
                f"{name} is a {type(array).__name__}; a compiled program takes arrays.",
                hint="Give numpy.asarray(...), of the shape and type that were recorded.",
                where=name,
            )
        if tuple(array.shape) != shape:
            raise ShapeError(
                f"{name} has the shape {shape} in this program, but the array given has {tuple(array.shape)}.",
                hint="Give an array of the shape that was recorded.",
                where=name,
            )
        if array.dtype != dtype:
            old = str(dtype).rpartition(".")[2]
            raise ReplayError(
                f"{name} is {old} in this program, but the array given is {dtype_name(array)}.",
                hint=f"Convert it: array.astype('{old}').",
                where=name,
            )


def compile_recording(
    recording: Recording, inputs: Iterable[Step], outputs: Iterable[Step], reuse: bool = True, large: bool = False
) -> CompiledProgram:
    """The steps between `inputs` (leaves) and `outputs` as one function.

    Without `reuse` there are no buffers: every call makes its own arrays, so threads may share the program. If it is
    meant for `large` arrays, it writes over those that nobody reads any more, and is told where its result goes; its
    inputs must then lie in rows, because the order of an array in memory decides the last bit of a sum.
    """
    inputs, outputs = list(inputs), list(outputs)
    if isinstance(recording.arithmetic, Calculator):
        raise ReplayError(
            f"A program computes in floating point; this trace was recorded with {recording.arithmetic.precision}.",
            hint="Record it with the precision float64 to compile it.",
        )
    for place, step in enumerate(inputs):
        if step in inputs[:place]:
            raise ReplayError(
                f"{step.path} is given twice as an input of the program.",
                hint="Name each input once; the program uses it wherever it is needed.",
            )
        if step.op is not None:
            leaves = ", ".join(leaf.path for leaf in recording.leaves()[:6])
            raise ReplayError(
                f"{step.path} is computed, so it cannot be an input of the program.",
                hint=f"Inputs are leaves: {leaves}.",
            )
    lowered = Lowering(recording, inputs)
    for step in recording.steps.values():
        lowered.add(recording, step)
    return _Writer(lowered, inputs, outputs, reuse, large).program()


class _Writer:
    """Puts the nodes into words, with as few buffers as their lifetimes allow."""

    def __init__(self, lowered: Lowering, inputs: list[Step], outputs: list[Step], reuse: bool, large: bool) -> None:
        self.lowered = lowered
        self.reuse = reuse
        self.inputs = inputs
        self.outputs = outputs
        self.results = [lowered.resolve(step.id) for step in outputs]
        self.nodes = self._needed()
        varying = [value for node in self.nodes.values() for value in node.settings.values() if varies({"": value})]
        self.numbers = tuple(dict.fromkeys(map(str, varying)))
        self.xp: Any = namespace(inputs[0].tensor.array) if inputs else None
        self.in_numpy = getattr(self.xp, "__name__", "") == "numpy"
        self.globals: dict[str, Any] = {}
        self.lines: list[str] = []
        self.free: dict[Any, list[str]] = {}
        self.held: dict[str, str] = {}  # node -> its buffer
        self.buffers = 0
        self.constants = 0
        self.names = {step.id: f"x{n}" for n, step in enumerate(inputs)}
        self.last_use = self._last_uses()
        # For large arrays: which node writes over which, and which one asks for the memory of the result.
        self.over = self._written_over() if large else {}
        self.asks = self._asking() if large else None

    def _needed(self) -> dict[str, Node]:
        wanted = set(self.results)
        for id, node in reversed(self.lowered.nodes.items()):
            if id in wanted:
                wanted.update(node.arguments)
        return {id: node for id, node in self.lowered.nodes.items() if id in wanted}

    def program(self) -> CompiledProgram:
        for place, (id, node) in enumerate(self.nodes.items()):
            self.names[id] = f"v{place}"
            self.lines.append(f"    v{place} = {self._call(id, node)}  # {_on_one_line(node.path)}")
            for done in [n for n in self.held if self.last_use[n] <= place]:
                buffer = self.held.pop(done)
                self.free.setdefault(_buffer_kind(self.nodes[done].like), []).append(buffer)
        returned = "".join(f"{self._name(id)}{self._copy(place)}, " for place, id in enumerate(self.results))
        names = [self.names[step.id] for step in self.inputs]
        parameters = ", ".join([*names, *self.numbers, *(["room"] if self.asks else [])])
        described = [
            f"    # {self.names[step.id]}: {_on_one_line(f'{step.path}, {step.form}')}" for step in self.inputs
        ]
        source = "\n".join(
            [f"def program({parameters}):", *described, *self.lines, f"    return ({returned.strip()})", ""]
        )
        code = compile(source, "<workings program>", "exec")
        (body,) = [part for part in code.co_consts if hasattr(part, "co_names")]
        for name in body.co_names:  # the array functions that the program calls
            if name not in self.globals and hasattr(self.xp, name):
                self.globals[name] = getattr(self.xp, name)
        exec(code, self.globals)
        return CompiledProgram(
            source,
            tuple(step.path for step in self.inputs),
            tuple(step.path for step in self.outputs),
            tuple((step.form.shape, step.tensor.array.dtype) for step in self.inputs),
            self.globals["program"],
            self.asks is not None,
            self.numbers,
        )

    def _base(self, id: str) -> str:
        """The node whose memory this one looks into."""
        while id in self.nodes and self.nodes[id].op.view:
            id = self.nodes[id].arguments[0]
        return id

    def _last_uses(self) -> dict[str, int]:
        """When each node's memory is read for the last time, also through views of it."""
        last: dict[str, int] = {}
        for place, (id, node) in enumerate(self.nodes.items()):
            last[self._base(id)] = place
            for argument in node.arguments:
                last[self._base(argument)] = place
        for result in self.results:
            last[self._base(result)] = len(self.nodes)
        return last

    def _call(self, id: str, node: Node) -> str:
        arguments = [self._name(argument) for argument in node.arguments]
        fresh = id in self.results or not self.reuse
        if self.in_numpy and node.source and not (node.op.into is not None and fresh):
            out = self._out(id, node) if "{out}" in node.source else ""
            if node.op.into is None:
                return node.source.format(*arguments, out=out, **node.settings)
            self.globals[node.op.name] = node.op.into
            self.globals[f"s_{self.names[id]}"] = node.settings
            return node.source.format(*arguments, out=out, settings=f"s_{self.names[id]}")
        self.globals[f"f_{node.op.name}"] = node.op.forward
        self.globals[f"s_{self.names[id]}"] = node.settings
        return f"f_{node.op.name}({', '.join(arguments)}, **s_{self.names[id]})"

    def _written_over(self) -> dict[str, str]:
        """Node -> an array that the program made and that nobody reads after this node. A function that goes entry by
        entry can write over it: where arrays are large, new memory takes as long as the arithmetic.
        """
        over: dict[str, str] = {}
        for place, (id, node) in enumerate(self.nodes.items()):
            call = ONE_CALL.fullmatch(node.source)
            if call is None or not node.like.shape:  # a single number is no array
                continue
            if getattr(getattr(self.xp, call[1], None), "signature", "") is not None:  # no plain ufunc
                continue
            for argument in node.arguments:
                made = self.nodes.get(argument)
                if made is None or made.op.view or not made.source or self.last_use[argument] > place:
                    continue
                if _buffer_kind(made.like) == _buffer_kind(node.like):
                    over[id] = argument
                    break
        return over

    def _asking(self) -> str | None:
        """The first node of those that write the one result over each other that can be told where to write."""
        asking = None
        id: str | None = self.results[0]
        while id is not None:
            node = self.nodes.get(id)
            if node is not None and "{out}" in node.source and node.op.into is None:
                asking = id
            id = self.over.get(id)
        return asking

    def _out(self, id: str, node: Node) -> str:
        """Where a node writes its result; None is an array of its own."""
        if self.reuse:
            # A result must be an array of its own: the program's buffers are written again.
            return "None" if id in self.results else self._buffer(id, node)
        if id == self.asks:
            self.globals["kind"] = (node.like.shape, node.like.dtype, node.like.nbytes, self.xp)
            return "room(kind)"
        return self.names[self.over[id]] if id in self.over else "None"

    def _buffer(self, id: str, node: Node) -> str:
        pool = self.free.get(_buffer_kind(node.like))
        if pool:
            buffer = pool.pop()
        else:
            buffer = f"b{self.buffers}"
            self.buffers += 1
            self.globals[buffer] = self.xp.empty_like(node.like)
        self.held[id] = buffer
        return buffer

    def _name(self, id: str) -> str:
        if id in self.names:
            return self.names[id]
        self.names[id] = name = f"c{self.constants}"
        self.constants += 1
        self.globals[name] = self.lowered.values[id]
        return name

    def _copy(self, place: int) -> str:
        """Each result is an array of its own. One that is an input or a constant, that looks into other memory
        or that was handed out before is copied.
        """
        id = self.results[place]
        own = id in self.nodes and self._base(id) == id and id not in self.results[:place]
        return ".copy()" if self.in_numpy and self.reuse and not own else ""


ONE_CALL = re.compile(r"(\w+)\([^()]*\)")


def _on_one_line(text: str) -> str:
    """A comment ends with its line: no name, not even one from a file, may become code."""
    return " ".join(text.split())


def _buffer_kind(array: Array) -> tuple[tuple[int, ...], str, tuple[int, ...]]:
    """What a buffer must be like; also in which order it lies in memory, which decides the last bit of a sum."""
    return array.shape, str(array.dtype), array.strides
