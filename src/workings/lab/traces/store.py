"""What the lab keeps between two questions: traces, within a budget of memory. Those asked for longest ago go first.

What is being computed counts as well, with what it is expected to take: others are let go for it, and where that is not
enough it waits until something else is computed.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, RLock

from ...explain.step_view import StepView
from ...explain.trace import Trace
from ..errors import LabError, Missing, NoRoom
from ..pages.steps import find_view
from .cost import megabytes
from .memory import MemoryReservation, size_of_scenario, size_of_trace
from .sources import LabSource, compute, source_of
from .wanted import Wanted, check_digits

MEMORY = 2**31  # bytes of traces
WISHES = 16 * 2**20  # bytes of what was asked for, so that a trace that was let go can be computed again
PATIENCE = 5.0  # seconds that a computation waits for room
RETRY_SECONDS = 2  # after which it may be asked for again
SMALLEST = 200  # bytes that a wish takes besides its texts


@dataclass(frozen=True)
class Opened:
    """A trace that was asked for. `base` is the same before anything was changed."""

    key: str
    wanted: Wanted
    trace: Trace
    source: LabSource
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
        scenario, base = self.source.scenario, self.base
        is_own = scenario is not None and (base is None or base.source.scenario is not scenario)
        own = size_of_scenario(scenario) if scenario is not None and is_own else 0
        return own + size_of_trace(self.trace, None if base is None else base.trace)


class Lab:
    """Opens traces, each of them once, and keeps them as long as there is room.

    >>> lab = Lab()
    >>> opened = lab.open(Wanted("example-1", edits=("W_Q[0][1]=0.3",)))
    >>> lab.find(opened.key) is opened, lab.find(opened.base.key) is opened.base
    (True, True)
    """

    def __init__(self, memory: int = MEMORY, patience: float = PATIENCE) -> None:
        self.memory = memory
        self.patience = patience
        self.used = 0  # by traces that are kept
        self.reserved = 0  # for those that are being computed
        self._kept: OrderedDict[str, tuple[Opened, int]] = OrderedDict()
        self._begun: dict[str, Future[Opened]] = {}
        self._wishes: OrderedDict[str, Wanted] = OrderedDict()
        self._wished = 0
        self._bases: Counter[str] = Counter()  # of edits that are being computed
        self._lock = RLock()
        self._freed = Condition(self._lock)

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
            raise Missing(
                "This trace is no longer kept.",
                hint="Ask for it again: its address says everything that is needed to compute it.",
                key="lab.gone",
            )
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
            raise LabError(
                f"This trace takes {megabytes(base.size)} MB: the {megabytes(self.memory)} MB of this lab "
                "have no room for a changed one beside it.",
                hint="Take the change away, make the model smaller, or start the lab with more --memory.",
            )
        source = source_of(wanted) if base is None else base.source
        with self._reserve_with(base) as room:
            trace, source = compute(wanted, source, None if base is None else base.trace, room)
            opened = Opened(wanted.key, wanted, trace, source, base)
            self._keep(opened, room)
        return opened

    @contextmanager
    def _reserve_with(self, base: Opened | None) -> Iterator[MemoryReservation]:
        """The room of one computation, whose base stays as long as it goes on."""
        room, key = MemoryReservation(self.memory, self._set_aside), "" if base is None else base.key
        with self._lock:
            self._bases[key] += 1
        try:
            yield room
        finally:
            with self._lock:
                self._bases -= Counter((key,))
                self._give_back(room)

    def _set_aside(self, size: int) -> None:
        with self._freed:
            if not self._freed.wait_for(lambda: self._has_room(size), self.patience):
                raise NoRoom(
                    "Other computations take all the memory of the lab at this moment.",
                    hint=f"Ask again in {RETRY_SECONDS} s, or start the lab with more --memory.",
                    retry=RETRY_SECONDS,
                )
            self.reserved += size
            self._make_room()

    def _has_room(self, size: int) -> bool:
        """Whether so much is left when all is let go that nothing is computed from."""
        needed = sum(self._kept[key][1] for key in self._bases if key in self._kept)
        return needed + self.reserved + size <= self.memory

    def _give_back(self, room: MemoryReservation) -> None:
        self.reserved -= room.taken
        room.taken = 0
        self._freed.notify_all()

    def _touched(self, key: str) -> Opened:
        """Its base is in use as well."""
        opened, _ = self._kept[key]
        if opened.base is not None and opened.base.key in self._kept:
            self._kept.move_to_end(opened.base.key)
        self._kept.move_to_end(key)
        return opened

    def _keep(self, opened: Opened, room: MemoryReservation) -> None:
        size = opened.size
        with self._lock:
            self._give_back(room)
            self._remember(opened.key, opened.wanted)
            if size > self.memory or opened.key in self._kept:
                return
            if opened.base is not None and opened.base.key not in self._kept:
                return  # too large to be kept: what shares its numbers would keep them all the same
            self._kept[opened.key] = (opened, size)
            self.used += size
            self._make_room()

    def _make_room(self) -> None:
        for key in list(self._kept):
            if self.used + self.reserved <= self.memory:
                return
            if key in self._kept and key not in self._bases:
                self._let_go(key)

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


def _length(wanted: Wanted) -> int:
    texts = (wanted.scenario, *wanted.symbols, *wanted.edits)
    return SMALLEST + sum(sys.getsizeof(text) for text in texts)
