"""The paper of somebody who works everything out and does not look at the numbers that the sheet prints.

Only what was answered stands there; all other entries are computed from it. Where a mistake was named, they are those
that it gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy

from ...engine.arrays import Array, Index
from ...engine.recording import Recording
from ...engine.steps import Step
from ..practice.world import World


class OwnPaper:
    """A world that is worked out only when somebody asks for it."""

    def __init__(self, truth: Recording) -> None:
        self._world = World(truth)
        self._steps: Iterator[Step] = iter(truth.steps.values())
        self._next: Step | None = next(self._steps, None)
        self._worked_out: dict[str, Array] = {}
        self._answers: dict[str, dict[Index, float]] = defaultdict(dict)

    @property
    def is_used(self) -> bool:
        return bool(self._answers)

    @property
    def recording(self) -> Recording:
        return self._world.recording

    def is_written(self, id: str, index: Index) -> bool:
        """Whether this entry was answered."""
        return index in self._answers.get(id, {})

    def write(self, step: Step, index: Index, value: float) -> None:
        """What was answered."""
        self._answers[step.id][index] = value

    def work_out(self, step: Step, value: Array) -> None:
        """What a mistake gives in all entries of a step."""
        self._worked_out[step.id] = value

    def reach(self, step: Step) -> Array:
        """What a step gives on this paper."""
        while self._next is not None and int(self._next.id) < int(step.id):
            self._pass(self._next)
            self._next = next(self._steps, None)
        return self._world.reach(step)

    def by_way_of_shares(self, step: Step) -> tuple[Recording, Step] | None:
        return self._world.by_way_of_shares(step)

    def _pass(self, step: Step) -> None:
        value = self._worked_out.get(step.id, self._world.reach(step))
        answers = self._answers.get(step.id, {})
        if answers or step.id in self._worked_out:
            value = numpy.array(value, dtype=numpy.float64)
            for index, answer in answers.items():
                value[index] = answer
            self._world.write(step, value)
