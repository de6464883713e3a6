"""One head of packed heads, by name.

Heads that are computed together are one array with an axis `head`. `block1.attention.head2.scores` is the part of
`block1.attention.scores` that belongs to the second head: heads count from 1, as the modules of separate heads do. A
step whose own path ends like this takes precedence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..document.blocks import Block, Derivation, Link, Matrix, Spans, Text
from ..engine.arrays import Array, Index, dtype_name, is_integer, namespace
from ..engine.checks import not_whole_numbers
from ..engine.compiled_recording import CompiledRecording
from ..engine.errors import ShapeError, StepError
from ..engine.form import Form
from ..engine.guard import guarded
from ..engine.names import ambiguous_step, ends_in, find_all, locate
from ..engine.op import OPS
from ..engine.recording import Recording
from ..engine.steps import Step
from ..engine.tensor import Tensor
from .cell import checked_index, example_entry
from .step_blocks import matrix_of
from .step_view import StepView

if TYPE_CHECKING:
    from .trace import Trace

HEAD_AXIS = "head"
NAME = re.compile(rf"(|.*\.){HEAD_AXIS}(\d{{1,9}})\.(.+)")  # no model has so many heads that more digits are needed


@dataclass(frozen=True)
class HeadSlice:
    """The part of a step that belongs to one head."""

    recording: Recording
    step: Step
    number: int  # of the head, counted from 1
    path: str  # with the head in it

    @classmethod
    def of(cls, trace: Recording, recording: Recording, step: Step, number: int) -> HeadSlice:
        """One head of a step in the recording of a trace, or inside a composite there."""
        outer, name, inside = step.path, step.name, ""
        if recording is not trace and "/" in outer:
            outer = outer.partition("/")[0]
            name, inside = trace.step(trace.paths[outer]).name, step.path[len(outer) :]
        return cls(recording, step, number, f"{outer[: len(outer) - len(name)]}{HEAD_AXIS}{number}.{name}{inside}")

    @property
    def name(self) -> str:
        return f"{HEAD_AXIS}{self.number}.{self.step.name}"

    @property
    def form(self) -> Form:
        return self.step.form.taking(n for n in range(len(self.step.form.shape)) if n != self._axis)

    @property
    def value(self) -> Array:
        return self.recording.value(self.step.id)[self._place]

    def whole(self, index: Index) -> Index:
        """The index in the whole step of an entry of this head."""
        return (*index[: self._axis], self.number - 1, *index[self._axis :])

    def whole_axis(self, axis: int) -> int:
        """An axis of this head as an axis of the whole step."""
        return axis if axis < self._axis else axis + 1

    def alone(self) -> tuple[Recording, Step]:
        """The value as the only step of a recording."""
        recording = CompiledRecording(arithmetic=self.recording.arithmetic)
        tensor = Tensor(self.value, self.form)
        step = self.step.changed(op=None, leaf="given", inputs=(), twin=None, group=None, tensor=tensor)
        step.name, step.path = self.name, self.path
        recording.steps[step.id] = step
        return recording, step

    def put_into(self, whole: Array, value: Array) -> Array:
        """A copy of the whole value with another value for this head."""
        if tuple(value.shape) != self.form.shape:
            raise ShapeError(
                f"{self.name} has the shape {self.form.shape}, but the new value has {tuple(value.shape)}.",
                hint="Give an array of the same shape.",
                where=self.path,
            )
        if is_integer(whole) and not is_integer(value):
            raise not_whole_numbers(self.name, dtype_name(value), where=self.path)
        library = namespace(whole)
        copy: Array = library.asarray(whole, copy=True)
        copy[self._place] = guarded(library.asarray, [value, whole.dtype], {})
        return copy

    def checked(self) -> HeadSlice:
        """This part, if there is such a head."""
        if HEAD_AXIS not in self.step.form.axes:
            raise StepError(f"{self.step.path} is not divided into heads.", hint="Leave the head out to see it whole.")
        count = self.step.form.shape[self._axis]
        if not 1 <= self.number <= count:
            raise StepError(
                f"There is no head {self.number} in {self.step.path}: it has {count}.",
                hint=f"Heads count from 1: head1 to head{count}.",
            )
        return self

    @property
    def _axis(self) -> int:
        return self.step.form.axes.index(HEAD_AXIS)

    @property
    def _place(self) -> tuple[slice | int, ...]:
        sizes = self.step.form.shape
        return tuple(self.number - 1 if n == self._axis else slice(None) for n in range(len(sizes)))


def find_head(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> HeadSlice | None:
    """The head that a name refers to; None if it refers to a whole step."""
    outer, *inner = str(name).split("/")
    outer = (aliases or {}).get(outer, outer)
    candidates = _candidates(recording, outer, aliases or {})
    candidates = [part for part in candidates if part.step.stage == "forward"] or candidates
    exact = [part for part in candidates if part.path == outer]
    if not candidates:
        return None
    if len(candidates) > 1 and not exact:
        raise ambiguous_step(name, [part.path for part in candidates])
    part = (exact or candidates)[0].checked()
    if not inner:
        return part
    opened, step = locate(recording, "/".join([part.step.path, *inner]))
    return HeadSlice.of(recording, opened, step, part.number).checked()


def find_heads(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> list[HeadSlice]:
    """The named head of every step that has it, for `trace.all`."""
    found = _candidates(recording, (aliases or {}).get(name, name), aliases or {})
    return [part for part in found if part.number in range(1, part.step.form.shape[part._axis] + 1)]


def _candidates(recording: Recording, name: str, aliases: Mapping[str, str]) -> list[HeadSlice]:
    """The steps with heads that a name may refer to, whether they have this head or not."""
    match = NAME.fullmatch(name)
    if match is None or name in recording.paths or find_all(recording, name):
        return []
    before, number, last = match.groups()
    if not before and last in aliases:
        steps, ending = find_all(recording, aliases[last]), ""
    else:
        steps, ending = find_all(recording, before + last), name
    parts = [HeadSlice.of(recording, recording, step, int(number)) for step in steps if HEAD_AXIS in step.form.axes]
    # The head comes right before the name of the step, not earlier in its path.
    return [part for part in parts if not ending or ends_in(part.path, ending)]


def with_heads(pinned: Mapping[str, Array], parts: Iterable[tuple[HeadSlice, Array]]) -> dict[str, Array]:
    """Values by step id, with those of some heads put into the whole; the other heads keep their recorded values."""
    values = dict(pinned)
    for part, value in parts:
        id = part.step.id
        values[id] = part.put_into(values[id] if id in values else part.recording.value(id), value)
    return values


class HeadView(StepView):
    """One head of a step: a view like that of a step, but computed together with the other heads."""

    def __init__(self, trace: Trace, part: HeadSlice) -> None:
        super().__init__(trace, part.step, part.recording)
        self._part = part

    @property
    def value(self) -> Array:
        return self._part.value

    @property
    def tensor(self) -> Tensor:
        """The value with its axis words. While the trace records, it is a step that takes one row of the heads."""
        return OPS["take_row"](self.step.tensor, index=self._part.number - 1, axis=HEAD_AXIS)

    @property
    def name(self) -> str:
        return self._part.name

    @property
    def path(self) -> str:
        return self._part.path

    @property
    def form(self) -> Form:
        return self._part.form

    def _view(self, step: Step, recording: Recording) -> StepView:
        """The same head of another step, or the whole step if it is not divided into heads."""
        if HEAD_AXIS not in step.form.axes:
            return StepView(self.trace, step, recording)
        return HeadView(self.trace, HeadSlice.of(self.trace.recording, recording, step, self._part.number))

    def _entry(self, index: Index) -> Index:
        return self._part.whole(checked_index(self._part.alone()[1], index))

    def _axis(self, axis: int) -> int:
        return self._part.whole_axis(axis)

    def title(self) -> Spans:
        return self._named(super().title())

    def _blocks(self) -> Iterable[Block]:
        """The blocks of the whole step, with the numbers of this head."""
        for block in super()._blocks():
            if isinstance(block, Matrix):
                yield replace(self.matrix(), title=block.title)
            elif isinstance(block, Derivation):
                yield self.cell(*example_entry(*self._part.alone()))
            elif isinstance(block, Text):
                yield Text(self._named(block.spans))
            else:
                yield block

    def _matrix(self, labels: dict[str, tuple[str, ...]], max_size: int) -> Matrix:
        matrix = matrix_of(*self._part.alone(), self.trace.style, labels, max_size)
        slices = tuple(
            replace(s, rows=tuple(tuple(replace(n, index=self._part.whole(n.index)) for n in row) for row in s.rows))
            for s in matrix.slices
        )
        return replace(matrix, slices=slices)

    def _named(self, spans: Spans) -> Spans:
        """A title that begins with the name of the step, with the head before it."""
        first = spans[0]
        assert isinstance(first, Link)
        return (replace(first, text=f"{HEAD_AXIS}{self._part.number}.{first.text}"), *spans[1:])
