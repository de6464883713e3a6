"""One head of packed heads, by name.

Heads that are computed together lie in one array with an axis `head`. `block1.attention.head2.scores` is
what the second head has in `block1.attention.scores`: heads count from 1, as the modules of separate heads
do. A step whose own path ends so always comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..engine.arrays import Array, Index, dtype_name, is_integer, namespace
from ..engine.errors import NumberError, ShapeError, StepError
from ..engine.form import Form
from ..engine.guard import guarded
from ..engine.names import ends_in, few, find_all, locate
from ..engine.recording import Recording
from ..engine.registry import OPS
from ..engine.sentences import add_sentences
from ..engine.steps import Step
from ..engine.tensor import Tensor
from .cell import checked, telling_entry
from .document import Block, Derivation, Link, Matrix, Spans, Text
from .step import matrix_of
from .step_view import StepView

if TYPE_CHECKING:
    from .view import Trace

AXIS = "head"
NAME = re.compile(rf"(|.*\.){AXIS}(\d{{1,9}})\.(.+)")  # more digits than any number of heads has are no name of one

add_sentences(
    "error",
    {
        "step.head": "There is no head {head} in {path}: it has {count}.",
        "step.head.try": "Heads count from 1: head1 to head{count}.",
        "step.head.inside": "{path} is not divided into heads.",
        "step.head.inside.try": "Leave the head out to see it whole.",
        "step.head.whole": "'{name}' is one head of the step {path}, and no step of its own.",
        "step.head.whole.try": "Name the whole step, {path}. The value of one head can be looked at, and pinned: "
        "replay(values={{{name!r}: ...}}).",
    },
)


@dataclass(frozen=True)
class Part:
    """What one head has in a step."""

    recording: Recording
    step: Step
    number: int  # of the head, counted from 1
    path: str  # with the head in it

    @classmethod
    def of(cls, trace: Recording, recording: Recording, step: Step, number: int) -> Part:
        """One head of a step that lies in the recording of a trace, or inside a composite there."""
        outer, name, inside = step.path, step.name, ""
        if recording is not trace and "/" in outer:
            outer = outer.partition("/")[0]
            name, inside = trace.step(trace.paths[outer]).name, step.path[len(outer) :]
        return cls(recording, step, number, f"{outer[: len(outer) - len(name)]}{AXIS}{number}.{name}{inside}")

    @property
    def name(self) -> str:
        return f"{AXIS}{self.number}.{self.step.name}"

    @property
    def form(self) -> Form:
        return self.step.form.taking(n for n in range(len(self.step.form.shape)) if n != self._axis)

    @property
    def value(self) -> Array:
        return self.recording.value(self.step.id)[self._place]

    def whole(self, index: Index) -> Index:
        """Where an entry of this head stands in the whole step."""
        return (*index[: self._axis], self.number - 1, *index[self._axis :])

    def alone(self) -> tuple[Recording, Step]:
        """The value as the only step of a recording."""
        recording = Recording(arithmetic=self.recording.arithmetic)
        tensor = Tensor(self.value, self.form)
        step = self.step.changed(op=None, leaf="given", inputs=(), twin=None, group=None, tensor=tensor)
        step.name, step.path = self.name, self.path
        recording.steps[step.id] = step
        return recording, step

    def put_into(self, whole: Array, value: Array) -> Array:
        """A copy of the whole value with another value for this head."""
        if tuple(value.shape) != self.form.shape:
            raise ShapeError("shape.value", old=self.form.shape, new=tuple(value.shape), where=self.path)
        if is_integer(whole) and not is_integer(value):
            raise NumberError("number.integers", what=self.name, dtype=dtype_name(value), where=self.path)
        library = namespace(whole)
        copy: Array = library.asarray(whole, copy=True)
        copy[self._place] = guarded(library.asarray, [value, whole.dtype], {})
        return copy

    def checked(self) -> Part:
        """This part, if there is such a head."""
        if AXIS not in self.step.form.axes:
            raise StepError("step.head.inside", path=self.step.path)
        count = self.step.form.shape[self._axis]
        if not 1 <= self.number <= count:
            raise StepError("step.head", head=self.number, path=self.step.path, count=count)
        return self

    @property
    def _axis(self) -> int:
        return self.step.form.axes.index(AXIS)

    @property
    def _place(self) -> tuple[slice | int, ...]:
        sizes = self.step.form.shape
        return tuple(self.number - 1 if n == self._axis else slice(None) for n in range(len(sizes)))


def find_part(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> Part | None:
    """The head of a step that a name means; None if it does not mean one."""
    outer, *inner = str(name).split("/")
    outer = (aliases or {}).get(outer, outer)
    candidates = _candidates(recording, outer, aliases or {})
    candidates = [part for part in candidates if part.step.stage == "forward"] or candidates
    exact = [part for part in candidates if part.path == outer]
    if not candidates:
        return None
    if len(candidates) > 1 and not exact:
        paths = few([part.path for part in candidates])
        raise StepError("step.ambiguous", name=name, count=len(candidates), paths=paths)
    part = (exact or candidates)[0].checked()
    if not inner:
        return part
    opened, step = locate(recording, "/".join([part.step.path, *inner]))
    return Part.of(recording, opened, step, part.number).checked()


def find_parts(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> list[Part]:
    """That head of every step that has it, for `trace.all`."""
    found = _candidates(recording, (aliases or {}).get(name, name), aliases or {})
    return [part for part in found if part.number in range(1, part.step.form.shape[part._axis] + 1)]


def _candidates(recording: Recording, name: str, aliases: Mapping[str, str]) -> list[Part]:
    """The steps with heads that a name may mean, whether they have this head or not."""
    match = NAME.fullmatch(name)
    if match is None or name in recording.paths or find_all(recording, name):
        return []
    before, number, last = match.groups()
    if not before and last in aliases:
        steps, ending = find_all(recording, aliases[last]), ""
    else:
        steps, ending = find_all(recording, before + last), name
    parts = [Part.of(recording, recording, step, int(number)) for step in steps if AXIS in step.form.axes]
    # The head stands before the name of the step, not somewhere in its path.
    return [part for part in parts if not ending or ends_in(part.path, ending)]


def with_parts(pinned: Mapping[str, Array], parts: Iterable[tuple[Part, Array]]) -> dict[str, Array]:
    """Values by step id, with those of some heads put into the whole: what is not given stays as it was recorded."""
    values = dict(pinned)
    for part, value in parts:
        id = part.step.id
        values[id] = part.put_into(values[id] if id in values else part.recording.value(id), value)
    return values


class HeadView(StepView):
    """One head of a step: looked at like a step, but computed together with the other heads."""

    def __init__(self, trace: Trace, part: Part) -> None:
        super().__init__(trace, part.step, part.recording)
        self._part = part

    @property
    def value(self) -> Array:
        return self._part.value

    @property
    def tensor(self) -> Tensor:
        """The value with its axis words. Asked for while the trace records, it is a step: one row of the heads."""
        return OPS["take_row"](self.step.tensor, index=self._part.number - 1, axis=AXIS)

    @property
    def name(self) -> str:
        return self._part.name

    @property
    def path(self) -> str:
        return self._part.path

    @property
    def form(self) -> Form:
        return self._part.form

    def _beside(self, step: Step, recording: Recording) -> StepView:
        """The same head of another step; one that is not divided into heads is seen whole."""
        if AXIS not in step.form.axes:
            return StepView(self.trace, step, recording)
        return HeadView(self.trace, Part.of(self.trace.recording, recording, step, self._part.number))

    def _entry(self, index: Index) -> Index:
        return self._part.whole(checked(self._part.alone()[1], index))

    def title(self) -> Spans:
        return self._named(super().title())

    def _blocks(self) -> Iterable[Block]:
        """What is told of the whole step, with the numbers of this head."""
        for block in super()._blocks():
            if isinstance(block, Matrix):
                yield replace(self.matrix(), title=block.title)
            elif isinstance(block, Derivation):
                yield self.cell(*telling_entry(*self._part.alone()))
            elif isinstance(block, Text):
                yield Text(self._named(block.spans))
            else:
                yield block

    def _matrix(self, labels: dict[str, tuple[str, ...]], widest: int) -> Matrix:
        matrix = matrix_of(*self._part.alone(), self.trace.style, labels, widest)
        slices = tuple(
            replace(s, rows=tuple(tuple(replace(n, index=self._part.whole(n.index)) for n in row) for row in s.rows))
            for s in matrix.slices
        )
        return replace(matrix, slices=slices)

    def _named(self, spans: Spans) -> Spans:
        """A title that begins with the name of the step, with the head before it."""
        first = spans[0]
        assert isinstance(first, Link)
        return (replace(first, text=f"{AXIS}{self._part.number}.{first.text}"), *spans[1:])
