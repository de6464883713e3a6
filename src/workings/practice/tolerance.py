"""The tolerance of an answer: how far it may be off when a learner rounds every line.

    half a unit of its last digit
    + for every number that it is computed from: how strongly the entry changes with it, times half a unit of that
      number's own last digit

An entry is computed from numbers that were stated earlier (printed on the sheet, or answered by the learner) and from
the lines of the hand calculation between them, where each product and partial sum may be rounded too.
The slopes come from those same lines. A number that the required digits write exactly adds nothing.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

import numpy

from ..engine.arrays import Array, Index
from ..engine.form import position
from ..engine.hand import Apply, Dot, Entry, Expression, Named, in_float
from ..engine.hand_slopes import SLOPES
from ..engine.recording import Recording
from ..engine.rounding import round_float
from ..engine.steps import Step
from ..explain.hand_calculation import lines_in_float

# By how much a number changes, at most, with each of the roundings that it depends on.
Moves: TypeAlias = Mapping[Hashable, float]
IsExact: TypeAlias = Callable[[str, Index, float], bool]
IsStated: TypeAlias = Callable[[str, Index], bool]
Coarse: TypeAlias = Mapping[tuple[str, Index], float]

NEARLY = 1e-9  # relative: a number so close to a short one counts as that one
DEVIATIONS = 4.0
MAX_EXPONENT = 300.0  # of e, far beyond all scores of a sheet
DUST = 1e-12  # what floating point leaves over of a 0
TOLERANCE_RULE = (
    "We accept any answer within rounding error: half a unit in its last digit, plus whatever rounding the numbers and "
    "lines before it can cause."
)


def half_unit(value: float, digits: int) -> float:
    """Half a unit of the last of so many significant digits.

    >>> half_unit(0.1234, 3), half_unit(25.0, 3)
    (0.0005, 0.05)
    """
    if abs(value) < DUST or not math.isfinite(value):
        return 0.0
    return 0.5 * math.pow(10.0, math.floor(math.log10(abs(value)) + NEARLY) - digits + 1)


def is_short(value: float, digits: int) -> bool:
    """Whether so many significant digits write the number exactly."""
    if not math.isfinite(value) or abs(value) < DUST:
        return True
    return abs(round_float(value, digits, "significant") - value) <= NEARLY * abs(value)


def differ_in_one_digit(one: float, other: float, digits: int) -> bool:
    """Whether two numbers, written with so many significant digits, are equal except for one digit.

    >>> differ_in_one_digit(0.1234, 0.1834, 4), differ_in_one_digit(0.5, -0.5, 4), differ_in_one_digit(6.0, 8.0, 4)
    (True, False, True)
    """
    if not (math.isfinite(one) and math.isfinite(other)) or one * other < 0:
        return False
    unit = 2 * max(half_unit(one, digits), half_unit(other, digits))
    if not unit:
        return False
    first, second = (f"{round(abs(value) / unit):0{digits}d}" for value in (one, other))
    return len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) == 1


def largest(numbers: Any) -> float:
    """The magnitude of the largest finite entry: what a difference is measured by.

    >>> largest([0.5, -2.0, float("-inf")])
    2.0
    """
    array = numpy.abs(numpy.asarray(numbers, dtype=numpy.float64))
    return float(numpy.max(array, where=numpy.isfinite(array), initial=0.0))


def rounded_to(array: Array, digits: int) -> Array:
    """Every entry rounded to so many significant digits."""
    flat = [round_float(float(value), digits, "significant") for value in numpy.ravel(array)]
    return numpy.reshape(numpy.array(flat), numpy.shape(array))


def _sum_of(moves: Moves) -> float:
    return sum(map(abs, moves.values()))


class Rounding:
    """The roundings of one computation in which some entries are stated to so many digits. `is_exact` says which of
    these have all their digits, `coarse` which have fewer than required: half a unit of each.
    """

    def __init__(
        self,
        recording: Recording,
        digits: int,
        is_stated: IsStated,
        is_exact: IsExact | None = None,
        coarse: Coarse | None = None,
    ) -> None:
        self.recording = recording
        self.digits = digits
        self.is_stated = is_stated
        self.is_exact = is_exact or (lambda id, index, value: is_short(value, digits))
        self.coarse = coarse or {}
        self._moves: dict[tuple[str, Index], Moves] = {}

    def tolerance(self, step: Step, index: Index) -> float:
        """How far this entry may be off from what the numbers before it give."""
        moves = self._of_calculation(step, index)
        room = half_unit(self._value(step.id, index), self.digits) + _sum_of(moves)
        return room if room > DUST else 0.0

    def likely(self, step: Step, index: Index) -> float:
        """How far this entry will be off, almost surely, where many roundings come together: they do not all go the
        same way. Four standard deviations of a sum of numbers, each uniformly distributed within its unit.
        """
        moves = self._of_calculation(step, index)
        deviation = math.sqrt(sum(move * move for move in moves.values()) / 3)
        return half_unit(self._value(step.id, index), self.digits) + min(DEVIATIONS * deviation, _sum_of(moves))

    def _value(self, id: str, index: Index) -> float:
        return float(self.recording.value(id)[index])

    def _of_entry(self, id: str, index: Index) -> Moves:
        """The moves of a number that others are computed from."""
        if (id, index) not in self._moves:
            step, value = self.recording.step(id), self._value(id, index)
            is_stated = step.op is None or self.is_stated(id, index)
            moves: Moves = {} if is_stated else self._of_calculation(step, index)
            is_exact = self.is_exact(id, index, value) if is_stated else not moves and is_short(value, self.digits)
            if not is_exact or (id, index) in self.coarse:
                own = max(half_unit(value, self.digits), self.coarse.get((id, index), 0.0))
                moves = {**moves, (id, index): own}
            self._moves[id, index] = moves
        return self._moves[id, index]

    def _of_calculation(self, step: Step, index: Index) -> Moves:
        """The moves that the lines of its hand calculation bring together, without its own rounding."""
        lines, sources = lines_in_float(self.recording, step, index)
        of_lines: dict[str, Moves] = {}
        for number, line in enumerate(lines):
            moves = self._gathered(line.expression, sources, of_lines)
            if number == len(lines) - 1:
                unshifted = self._of_powers(step, index) if step.op_name == "softmax" else {}
                return max(moves, unshifted, key=_sum_of)
            if moves or not is_short(line.value, self.digits):
                moves = {**moves, (step.id, index, number): half_unit(line.value, self.digits)}
            of_lines[line.symbol] = moves
        return {}

    def _of_powers(self, step: Step, index: Index) -> Moves:
        """The moves of a probability if the largest score is not subtracted first: then every power is rounded."""
        axis = position(step.form, step.settings["axis"]) % len(index)
        row = [(*index[:axis], place, *index[axis + 1 :]) for place in range(step.form.shape[axis])]
        powers = [math.exp(min(self._value(step.inputs[0], at), MAX_EXPONENT)) for at in row]
        total, own = sum(powers) or 1.0, self._value(step.id, index)  # without any power nothing is rounded
        moves: dict[Hashable, float] = defaultdict(float, {object(): own / total * half_unit(total, self.digits)})
        for at, power in zip(row, powers, strict=True):
            by_power = ((at == index) - own) / total
            moves[object()] = by_power * half_unit(power, self.digits)
            for rounding, move in self._of_entry(step.inputs[0], at).items():
                moves[rounding] += by_power * power * move
        return moves

    def of_lines(self, step: Step, index: Index) -> dict[str, float]:
        """How far each line of the hand calculation of an entry may be off, by its symbol."""
        lines, sources = lines_in_float(self.recording, step, index)
        of_lines: dict[str, Moves] = {}
        found: dict[str, float] = {}
        for number, line in enumerate(lines):
            own, moves = half_unit(line.value, self.digits), self._gathered(line.expression, sources, of_lines)
            found[line.symbol] = own + _sum_of(moves)
            is_exact = not moves and is_short(line.value, self.digits)
            of_lines[line.symbol] = moves if is_exact else {**moves, (step.id, index, number): own}
        return found

    def _gathered(self, line: Expression, sources: Mapping[str, str], of_lines: Mapping[str, Moves]) -> Moves:
        total: dict[Hashable, float] = defaultdict(float)

        def round_inside(value: float, slope: float) -> None:
            if slope and not is_short(value, self.digits):
                total[object()] = slope * half_unit(value, self.digits)

        def gather(part: Expression, slope: float) -> None:
            if not slope or not math.isfinite(slope):
                return
            if isinstance(part, Entry | Named):
                known = self._of_entry(sources[part.source], part.index) if isinstance(part, Entry) else None
                moves = of_lines.get(part.symbol, {}) if isinstance(part, Named) else known or {}
                for rounding, move in moves.items():
                    total[rounding] += slope * move
            elif isinstance(part, Dot):
                products: list[float] = []
                for left, right in zip(part.left, part.right, strict=True):
                    gather(left, slope * in_float(right))
                    gather(right, slope * in_float(left))
                    products.append(float(in_float(left) * in_float(right)))
                if len(products) > 1:
                    for value in (*products, *list(itertools.accumulate(products))[1:-1]):
                        round_inside(value, slope)
            elif isinstance(part, Apply):
                own = SLOPES[part.kind](*map(in_float, part.parts))
                for inner, by in zip(part.parts, own, strict=True):
                    gather(inner, slope * by)
                    if isinstance(inner, Apply | Dot):
                        round_inside(float(in_float(inner)), slope * by)

        gather(line, 1.0)
        return total
