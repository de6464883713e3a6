"""What the lab keeps between two questions: traces, within a budget of memory. Those asked for longest ago go first."""

from __future__ import annotations

import sys
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy

from ..explain.step_view import StepView
from ..explain.view import Trace
from .errors import LabError, Missing
from .sources import Source, compute, source_of
from .steps import find_view
from .wanted import Wanted, check_digits

MEMORY = 2**31  # bytes of traces that are kept
WISHES = 16 * 2**20  # bytes of what was asked for, so that a trace that was let go can be computed again
STEP = 4096  # bytes that a step takes besides its numbers
SMALLEST = 200  # bytes that a wish takes besides its texts


@dataclass(frozen=True)
class Opened:
    """A trace that was asked for. `base` is the same before anything was changed."""

    key: str
    wanted: Wanted
    trace: Trace
    source: Source
    base: Opened | None

    def labels(self, view: StepView) -> dict[str, tuple[str, ...]]:
        """What the places along the axes of a step are called."""
        return self.trace.labels(view)

    def view(self, id: str) -> StepView:
        """A step by its id, also one inside a composite: `17.3`."""
        return find_view(self.trace, id)

    @property
    def size(self) -> int:
        """Its bytes in memory, without what it shares with its base."""
        shared = set() if self.base is None else {id(array) for array in _arrays(self.base)}
        return sum(STEP + (0 if id(array) in shared else array.nbytes) for array in _arrays(self))


def _arrays(opened: Opened) -> list[Any]:
    steps = opened.trace.recording.steps.values()
    return [numpy.asarray(step.tensor.array) for step in steps if step.tensor.array is not None]


class Lab:
    """Opens traces, each of them once, and keeps them as long as there is room.

    >>> lab = Lab()
    >>> opened = lab.open(Wanted("example-1", edits=("W_Q[0][1]=0.3",)))
    >>> lab.find(opened.key) is opened, lab.find(opened.base.key) is opened.base
    (True, True)
    """

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        self.used = 0
        self._kept: OrderedDict[str, tuple[Opened, int]] = OrderedDict()
        self._begun: dict[str, Future[Opened]] = {}
        self._wishes: OrderedDict[str, Wanted] = OrderedDict()
        self._wished = 0
        self._lock = RLock()

    def open(self, wanted: Wanted) -> Opened:
        """The trace that is wanted, computed if it is not there. Who asks while it is being computed waits for it."""
        key = wanted.key
        with self._lock:
            if key in self._kept:
                return self._touched(key)
            begun = self._begun.get(key)
            mine = begun is None
            if begun is None:
                begun = self._begun[key] = Future()
        if not mine:
            return begun.result()
        try:
            opened = self._computed(wanted)
            self._keep(opened)
        except BaseException as error:
            begun.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._begun[key]
        begun.set_result(opened)
        return opened

    def find(self, key: str) -> Opened:
        """A trace by its key; one that was let go is computed again if it is still known what it was."""
        with self._lock:
            if key in self._kept:
                return self._touched(key)
            wanted = self._wishes.get(key)
        if wanted is None:
            raise Missing("lab.gone")
        return self.open(wanted)

    def is_kept(self, key: str) -> bool:
        """Whether a trace is at hand, and need not be computed."""
        with self._lock:
            return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def _computed(self, wanted: Wanted) -> Opened:
        check_digits(wanted.digits)
        base = self.open(wanted.base) if wanted.base is not None else None
        if base is not None and 2 * base.size > self.memory:  # both would push each other out again and again
            raise LabError("lab.edit.memory", size=_megabytes(base.size), memory=_megabytes(self.memory))
        source = source_of(wanted) if base is None else base.source
        trace, source = compute(wanted, source, None if base is None else base.trace, self.memory)
        return Opened(wanted.key, wanted, trace, source, base)

    def _touched(self, key: str) -> Opened:
        """Its base is in use as well."""
        opened, _ = self._kept[key]
        if opened.base is not None and opened.base.key in self._kept:
            self._kept.move_to_end(opened.base.key)
        self._kept.move_to_end(key)
        return opened

    def _keep(self, opened: Opened) -> None:
        size = opened.size
        with self._lock:
            self._remember(opened.key, opened.wanted)
            if size > self.memory or opened.key in self._kept:
                return
            if opened.base is not None and opened.base.key not in self._kept:
                return  # too large to be kept: what shares its numbers would keep them all the same
            self._kept[opened.key] = (opened, size)
            self.used += size
            while self.used > self.memory:
                self._let_go(next(iter(self._kept)))

    def _let_go(self, key: str) -> None:
        """With everything that shares its numbers: else they would stay in memory without being counted."""
        _, size = self._kept.pop(key)
        self.used -= size
        for other in [other for other, (opened, _) in self._kept.items() if opened.base and opened.base.key == key]:
            self._let_go(other)

    def _remember(self, key: str, wanted: Wanted) -> None:
        if key not in self._wishes:
            self._wished += _length(wanted)
        self._wishes[key] = wanted
        self._wishes.move_to_end(key)
        while self._wished > WISHES:
            _, forgotten = self._wishes.popitem(last=False)
            self._wished -= _length(forgotten)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f}"


def _length(wanted: Wanted) -> int:
    texts = (wanted.scenario, *wanted.symbols, *wanted.edits)
    return SMALLEST + sum(sys.getsizeof(text) for text in texts)
