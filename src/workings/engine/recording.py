"""The recording: every value of a computation as a step, in the order in which it was made.

A step is an op, the ids of its inputs, settings, and one output; leaves are steps without
inputs. So the recording is a program, and it can be run again (replay.py), written out as
source (compile.py), walked in reverse (backward.py) and stored (file.py).

This one runs the page of every op. compiled_recording.py has one that is faster, with the same results to the last bit.

Two levels. `trace` keeps every value. `tape` keeps only the values that some backward rule
will read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import Token
from typing import Any, Literal, Self, get_args

from .arithmetic import PLAIN, Arithmetic, Float
from .arrays import Array, freeze, is_float, private
from .context import CONTEXT, Context
from .errors import StepError, WorkingsError
from .form import Broadcast
from .op import OPS, Op, Stage, first_of
from .settings import Settings, bad_setting
from .steps import NOTHING, GroupRecord, Step
from .tensor import LeafKind, Tensor

identity = id  # steps have ids too

Level = Literal["trace", "tape"]


def _typed(arithmetic: Arithmetic) -> dict[str, dict[str, Any]]:
    """Ops that make real numbers out of whole ones make those of the arithmetic."""
    if arithmetic.dtype == Float.dtype:
        return {}
    return {name: {"dtype": arithmetic.dtype} for name, op in OPS.items() if "dtype" in op.page.settings}


def is_number(name: str) -> bool:
    """Whether a step has its value for a name, as the numbers of a method do: the 1 in 1 - p.

    >>> is_number("0.5"), is_number("1_2"), is_number("-1"), is_number("W_1")
    (True, True, True, False)
    """
    return name.lstrip("-")[:1].isdigit()


class Recording:
    """The steps of one computation. Use it as a context: `with Recording() as recording: ...`"""

    def __init__(self, level: Level = "trace", arithmetic: Arithmetic = PLAIN) -> None:
        if level not in get_args(Level):
            raise bad_setting("Trace", "level", level, ", ".join(get_args(Level)))
        self.level = level
        self.arithmetic = arithmetic
        # Settings by op that hold here where nobody gives others: those of a convention, or of the arithmetic.
        self.follows: dict[str, dict[str, Any]] = _typed(arithmetic)
        self.steps: dict[str, Step] = {}
        self.groups: dict[str, GroupRecord] = {}
        # Where the next step belongs: its stage, the path before its name, its group and its twin.
        self.stage: Stage = "forward"
        self._prefix = ""
        self._group: str | None = None
        self._twin: str | None = None
        self._token = object()  # marks our tensors without holding on to this recording
        # By the identity of a tensor from outside: its step, our own tensor, and the outside one,
        # which must live as long as its identity is to mean anything.
        self._leaves: dict[int, tuple[str, Tensor, Tensor]] = {}
        self.paths: dict[str, str] = {}  # every path that is taken -> the id of its step or group
        self._again: dict[str, int] = {}  # a path that was wanted again -> the number to try next
        self._next = 1
        self._inner = Context(arithmetic.unchecked())
        self._entered: list[Token[Context]] = []

    def __enter__(self) -> Self:
        self._entered.append(CONTEXT.set(Context(self.arithmetic, self)))
        return self

    def __exit__(self, *exception: Any) -> None:
        CONTEXT.reset(self._entered.pop())

    # -- recording one op ------------------------------------------------------------------

    def record(self, op: Op, inputs: tuple[Any, ...], given: Mapping[str, Any], name: str) -> Tensor:
        """Carry out one op and write it down."""
        try:
            if self.follows and op.name in self.follows:
                given = {**self.follows[op.name], **given}
            settings = op.complete(given)
            tensors = op.tensors(inputs)
            for tensor in tensors:
                mark = tensor.mark
                if mark is None or mark[0] is not self._token:  # at least one comes from outside
                    tensors = tuple([self.known(x) for x in tensors])
                    break
            if op.kind == "group":
                return self._record_group(op, tensors, settings, name)
            output = self.compute(op, tensors, settings)
        except WorkingsError as error:
            op.place(error, self._prefix + (name or op.name), inputs)
            raise
        self._append(op, tensors, settings, output, name)
        return output

    def compute(self, op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> Tensor:
        """The value of one op, recorded nowhere. What a composite does inside stays inside."""
        if op.kind == "primitive":
            return self.arithmetic.run(op, tensors, settings)
        if op.check is not None:
            op.check(*(tensor.array for tensor in tensors), **op.positional(tuple(x.form for x in tensors), settings))
        token = CONTEXT.set(self._inner)
        try:
            output: Tensor = op.forward(*tensors, **settings)
        finally:
            CONTEXT.reset(token)
        # A composite may hand on one of its inputs; the step needs a tensor of its own.
        return Tensor(output.array, output.form) if output.mark is not None or output.root is not None else output

    def _append(
        self, op: Op, tensors: tuple[Tensor, ...], settings: Mapping[str, Any], output: Tensor, name: str
    ) -> None:
        freeze(output.array)
        id = self._new_id()
        named = bool(name)
        name, path = self._place(name or self._own_name(op, tensors), id)
        step = Step(id, op, tuple([x.mark[1] for x in tensors]), settings, output, name, path)  # type: ignore[index]
        step.stage, step.group, step.twin, step.named = self.stage, self._group, self._twin, named
        if op.stage == "update" and self.stage != "update":  # a member of an update belongs to its group's weight
            step.stage, step.twin = "update", step.inputs[0]
        for tensor in tensors:
            if tensor.root is not None:
                step.read_as = {slot: x.form for slot, x in enumerate(tensors) if x.root is not None}
                break
        output.mark = (self._token, id)
        if self.level == "tape":
            self._keep_what_backward_reads(step, op, tensors)
        self.steps[id] = step

    def _own_name(self, op: Op, tensors: tuple[Tensor, ...]) -> str:
        return op.own_name(self.step(self.id_of(tensors[0])).name)

    def _keep_what_backward_reads(self, step: Step, op: Op, tensors: tuple[Tensor, ...]) -> None:
        read = {name for rule in op.page.rules.values() for name in rule.signature.reads}
        step.saved = {slot: x for slot, x in enumerate(tensors) if op.input_name(slot) in read}
        # One number costs nothing, and the loss is one.
        if "out" not in read and step.form.shape:
            step.tensor = Tensor(None, step.tensor.form, mark=step.tensor.mark)

    def _record_group(self, op: Op, tensors: tuple[Tensor, ...], settings: Mapping[str, Any], name: str) -> Tensor:
        name = name or self._own_name(op, tensors)
        with self.elsewhere():
            if op.stage == "update":
                name, self.stage, self._twin = f"{name}_update", "update", self.id_of(tensors[0])
            group = self.begin_group(op, tensors, settings, name)
            try:
                if op.check is not None and self.arithmetic.checks:
                    op.check(*(tensor.array for tensor in tensors), **settings)
                output: Tensor = op.forward(*tensors, **settings)
                group.result = self.id_of(first_of(output))
            except BaseException:
                self._ungroup(group)
                raise
        return output

    def _ungroup(self, group: GroupRecord) -> None:
        """Of a group that fails the steps stay, to be looked at; the group does not."""
        del self.groups[group.id]
        members: list[Step | GroupRecord] = [*self.steps.values(), *self.groups.values()]
        for member in members:
            if member.group == group.id:
                member.group = group.group

    def forget_from(self, number: int) -> None:
        """Take back every step and group from this id on, as if they had never been recorded."""
        self.steps = {id: step for id, step in self.steps.items() if int(id) < number}
        self.groups = {id: group for id, group in self.groups.items() if int(id) < number}
        self.paths = {path: id for path, id in self.paths.items() if int(id) < number}
        self._leaves = {key: leaf for key, leaf in self._leaves.items() if int(leaf[0]) < number}
        self._next = number

    # -- leaves, names, groups -------------------------------------------------------------

    def id_of(self, tensor: Tensor) -> str:
        """The step that a tensor comes from; one that is met for the first time becomes a leaf."""
        mark = tensor.mark
        if mark is None or mark[0] is not self._token:
            mark = self.known(tensor).mark
            assert mark is not None
        return mark[1]

    def known(self, tensor: Tensor) -> Tensor:
        """A tensor as this recording holds it, under the words that the caller gave it."""
        mark = tensor.mark
        if mark is not None and mark[0] is self._token:
            return tensor
        origin = tensor.root if tensor.root is not None else tensor
        if identity(origin) not in self._leaves:
            self.add_leaf(origin)
        return self._leaves[identity(origin)][1].read_as(tensor.form)

    def add_leaf(self, tensor: Tensor) -> Step:
        """Write down a value to start from: a private, frozen copy, so that nobody can change it later."""
        # A single number of the method, such as the 1 in 1 - p, is not rounded by a calculator.
        literal = tensor.leaf == "constant" and not tensor.form.shape
        array = freeze(private(self.arithmetic.accept(tensor.array, literal)))
        id = self._new_id()
        own = Tensor(array, tensor.form, tensor.name, tensor.leaf, (self._token, id))
        name, path = self._place(tensor.name or tensor.leaf, id)
        step = Step(id, None, (), {}, own, name, path)
        step.stage, step.leaf, step.group, step.twin = self.stage, tensor.leaf, self._group, self._twin
        self._leaves[identity(tensor)] = (id, own, tensor)
        self.steps[id] = step
        return step

    def adopt(self, step: Step) -> None:
        """Take over a step of another recording, id and all (replay, file)."""
        tensor = step.tensor
        step.tensor = Tensor(tensor.array, tensor.form, tensor.name, tensor.leaf, (self._token, step.id))
        self.steps[step.id] = step
        self.paths[step.path] = step.id
        self._next = max(self._next, int(step.id) + 1)

    def continues(self, other: Recording) -> None:
        """Know the tensors of another recording as one's own, so that steps can be shared with it."""
        self._token = other._token
        self._next = other._next

    def share(self, step: Step) -> None:
        """Have a step of the recording that this one continues, as it is."""
        self.steps[step.id] = step
        self.paths[step.path] = step.id

    def adopt_group(self, group: GroupRecord) -> None:
        self.groups[group.id] = group
        self.paths.setdefault(group.path, group.id)
        self._next = max(self._next, int(group.id) + 1)

    def _new_id(self) -> str:
        number = self._next
        self._next = number + 1
        return str(number)

    def _place(self, name: str, id: str) -> tuple[str, str]:
        """The name and path of a new step here; a name used again counts on: X, X2. The second 1 is 1_2, because 12 is
        another number.
        """
        path = self._prefix + name
        if self._prefix.endswith("_"):  # beside a weight, of which it has the name: W_Q_m
            name = self._prefix.rpartition(".")[2] + name
        if path in self.paths:
            number = self._again.get(path, 2)
            mark = "_" if is_number(name) else ""
            while f"{path}{mark}{number}" in self.paths:
                number += 1
            self._again[path] = number + 1
            name, path = f"{name}{mark}{number}", f"{path}{mark}{number}"
        self.paths[path] = id
        return name, path

    def rename_step(self, step: Step, name: str, path: str) -> None:
        """Give a step its final name: a rule's result is named once it is known to be the result."""
        self.paths.pop(step.path, None)
        self.paths[path] = step.id
        step.name, step.path, step.named = name, path, True

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Put a path part before every name that is recorded inside; a scope can be entered again."""
        outer = self._prefix
        self._prefix = f"{outer}{name}."
        try:
            yield
        finally:
            self._prefix = outer

    def begin_group(self, op: Op, tensors: tuple[Tensor, ...], settings: Mapping[str, Any], name: str) -> GroupRecord:
        """From here on steps lie in this group. The caller restores where it was before."""
        id = self._new_id()
        name, path = self._place(name, id)
        ids = tuple([self.id_of(tensor) for tensor in tensors])
        group = GroupRecord(id, op, name, path, ids, settings, self.stage)
        group.group = self._group
        for slot, tensor in enumerate(tensors):
            if tensor.root is not None:
                group.read_as = {**group.read_as, slot: tensor.form}
        self.groups[group.id] = group
        self._prefix, self._group = group.prefix, group.id
        return group

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Whatever is said inside about the place of the next steps is forgotten afterwards."""
        before = self.stage, self._prefix, self._group, self._twin
        try:
            yield
        finally:
            self.stage, self._prefix, self._group, self._twin = before

    def go_to(self, stage: Stage, prefix: str, twin: str | None) -> None:
        """Where the next steps belong."""
        self.stage, self._prefix, self._group, self._twin = stage, prefix, None, twin

    # -- reading ---------------------------------------------------------------------------

    def step(self, id: str) -> Step:
        return self.steps[id]

    @property
    def count(self) -> int:
        """The number that the next step will get as its id."""
        return self._next

    def input_tensors(self, step: Step | GroupRecord) -> tuple[Tensor, ...]:
        """The inputs of a step, under the axis words with which it read them."""
        saved = step.saved if isinstance(step, Step) else NOTHING
        if not saved and not step.read_as:
            return tuple([self.step(id).tensor for id in step.inputs])
        found = []
        for slot, id in enumerate(step.inputs):
            tensor = saved[slot] if slot in saved else self.step(id).tensor
            found.append(tensor.read_under(step.read_as[slot]) if slot in step.read_as else tensor)
        return tuple(found)

    def broadcast(self, step: Step) -> tuple[Broadcast, ...]:
        """Which inputs of a step were repeated, along which axis."""
        if not isinstance(step.op, Op) or step.kind != "primitive":
            return ()
        forms = tuple(tensor.form for tensor in self.input_tensors(step))
        return step.op.laid_out(forms, step.settings).broadcast

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
            raise StepError(
                f"The value of {step.path} was not kept.",
                hint="A tape keeps only what backward needs: record with level='trace' to see every value.",
            )
        return step.tensor.array

    def leaves(self, kinds: tuple[LeafKind, ...] = ("given", "parameter")) -> list[Step]:
        """The leaves of these kinds that hold real numbers: those that can have a gradient."""
        return [step for step in self.steps.values() if step.leaf in kinds and is_float(step.tensor.array)]
