"""How much memory a trace takes, and the room that one has while it is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from ...explain.trace import Trace
from ...scenarios.scenario import Scenario

# Measured with tracemalloc on traces of one step to a thousand: bytes that are taken
STEP = 4096  # by a step besides its numbers: 500 to 4,400, the more the fewer steps there are
LETTER = 100  # by a letter of a scenario: 1 to 98, the more values are written with few letters
VALUE = 10  # by a value once more for each run: 8.8
FOLLOWED = 32  # by a loss of a training


@dataclass
class MemoryReservation:
    """What one computation may take: `most` bytes. Whatever it needs it asks for first, with `set_aside`, which waits
    until there is so much; it is given back when the computation is done.
    """

    most: int
    set_aside: Callable[[int], None]
    taken: int = 0

    def take(self, size: int) -> None:
        self.set_aside(size)
        self.taken += size


def size_of_trace(trace: Trace, base: Trace | None = None) -> int:
    """The bytes of a trace, without the numbers that it shares with its base.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> size_of_trace(trace) - size_of_trace(trace, base=trace)
    1976
    """
    shared = set() if base is None else {id(array) for array in _arrays(base)}
    numbers = sum(STEP + (0 if id(array) in shared else array.nbytes) for array in _arrays(trace))
    return numbers + FOLLOWED * sum(len(followed) for followed in trace.history.values())


def size_of_scenario(scenario: Scenario) -> int:
    """The bytes of what was read in a file, which a trace keeps for its other runs."""
    return LETTER * len(scenario.text) + VALUE * scenario.file.count


def _arrays(trace: Trace) -> list[Any]:
    steps = trace.recording.steps.values()
    return [numpy.asarray(step.tensor.array) for step in steps if step.tensor.array is not None]
