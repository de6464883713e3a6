"""What a lesson measures beside its runs: that a loss fell, that shares add up to 1.

It is recorded as well, in a small trace called `measured`. What it takes from a run is a leaf there, with an alias that
says where it stands: `after:12[2]` is entry 2 of step 12 of the run `after`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from ..engine.arrays import brackets
from ..engine.errors import EntryError
from ..engine.tensor import Tensor
from ..explain.view import Trace
from ..models.reading.line_parsing import Call, Expression, Value, parse_line
from ..models.running.calculate import calculate
from ..ops.given import given, ids
from .reading.entry import EntryName, is_entry

if TYPE_CHECKING:
    from .page import Page


class Measured:
    """The measurements of one lesson."""

    NAME = "measured"

    def __init__(self, page: Page) -> None:
        self._page = page
        self._measured: dict[str, Tensor] = {}
        self._taken: dict[EntryName, Tensor] = {}  # of the runs, to measure with
        self._count = 0

    @cached_property
    def trace(self) -> Trace:
        trace = Trace(precision=self._page.runs.asked.precision or "float64")
        self._page.runs.add(self.NAME, trace)
        return trace

    def has(self, name: str) -> bool:
        return name in self._measured

    def line(self, text: str, run: str = "") -> EntryName:
        """`fell = before - after`, carried out; a line without a name gets one. Names that were not measured before are
        steps of `run`, and one entry of any run stands alone: `before = after:step1.loss`.
        """
        name, right = self._named(text)
        if is_entry(right):
            self._measured[name] = self.take(self._page.entry(right, run), name)
        else:
            line = parse_line(f"{name} = {right}")
            values = {needed: self._value(needed, run) for needed in _names(line.expression)}
            with self.trace:
                self._measured |= calculate([line], values)
        return EntryName(self.NAME, name)

    def _value(self, name: str, run: str) -> Tensor:
        if name in self._measured:
            return self._measured[name]
        entry = self._page.entry(name, run)
        if entry not in self._taken:
            self._taken[entry] = self.take(entry)
        return self._taken[entry]

    def _named(self, text: str) -> tuple[str, str]:
        name, equals, right = text.partition("=")
        if equals and name.strip().isidentifier():
            return name.strip(), right
        self._count += 1
        return f"measured{self._count}", text

    def take(self, name: EntryName, called: str = "") -> Tensor:
        """An entry, a row or all of a step of a run, as a leaf to calculate with."""
        view = self._page.view(name)
        axes = view.axes[len(name.index) :]
        try:
            value = view.value[name.index] if name.index else view.value
        except IndexError:
            raise EntryError(
                "entry.rank", name=view.name, rank=len(view.shape), count=len(name.index), example=view.name
            ) from None
        words = " ".join(axes) if all(axes) else ""
        with self.trace:
            make = given if "float" in str(value.dtype) else ids
            tensor = make(value, words, name=called or _plain(name))
            self.trace.start_from(tensor)
        origin = f"{self._page.run_of(name)}:{view.id}{brackets(name.index)}"
        self.trace.aliases.setdefault(origin, self.trace[tensor].path)
        return tensor


def _plain(name: EntryName) -> str:
    """A name for a leaf: the path, with its run before it."""
    run = "" if name.run == "default" else f"{name.run}."
    return f"{run}{name.step}".replace("/", ".").replace("-", "_")


def _names(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Value):
        yield expression.name
    elif isinstance(expression, Call):
        for part in expression.inputs:
            yield from _names(part)
