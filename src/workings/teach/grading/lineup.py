"""Which mistake it was: everything that could have been done differently at a step, beside what was answered there.

Only one that gives all that was answered is named. If several do, or if a single wrong digit would explain it too,
none is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...engine.arrays import Array
from ...engine.rounding import round_float
from ..answers.number import Given
from ..practice.asked import Field
from ..practice.slips import same
from ..practice.tolerance import differ_in_one_digit, half_unit, is_short
from ..sizes import largest
from .agreement import ROOM, agrees
from .place import Place
from .sentences import say

if TYPE_CHECKING:
    from .judge import Judge

SHORT = 2  # significant digits of a number that may come of another one by chance
LARGER = 10.0  # times the tolerance of the step, at most, for a mistake that gives larger numbers


@dataclass(frozen=True, eq=False)
class Suspect:
    """A mistake that may have been made, and what it gives at the step that is judged."""

    id: str
    also: tuple[str, ...]
    hint: str
    value: Array


class Lineup:
    """The suspects at one step."""

    def __init__(self, judge: Judge, place: Place, fields: list[Field]) -> None:
        self.judge = judge
        self.place = place
        self.digits = judge.sheet.digits
        written = ((field, judge.written[field.label].given) for field in fields)
        self.answered: list[tuple[Field, Given]] = [(field, given) for field, given in written if given is not None]

    def found(self) -> tuple[Suspect | None, str]:
        """The one mistake that gives all that was answered at this step, or why none is named."""
        fitting = [suspect for suspect in self._suspects() if self._fits(suspect)]
        if len(fitting) > 1:
            exactly = [suspect for suspect in fitting if self._fits_exactly(suspect)]
            fitting = exactly or fitting
        distinct: list[Suspect] = []
        for suspect in fitting:
            if not any(same(suspect.value, other.value) for other in distinct):
                distinct.append(suspect)
        self.judge.possible |= {suspect.id.partition("+")[0] for suspect in distinct}
        if distinct and self._may_be_a_wrong_digit():
            return None, say("grade.wrong_digit")
        if len(distinct) == 1:
            others = [id for other in fitting for id in (other.id, *other.also) if id != distinct[0].id]
            return replace(distinct[0], also=tuple(dict.fromkeys(others))), ""
        if len({suspect.id for suspect in distinct}) == 1:
            return distinct[0], ""
        return None, say("grade.several") if distinct else ""

    def _suspects(self) -> Iterator[Suspect]:
        judge, step = self.judge, self.place.step
        for made in (step, *judge.left_open(step)):
            for slip in judge.slips.at(made.path, judge.possible, judge.world.recording):
                value = slip.value if made is step else self.place.made(slip)
                if value is not None:
                    yield Suspect(slip.id, slip.also, slip.hint, value)
        if step.id not in judge.tainted or not judge.named:
            for kept in judge.sheet.slips:
                if kept.step == step.path:
                    yield Suspect(kept.id, kept.also, kept.hint, kept.value)

    def _fits(self, suspect: Suspect) -> bool:
        own = self.place.value
        if suspect.value.shape != own.shape or same(suspect.value, own):
            return False
        larger = min(LARGER, max(1.0, largest(suspect.value) / (largest(own) or 1.0)))
        return all(self._entry_fits(given, suspect, field, larger) for field, given in self.answered)

    def _entry_fits(self, given: Given, suspect: Suspect, field: Field, larger: float) -> bool:
        value, own = float(suspect.value[field.index]), float(self.place.value[field.index])
        moves = larger * max(0.0, self.place.tolerance(field) - half_unit(own, self.digits))
        # A mistake has lines of its own, and those are rounded too.
        line = 2 * half_unit(max(abs(value), abs(own)), self.digits)
        return agrees(given, value, half_unit(value, self.digits) + max(moves, line), self.digits) is not None

    def _fits_exactly(self, suspect: Suspect) -> bool:
        for field, given in self.answered:
            value = float(suspect.value[field.index])
            if not math.isfinite(value):
                continue
            if abs(round_float(value, self.digits, "significant") - given.value) > ROOM * abs(value):
                return False
        return True

    def _may_be_a_wrong_digit(self) -> bool:
        """Whether a single wrong digit in a single answer would explain it too. Of long numbers that is not asked: by
        a wrong digit they hardly ever become just what a mistake gives.
        """
        wrong = []
        for field, given in self.answered:
            own = float(self.place.value[field.index])
            if agrees(given, own, self.place.tolerance(field), self.digits) is None:
                wrong.append((given.value, own))
        if len(wrong) != 1 or not is_short(wrong[0][0], SHORT):
            return False
        return differ_in_one_digit(*wrong[0], self.digits)
