"""What a lesson measures beside its runs: that a loss fell, that probabilities sum to 1.

It is recorded as well, in a small trace called `measured`. What it takes from a run is a leaf there, with an alias that
says where it stands: `after:12[2]` is entry 2 of step 12 of the run `after`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..engine.arrays import brackets
from ..engine.errors import LessonError
from ..engine.tensor import Tensor
from ..explain.trace import Trace
from ..ops.given import given, ids
from ..scenarios.reading.calculate_lines import Call, Expression, Value, parse_line
from ..scenarios.running.calculate import calculate
from .reading.entry import DEFAULT, EntryName, is_entry
from .runs import AS_WRITTEN

if TYPE_CHECKING:
    from .page import PageBuilder


class Measured:
    """The measurements of one lesson. Those of runs with another precision than was asked for, such as a long training
    beside a calculator, are worked out in that one, in a trace of their own.
    """

    NAME = "measured"

    def __init__(self, page: PageBuilder) -> None:
        self._page = page
        self._found: dict[str, tuple[str, Tensor]] = {}  # by name: in which trace it was measured, and what it is
        self._taken: dict[tuple[str, EntryName], Tensor] = {}  # in which trace: what was taken from a run
        self._count = 0

    def has(self, name: str) -> bool:
        return name in self._found

    def run_of(self, name: str) -> str:
        return self._found[name][0]

    def line(self, text: str, run: str = "") -> EntryName:
        """`fell = before - after`, carried out; a line without a name gets one. Names that were not measured before are
        steps of `run`, and one entry of any run stands alone: `before = after:step1.loss`.
        """
        name, right = self._named(text)
        if is_entry(right):
            entry = self._page.entry(right, run)
            into = self._into([self._page.trace(self._page.run_of(entry))])
            self._found[name] = into, self._take(entry, into, name)
        else:
            line = parse_line(f"{name} = {right.strip()}")
            entries = {needed: self._page.entry(needed, run) for needed in _names(line.expression)}
            into = self._into([self._page.trace(self._page.run_of(entry)) for entry in entries.values()])
            values = {needed: self._value(entry, into) for needed, entry in entries.items()}
            with self._trace(into):
                self._found[name] = into, calculate([line], values)[name]
        return EntryName(into, name)

    def _into(self, traces: list[Trace]) -> str:
        """The trace to measure in: as precise as what is measured."""
        precisions = {trace.precision for trace in traces}
        wanted = self._page.runs.options.precision or AS_WRITTEN
        precision = precisions.pop() if len(precisions) == 1 else wanted
        return self.NAME if precision == wanted else f"{self.NAME}-{precision.replace(' ', '-')}"

    def _trace(self, run: str) -> Trace:
        if run not in self._page.runs.traces:
            wanted = self._page.runs.options.precision or AS_WRITTEN
            precision = run.removeprefix(f"{self.NAME}-").replace("-", " ") if run != self.NAME else wanted
            self._page.runs.add(run, Trace(precision=precision))
        return self._page.runs.traces[run]

    def _value(self, entry: EntryName, into: str) -> Tensor:
        if self.has(entry.step) and self._found[entry.step][0] == into:
            return self._found[entry.step][1]
        if (into, entry) not in self._taken:
            self._taken[into, entry] = self._take(entry, into)
        return self._taken[into, entry]

    def _named(self, text: str) -> tuple[str, str]:
        name, equals, right = text.partition("=")
        if equals and name.strip().isidentifier():
            if name.strip() in self._page.trace(DEFAULT):
                raise LessonError(
                    f"{name.strip()} is a step of the scenario already.", hint="Give what you measure another name."
                )
            return name.strip(), right
        self._count += 1
        return f"measured{self._count}", text

    def _take(self, name: EntryName, into: str, name_of_leaf: str = "") -> Tensor:
        """An entry, a row or all of a step of a run, as a leaf to calculate with."""
        view = self._page.view(name)
        axes, value = view.axes[len(name.index) :], view.value
        for axis, at in enumerate(name.index):
            if axis >= len(view.shape) or not -view.shape[axis] <= at < view.shape[axis]:
                view.number(*name.index)  # refuses it
            value = value[at]
        with self._trace(into):
            make = given if "float" in str(value.dtype) else ids
            tensor = make(value, " ".join(axes) if all(axes) else "", name=name_of_leaf or _plain(name))
            self._trace(into).start_from(tensor)
        origin = f"{self._page.run_of(name)}:{view.id}{brackets(name.index)}"
        self._page.runs.add_alias(into, origin, self._trace(into)[tensor].path)
        return tensor


def _plain(name: EntryName) -> str:
    """A name for a leaf: the path, with its run before it."""
    run = "" if name.run == DEFAULT else f"{name.run}."
    return f"{run}{name.step}".replace("/", ".").replace("-", "_")


def _names(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Value):
        yield expression.name
    elif isinstance(expression, Call):
        for part in expression.inputs:
            yield from _names(part)
