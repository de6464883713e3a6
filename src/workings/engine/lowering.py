"""Lowering: a recording as the primitive array calls that its results need, each of them once.

Composites are opened, what does not depend on the inputs is a constant, and what is computed twice is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .arrays import Array, is_float
from .inside import Inside, inside, written_out
from .op import Primitive
from .page import Mistake
from .recording import Recording
from .steps import Step
from .varying import varies


@dataclass
class Node:
    """One array call of the program."""

    op: Primitive
    arguments: tuple[str, ...]
    settings: dict[str, Any]
    like: Array  # an array of the shape and type that comes out
    path: str
    source: str


class Lowering:
    """The recording as primitive nodes, each computed once."""

    def __init__(self, recording: Recording, inputs: list[Step]) -> None:
        self.nodes: dict[str, Node] = {}
        self.values: dict[str, Array] = {}  # what does not depend on the inputs
        self.alias: dict[str, str] = {}  # step id -> the node or input that holds its value
        self.varying = {step.id for step in inputs}
        self._same: dict[Any, str] = {}

    def resolve(self, id: str) -> str:
        return self.alias.get(id, id)

    def add(self, recording: Recording, step: Step) -> None:
        if step.id in self.varying:
            return
        if step.op is None or not (
            varies(step.settings) or any(self.resolve(id) in self.varying for id in step.inputs)
        ):
            self._keep(step.id, recording.value(step.id))
            return
        if isinstance(step.op, Mistake) or step.kind == "composite":
            self._open(step, inside(recording, step))
            return
        assert isinstance(step.op, Primitive)
        arguments = tuple(self.resolve(id) for id in step.inputs)
        if step.op.name == "pass":
            self.alias[step.id] = arguments[0]
            return
        forms = tuple(tensor.form for tensor in recording.input_tensors(step))
        faster = step.op.faster(*forms)
        if faster is not None:
            self._open(step, written_out(recording, step, faster))
            return
        settings = step.op.laid_out(forms, step.settings).settings
        same = self._same.setdefault((step.op.name, arguments, repr(settings)), step.id)
        if same != step.id:
            self.alias[step.id] = self.resolve(same)
            return
        value = recording.value(step.id)
        shortcut = self._shortcut(step.op, arguments, [recording.step(id).tensor.array for id in step.inputs], value)
        if shortcut is not None:
            self.alias[step.id] = shortcut
            return
        source = step.op.source(*forms, **settings)
        self.nodes[step.id] = Node(step.op, arguments, settings, value, step.path, source)
        self.varying.add(step.id)

    def _open(self, step: Step, opened: Inside) -> None:
        for inner in opened.steps.values():
            self.add(opened, inner)
        self.alias[step.id] = self.resolve(opened.result)

    def _keep(self, id: str, value: Array) -> None:
        """A constant. Equal single numbers are one constant, so that what is computed with them is done once."""
        self.values[id] = value
        if not getattr(value, "shape", ()):
            # By its bits: what an array library prints may be rounded, and 0.0 is not -0.0.
            same = self._same.setdefault((str(value.dtype), _exact(value)), id)
            if same != id:
                self.alias[id] = same

    def _shortcut(self, op: Primitive, arguments: tuple[str, ...], arrays: list[Array], value: Array) -> str | None:
        """Another value that is the same to the last bit: transposing twice, multiplying by 1."""
        if op.name == "transpose":
            before = self.nodes.get(arguments[0])
            return before.arguments[0] if before is not None and before.op is op else None
        if op.name == "mul":
            ones = [n for n, id in enumerate(arguments) if id in self.values and _is_one(self.values[id])]
            # A 1 of a wider type would widen the result.
            return arguments[1 - ones[0]] if ones and arrays[1 - ones[0]].dtype == value.dtype else None
        return None


def _exact(number: Array) -> str:
    """A single number to its last bit."""
    return float(number).hex() if is_float(number) else repr(int(number))


def _is_one(array: Array) -> bool:
    return not array.shape and float(array) == 1.0
