"""A step that is judged: what the numbers before it give there, and how far off an answer may be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from ...engine.arrays import Array, Index
from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.recording import Recording
from ...engine.replay import replay
from ...engine.steps import Step
from ..practice.asked import Field
from ..practice.slips import Slip
from ..practice.tolerance import Rounding, is_short

if TYPE_CHECKING:
    from .judge import Judge

SLACK = 1.01  # a tolerance is worked out to first order
NEARER = 0.8  # of the way to the next mistake: what is further off may be that mistake


class Place:
    """One step as it looks to the learner who comes to it."""

    def __init__(self, judge: Judge, step: Step) -> None:
        self.judge = judge
        self.step = step
        self.value: Array = judge.world.reach(step)

    def ways(self, field: Field) -> Iterator[tuple[float, float]]:
        """What the entry should be, and how far off it may be: from the numbers on the sheet; for a loss also from the
        shares that stand there; and for somebody who has not looked at what is printed, from their own paper.
        """
        yield float(self.value[field.index]), self.tolerance(field)
        yield from self._from_shares(field, self.judge.world.by_way_of_shares(self.step))
        if self.judge.sheet.blanks != "all" and self.judge.paper.is_used:
            paper = self.judge.paper
            own = float(paper.reach(self.step)[field.index])
            rounding = Rounding(
                paper.recording, self.judge.sheet.digits, paper.is_written, self._is_sure, self.judge.coarse
            )
            yield own, min(self._to_the_next_mistake(field), rounding.likely(self.step, field.index))
            yield from self._from_shares(field, paper.by_way_of_shares(self.step))

    def _from_shares(self, field: Field, made: tuple[Recording, Step] | None) -> Iterator[tuple[float, float]]:
        if made is not None:
            recording, loss = made
            rounding = Rounding(recording, self.judge.sheet.digits, lambda id, index: True, lambda *entry: False)
            yield float(recording.value(loss.id)[field.index]), rounding.tolerance(loss, field.index) * SLACK

    def _to_the_next_mistake(self, field: Field) -> float:
        """How far off an entry may be without being nearer to a mistake than to the truth."""
        truth = float(self.judge.truth.value(self.step.id)[field.index])
        slips = (slip.value for slip in self.judge.sheet.slips if slip.step == self.step.path)
        gaps = (abs(float(value[field.index]) - truth) for value in slips if value.shape == self.step.form.shape)
        return NEARER * min((gap for gap in gaps if gap > field.tolerance), default=math.inf)

    def tolerance(self, field: Field) -> float:
        """As the sheet says; where earlier numbers are wrong, were left open or have fewer digits, by how strongly the
        entry moves with those that stand there.
        """
        if self.step.id not in self.judge.tainted and not self._has_gap and not self.judge.coarse:
            return field.tolerance * SLACK
        return self._rounding.tolerance(self.step, field.index) * SLACK

    @cached_property
    def _rounding(self) -> Rounding:
        judge = self.judge
        written = {step.id for step in judge.slips.told} - judge.unanswered
        return Rounding(
            judge.world.recording, judge.sheet.digits, lambda id, index: id in written, self._is_sure, judge.coarse
        )

    def _is_sure(self, id: str, index: Index, value: float) -> bool:
        digits = self.judge.sheet.digits
        return is_short(float(self.judge.truth.value(id)[index]), digits) and is_short(value, digits)

    @cached_property
    def _has_gap(self) -> bool:
        return bool(self.judge.unanswered) and bool(self.judge.left_open(self.step))

    def made(self, slip: Slip) -> Array | None:
        """What a slip gives at this step that is made in a step before it, which was not answered."""
        if slip.changes is None:
            return None
        try:
            changes = Changes(values=self.judge.stated).and_also(slip.changes)
            made: Array = replay(self.judge.world.recording, changes, until=self.step.id).value(self.step.id)
        except WorkingsError:
            return None
        return made
