"""What would give a blank away, and the blanks of a sheet that nothing gives away.

A blank gives itself away if the same digits are printed elsewhere, so that it can be copied, or if the entries printed
next to it leave nothing to compute: the probabilities of a row sum to 1, and many gradients to 0. So equal numbers are
blank together or not at all, and of a row with a known sum at least two entries are blank, or none. Entries that move
too far on a learner's own paper are no blanks either: what equals them is not asked for.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy

from ..engine.arrays import Index, indices, is_float
from ..engine.hand import Apply, Dot, Entry, Expression, Hand, Literal, in_float, reads, work_out
from ..engine.steps import Step
from ..explain.hand_calculation import hand_calculation_of, origin_of
from ..explain.line import number_at, style_for
from .tolerance import DUST, half_unit
from .variant import Variant

Place: TypeAlias = tuple[str, Index]  # one entry of the sheet: the id of its step, and its index
KNOWN_SUMS = (0.0, 1.0)
MAX_EQUAL = 8  # entries that become blanks because they equal one that is chosen
SHORT_DIGITS = 2  # significant ones of a number that equals others by chance


class PrintedNumbers:
    """The numbers of a sheet with the digits that are printed. With `by_chance`, short numbers count as copies of all
    that have the same digits; without, only of those that they are taken from, and of their own step.
    """

    def __init__(self, variant: Variant, by_chance: bool = True) -> None:
        self.variant = variant
        self.by_chance = by_chance
        self._recording = variant.trace.recording
        self._computed = {step.id for step in variant.steps}
        self._texts: dict[Place, str] = {}
        self._equal: dict[str, list[Place]] = defaultdict(list)  # by their digits
        self._origins: dict[Place, Place] = {}  # where a number was taken from in the first place
        self._copies: set[Place] = set()  # entries that a lookup, a transpose or a split takes over, and constants
        self._rows: dict[Place, list[list[Place]]] = defaultdict(list)  # with a known sum, by each entry
        for step in variant.mistakes.named_steps:
            if is_float(step.tensor.array):  # ids are no numbers to calculate with
                self._add_texts(step)
            if step.id in self._computed:
                self._add_origins(step)
                self._add_rows(step)

    def _add_texts(self, step: Step) -> None:
        style = replace(self.variant.trace.style, digits=self.variant.digits, unit="significant", dust=DUST)
        style, array = style_for(self._recording, step, style), self._recording.value(step.id)
        for index in indices(step.form.shape):
            text = number_at(step, array, index, style).text.removesuffix(".0")  # the same whole number in both ways
            self._texts[step.id, index] = text
            self._equal[text].append((step.id, index))

    def _add_origins(self, step: Step) -> None:
        for index in indices(step.form.shape):
            work = hand_calculation_of(self._recording, step, index)
            if work is None:
                continue
            hand, sources = work
            place, taken = (step.id, index), _taken(hand)
            if isinstance(hand, Expression) and isinstance(_unmasked(hand), Entry | Literal):
                self._copies.add(place)
            if taken is not None and (place in self._copies or not self._is_plain(place)):
                source = origin_of(self._recording, sources[taken.source], taken.index)
                self._origins[place] = self._origins.get(source, source)

    def _add_rows(self, step: Step) -> None:
        """The rows and columns of a step that sum to 0 or 1, up to the digits that are printed."""
        array = numpy.asarray(step.tensor.array, dtype=numpy.float64)
        for axis in (axis for axis, size in enumerate(array.shape) if size > 1):
            for at in indices((*array.shape[:axis], *array.shape[axis + 1 :])):
                row = [(*at[:axis], place, *at[axis:]) for place in range(array.shape[axis])]
                values = [float(array[index]) for index in row]
                room = sum(half_unit(value, self.variant.digits) for value in values) + DUST
                if any(values) and any(abs(sum(values) - known) <= room for known in KNOWN_SUMS):
                    for index in row:
                        self._rows[step.id, index].append([(step.id, other) for other in row])

    # -- single entries ---------------------------------------------------------------------------------

    def is_copy(self, place: Place) -> bool:
        """Whether there is nothing to compute at an entry: it is copied from another, or the same for all numbers."""
        return place in self._copies

    def can_be_blank(self, place: Place) -> bool:
        """Whether an entry can be blank without being given away."""
        return self.can_be_hidden(place) and (not self._rows[place] or place in self.guarded([place]))

    def can_be_hidden(self, place: Place) -> bool:
        """Whether all entries from which this one could be copied can be blank too, and none moves too far on a
        learner's own paper.
        """
        return all(other[0] in self._computed and not self._is_unstable(other) for other in self.same(place))

    def _is_unstable(self, place: Place) -> bool:
        """A copy is as stable as what it is taken from: it only has a smaller tolerance."""
        origin = self._origin(place)
        return (origin if origin[0] in self._computed else place) in self.variant.unstable

    def same(self, place: Place) -> list[Place]:
        """The entries from which this one could be copied, and itself."""
        return [other for other in self._equal[self._texts[place]] if self._gives(other, place)]

    def _gives(self, other: Place, place: Place) -> bool:
        """Whether one of two numbers with the same digits gives the other away."""
        if other[0] == place[0] or self._origin(other) == self._origin(place):
            return True
        is_long = _digits(self._texts[place]) > SHORT_DIGITS
        return not self._is_plain(place) and (self.by_chance or is_long)

    def _origin(self, place: Place) -> Place:
        return self._origins.get(place, place)

    def _is_plain(self, place: Place) -> bool:
        """Whether an entry is 0 or −∞. So are many others: only those of the same step tell which ones."""
        value = float(self._recording.value(place[0])[place[1]])
        return abs(value) < DUST or math.isinf(value)

    # -- blanks that nothing gives away -----------------------------------------------------------------

    def guarded(self, chosen: Iterable[Place]) -> set[Place]:
        """The chosen blanks and those that they need so that nothing gives them away, without those for which that is
        impossible.
        """
        blank = {place for place in chosen if self.can_be_hidden(place)}
        while more := self._needed(blank):
            blank |= more
        while leaking := {place for place in blank if self._is_given_away(place, blank)}:
            blank -= leaking
        return blank

    def _needed(self, blank: set[Place]) -> set[Place]:
        """What has to be blank as well: equal numbers, and a second entry of a row with a known sum."""
        equal = {other for place in blank for other in self.same(place)} - blank
        rows = (row for place in blank for row in self._rows[place])
        return equal or {other for row in rows for other in self._second(row, blank)}

    def _second(self, row: list[Place], blank: set[Place]) -> Iterator[Place]:
        if not self._leaves_one(row, blank):
            return
        equal = {place: len(self.same(place)) for place in row if place not in blank and self.can_be_hidden(place)}
        others = [place for place in equal if equal[place] <= MAX_EQUAL]
        if others:
            yield min(others, key=lambda place: (self._is_plain(place), equal[place], place[1]))

    def _is_given_away(self, place: Place, blank: set[Place]) -> bool:
        is_copied = any(other not in blank for other in self.same(place))
        return is_copied or any(self._leaves_one(row, blank) for row in self._rows[place])

    def _leaves_one(self, row: list[Place], blank: set[Place]) -> bool:
        """Whether the printed entries of a row leave one to find. The 0 of a masked key is no secret."""
        numbers = [place for place in row if not self._is_plain(place)]
        is_one = len(numbers) > 1 and sum(place in blank for place in numbers) == 1
        return is_one or sum(place in blank for place in row) == 1


def _digits(text: str) -> int:
    """The significant digits of a printed number.

    >>> _digits("-0.026"), _digits("120.0"), _digits("2.5e-07")
    (2, 2, 2)
    """
    return len("".join(filter(str.isdigit, text.partition("e")[0])).strip("0"))


def _taken(hand: Hand) -> Entry | None:
    """The entry that the last line takes over as it is: alone, as the only term of a sum that is not 0, times 1, or as
    the larger of two.
    """
    line = _unmasked(hand if isinstance(hand, Expression) else work_out(hand, in_float)[-1].expression)
    read = [leaf for term in _terms(line) for leaf in reads(term)]
    value = in_float(line) if len(read) <= 2 else math.nan
    return next((one for one in read if isinstance(one, Entry) and one.value == value), None)


def _terms(expression: Expression) -> list[Expression]:
    """The terms of a sum that are not 0; anything else as a whole."""
    if isinstance(expression, Dot):
        terms = [left * right for left, right in zip(expression.left, expression.right, strict=True)]
    elif isinstance(expression, Apply) and expression.kind in ("+", "-"):
        terms = [*expression.parts]
    else:
        return [expression]
    return [term for term in terms if in_float(term)]  # of a difference with two terms, neither is the result


def _unmasked(line: Expression) -> Expression:
    """What a mask leaves to see; where it hides the entry, the line as it is."""
    is_seen = isinstance(line, Apply) and line.kind == "mask" and in_float(line.parts[0])
    return line.parts[1] if isinstance(line, Apply) and is_seen else line
