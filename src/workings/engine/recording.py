"""The recording: every value of a computation as a step, in the order in which it was made.

A step is an op, the ids of its inputs, settings, and one output; leaves are steps without
inputs. So the recording is a program, and it can be run again (replay.py), written out as
source (compile.py), walked in reverse (backward.py) and stored (file.py).

Two levels. `trace` keeps every value, name and path. `tape` keeps only the values that
some backward rule will read.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from .arithmetic import PLAIN, Arithmetic
from .arrays import Array, freeze, is_float
from .context import CONTEXT, Context, within
from .errors import StepError, WorkingsError
from .form import Broadcast, Form
from .op import Kind, Op, Stage
from .page import Mistake
from .tensor import LeafKind, Tensor

identity = id  # steps have ids too

Level = Literal["trace", "tape"]


@dataclass(slots=True)
class Step:
    """One value and how it was made."""

    id: str
    op: Op | Mistake | None  # None: a leaf
    inputs: tuple[str, ...]
    settings: dict[str, Any]
    tensor: Tensor
    name: str
    path: str
    stage: Stage = "forward"
    leaf: LeafKind | None = None
    twin: str | None = None  # of a gradient or a new weight: the step that it belongs to
    group: str | None = None  # the innermost group that it lies in
    # The form under which an input was read, where it differs from its own (x.rename).
    read_as: dict[int, Form] = field(default_factory=dict)
    # On a tape: the inputs that backward will ask for. The trace has them all in its steps.
    saved: dict[int, Tensor] = field(default_factory=dict)

    @property
    def form(self) -> Form:
        return self.tensor.form

    @property
    def kind(self) -> Kind:
        return "leaf" if self.op is None else "composite" if isinstance(self.op, Mistake) else self.op.kind

    @property
    def op_name(self) -> str:
        if self.op is None:
            return str(self.leaf)
        return self.op.id if isinstance(self.op, Mistake) else self.op.name


@dataclass(slots=True)
class GroupRecord:
    """A path whose steps lie in the trace: a group op, or one application of a backward rule."""

    id: str
    op: Op
    name: str
    path: str
    inputs: tuple[str, ...]
    settings: dict[str, Any]
    stage: Stage
    result: str = ""
    group: str | None = None
    # Of a rule application: the forward step, which of its inputs, and the gradient that came in.
    rule_of: str | None = None
    slot: int = 0
    read_as: dict[int, Form] = field(default_factory=dict)


class Recording:
    """The steps of one computation. Use it as a context: `with Recording() as recording: ...`"""

    def __init__(self, level: Level = "trace", arithmetic: Arithmetic = PLAIN) -> None:
        self.level = level
        self.arithmetic = arithmetic
        self.steps: dict[str, Step] = {}
        self.groups: dict[str, GroupRecord] = {}
        self.stage: Stage = "forward"
        self._token = object()  # marks our tensors without holding on to this recording
        # By the identity of a tensor from outside: its step, our own tensor, and the outside one,
        # which must live as long as its identity is to mean anything.
        self._leaves: dict[int, tuple[str, Tensor, Tensor]] = {}
        self._prefix = ""
        self._group: str | None = None
        self._paths: set[str] = set()
        self._next = 1
        self._entered: list[Any] = []

    def __enter__(self) -> Recording:
        manager = within(Context(self.arithmetic, self))
        manager.__enter__()
        self._entered.append(manager)
        return self

    def __exit__(self, *exception: Any) -> None:
        self._entered.pop().__exit__(*exception)

    # -- recording one op ------------------------------------------------------------------

    def record(self, op: Op, inputs: tuple[Any, ...], settings: dict[str, Any], name: str) -> Tensor:
        """Carry out one op and write it down."""
        try:
            settings = op.complete(settings)
            known = [self._known_as(tensor) for tensor in op.tensors(inputs)]
            ids, tensors = tuple([id for id, _ in known]), tuple([tensor for _, tensor in known])
            if op.kind == "group":
                return self._record_group(op, ids, tensors, settings, name)
            output = self.compute(op, tensors, settings)
        except WorkingsError as error:
            error.where = error.where or self._prefix + (name or op.name)
            error.given = error.given or _given(op, inputs)
            raise
        self._append(op, ids, tensors, settings, output, name)
        return output

    def compute(self, op: Op, tensors: tuple[Tensor, ...], settings: dict[str, Any]) -> Tensor:
        """The value of one op, recorded nowhere. What a composite does inside stays inside."""
        if op.kind == "primitive":
            return self.arithmetic.run(op, tensors, settings)
        token = CONTEXT.set(Context(self.arithmetic))
        try:
            output = self.arithmetic.run(op, tensors, settings)
        finally:
            CONTEXT.reset(token)
        # A composite may hand on one of its inputs; the step needs a tensor of its own.
        return Tensor(output.array, output.form) if any(output is tensor for tensor in tensors) else output

    def _append(
        self,
        op: Op,
        ids: tuple[str, ...],
        tensors: tuple[Tensor, ...],
        settings: dict[str, Any],
        output: Tensor,
        name: str,
    ) -> Step:
        freeze(output.array)
        stage = self.stage if op.stage == "forward" else op.stage
        step = Step(self._new_id(), op, ids, settings, output, name, "", stage, group=self._group)
        step.name, step.path = self._place(name or op.name)
        for slot, tensor in enumerate(tensors):
            if tensor.root is not None:
                step.read_as[slot] = tensor.form
        output.mark = (self._token, step.id)
        output.root = None
        if self.level == "tape":
            self._keep_what_backward_reads(step, op, tensors)
        self.steps[step.id] = step
        return step

    def _keep_what_backward_reads(self, step: Step, op: Op, tensors: tuple[Tensor, ...]) -> None:
        read = {name for rule in op.page.rules.values() for name in rule.signature.reads}
        for slot, tensor in enumerate(tensors):
            if op.input_name(slot) in read:
                step.saved[slot] = tensor
        if "out" not in read:
            step.tensor = Tensor(None, step.tensor.form, mark=step.tensor.mark)

    def _record_group(
        self, op: Op, ids: tuple[str, ...], tensors: tuple[Tensor, ...], settings: dict[str, Any], name: str
    ) -> Tensor:
        with self.open_group(op, ids, settings, name or op.name) as group:
            group.read_as = {slot: tensor.form for slot, tensor in enumerate(tensors) if tensor.root is not None}
            output: Tensor = op.forward(*tensors, **settings)
            group.result = self.id_of(output)
        return output

    # -- leaves, names, groups -------------------------------------------------------------

    def id_of(self, tensor: Tensor) -> str:
        """The step that a tensor comes from; one that is met for the first time becomes a leaf."""
        return self._known_as(tensor)[0]

    def _known_as(self, tensor: Tensor) -> tuple[str, Tensor]:
        """The step of a tensor, and the tensor as this recording holds it, under the caller's words."""
        if tensor.mark is not None and tensor.mark[0] is self._token:
            return tensor.mark[1], tensor
        origin = tensor.root if tensor.root is not None else tensor
        if identity(origin) not in self._leaves:
            self.add_leaf(origin)
        id, own, _ = self._leaves[identity(origin)]
        return id, own.read_as(tensor.form)

    def add_leaf(self, tensor: Tensor) -> Step:
        """Write down a value to start from: a private, frozen copy, so that nobody can change it later."""
        array = self.arithmetic.accept(tensor.array)
        flags = getattr(array, "flags", None)
        if array is tensor.array and flags is not None and flags.writeable:
            array = array.copy()
        id = self._new_id()
        own = Tensor(freeze(array), tensor.form, name=tensor.name, leaf=tensor.leaf, mark=(self._token, id))
        name, path = self._place(tensor.name or tensor.leaf)
        step = Step(id, None, (), {}, own, name, path, self.stage, leaf=tensor.leaf, group=self._group)
        self._leaves[identity(tensor)] = (id, own, tensor)
        self.steps[id] = step
        return step

    def adopt(self, step: Step) -> None:
        """Take over a step of another recording, id and all (replay, file)."""
        self.steps[step.id] = step
        self._leaves[identity(step.tensor)] = (step.id, step.tensor, step.tensor)
        self._paths.add(step.path)
        self._next = max(self._next, int(step.id) + 1)

    def adopt_group(self, group: GroupRecord) -> None:
        self.groups[group.id] = group
        self._next = max(self._next, int(group.id) + 1)

    def _new_id(self) -> str:
        number = self._next
        self._next = number + 1
        return str(number)

    def _place(self, name: str) -> tuple[str, str]:
        """The name and path of a new step here; a name used again counts on: X, X2."""
        path = self._prefix + name
        if path in self._paths:
            number = 2
            while f"{path}{number}" in self._paths:
                number += 1
            name, path = f"{name}{number}", f"{path}{number}"
        self._paths.add(path)
        return name, path

    def rename_step(self, step: Step, name: str, path: str) -> None:
        """Give a step its final name: a rule's result is named once it is known to be the result."""
        self._paths.discard(step.path)
        self._paths.add(path)
        step.name, step.path = name, path

    @contextmanager
    def scope(self, name: str) -> Iterator[str]:
        """Put a path part before every name that is recorded inside."""
        outer = self._prefix
        _, path = self._place(name)
        self._prefix = f"{path}."
        try:
            yield path
        finally:
            self._prefix = outer

    @contextmanager
    def open_group(self, op: Op, inputs: tuple[str, ...], settings: dict[str, Any], name: str) -> Iterator[GroupRecord]:
        """A scope that remembers what it was: the op, its inputs, its members and its result."""
        group = GroupRecord(self._new_id(), op, name, "", inputs, settings, self.stage, group=self._group)
        outer, self._group = self._group, group.id
        before = len(self._prefix)
        try:
            with self.scope(name) as path:
                group.path, group.name = path, path[before:]
                self.groups[group.id] = group
                yield group
        except BaseException:
            self.groups.pop(group.id, None)
            raise
        finally:
            self._group = outer

    @contextmanager
    def at_stage(self, stage: Stage, prefix: str = "") -> Iterator[None]:
        """Record what follows as backward or update, under another prefix."""
        before = self.stage, self._prefix, self._group
        self.stage, self._prefix, self._group = stage, prefix, None
        try:
            yield
        finally:
            self.stage, self._prefix, self._group = before

    # -- reading ---------------------------------------------------------------------------

    def step(self, id: str) -> Step:
        return self.steps[id]

    @property
    def count(self) -> int:
        """The number that the next step will get as its id."""
        return self._next

    def since(self, number: int) -> Iterator[Step]:
        """The steps from this number on, the latest first."""
        return itertools.takewhile(lambda step: int(step.id) >= number, reversed(self.steps.values()))

    def input_tensors(self, step: Step | GroupRecord) -> tuple[Tensor, ...]:
        """The inputs of a step, under the axis words with which it read them."""
        found = []
        saved = step.saved if isinstance(step, Step) else {}
        for slot, id in enumerate(step.inputs):
            tensor = saved.get(slot) or self.step(id).tensor
            found.append(tensor.read_as(step.read_as[slot]) if slot in step.read_as else tensor)
        return tuple(found)

    def broadcast(self, step: Step) -> tuple[Broadcast, ...]:
        """Which inputs of a step were repeated, along which axis."""
        if not isinstance(step.op, Op) or step.kind != "primitive":
            return ()
        forms = tuple(tensor.form for tensor in self.input_tensors(step))
        return step.op.laid_out(forms, tuple(step.settings.items())).broadcast

    def members(self, group: GroupRecord) -> list[Step]:
        """The steps that lie directly or deeper in a group, in order."""
        inside = {group.id}
        for other in self.groups.values():
            if other.group in inside:
                inside.add(other.id)
        return [step for step in self.steps.values() if step.group in inside]

    def value(self, id: str) -> Array:
        step = self.step(id)
        if step.tensor.array is None:
            raise StepError("backward.dropped", name=step.path)
        return step.tensor.array

    def leaves(self, kinds: tuple[LeafKind, ...] = ("given", "parameter")) -> list[Step]:
        """The leaves of these kinds that hold real numbers: those that can have a gradient."""
        return [step for step in self.steps.values() if step.leaf in kinds and is_float(step.tensor.array)]


def _given(op: Op, inputs: tuple[Any, ...]) -> str:
    forms = [str(x.form) if isinstance(x, Tensor) else type(x).__name__ for x in inputs]
    names = op.slot_names(len(inputs))
    return ", ".join(f"{name}: {form}" for name, form in zip(names, forms, strict=True))


def known_inputs(op: Op, tensors: tuple[Tensor, ...], out: Tensor, slot: int) -> Mapping[str, Any]:
    """What a rule may ask for by name."""
    return {**op.named_inputs(tensors), "out": out, "which": max(0, slot - len(op.page.inputs) + 1)}
