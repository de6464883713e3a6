"""A sheet on somebody's desk: what they write into it, line by line, and go on with.

Whoever is asked for a step works it out from the numbers that stand on the sheet: their own where they filled in, the
printed ones elsewhere, all of them rounded to the digits of the sheet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

import numpy

from workings.engine.arithmetic import Arithmetic
from workings.engine.arrays import Array, is_float
from workings.engine.changes import Changes
from workings.engine.errors import WorkingsError
from workings.engine.recording import Recording
from workings.engine.replay import replay
from workings.engine.rounding import round_float
from workings.engine.steps import Step
from workings.practice.blanks import Blank
from workings.practice.sheet import Sheet
from workings.practice.tolerance import is_short, rounded_to
from workings.practice.variant import Variant

# The losses of scores, and what makes the shares from which people work them out.
SHARES = {"cross_entropy": "softmax", "binary_cross_entropy_from_logits": "sigmoid"}


@dataclass(frozen=True)
class Filled:
    """What stands on a sheet so far: the answers by their labels, and the numbers to go on with by step id. Beside it,
    what was worked out between them by calculator, which takes long: nobody does it twice.
    """

    answers: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, Array] = field(default_factory=dict)
    between: dict[str, Array] = field(default_factory=dict)

    def copy(self) -> Filled:
        return Filled(dict(self.answers), dict(self.numbers), dict(self.between))


# What somebody gets at a step from the numbers that stand before it; none, if nothing goes wrong there.
Wrong = Callable[[Step, Recording, Filled], Array | None]
# How somebody writes an answer down.
Pen = Callable[[Blank, str], str]


@dataclass(frozen=True)
class Hand:
    """How somebody fills in a sheet: what goes wrong, how it is written down, and how lines are worked out. Some work
    everything out on their own paper, and do not look at the numbers that the sheet prints.
    """

    wrong: Wrong = lambda step, world, filled: None
    pen: Pen = lambda field, text: text
    arithmetic: Arithmetic | None = None  # none: a line to all digits; only answers are rounded
    own_paper: bool = False


class Desk:
    """One sheet, and how it is filled in."""

    def __init__(self, variant: Variant, sheet: Sheet) -> None:
        self.variant = variant
        self.sheet = sheet
        self.recording = sheet.trace.recording
        named_steps = variant.mistakes.named_steps
        self.named_steps = [step for step in named_steps if step.op is not None and is_float(step.tensor.array)]
        self._right: dict[tuple[bool, bool], dict[str, Filled]] = {}  # before each step, for each way to work
        self._printed = {
            step.id: rounded_to(step.tensor.array, sheet.digits) for step in named_steps if is_float(step.tensor.array)
        }

    @cached_property
    def fields(self) -> Mapping[str, list[Blank]]:
        """The numbers asked for, by the path of their step."""
        found: dict[str, list[Blank]] = {}
        for blank in self.sheet.fields:
            if blank.kind == "number":
                found.setdefault(blank.step, []).append(blank)
        return found

    def fill(self, hand: Hand, start: str = "") -> Filled:
        """Fill in the sheet: right up to the step `start`, and from there on as this hand does it. Where the numbers
        allow no next step, as after a row with nothing but -∞, the rest stays blank.
        """
        filled = self.right_before(start, hand).copy() if start else self._new()
        paths = [step.path for step in self.named_steps]
        for step in self.named_steps[paths.index(start) if start else 0 :]:
            try:
                self._write(step, filled, hand)
            except WorkingsError:
                break
        return filled

    def answers(self, path: str, value: Array) -> tuple[str, ...]:
        """What is written down of the values of a step: the entries that are asked for."""
        return tuple(written(float(value[blank.index]), self.sheet.digits) for blank in self.fields[path])

    def right_before(self, path: str, hand: Hand) -> Filled:
        """The sheet as it stands before a step, if nothing went wrong."""
        way = hand.own_paper, hand.arithmetic is not None
        if way not in self._right:
            self._right[way] = self._pages(Hand(arithmetic=hand.arithmetic, own_paper=hand.own_paper))
        return self._right[way][path]

    def _pages(self, hand: Hand) -> dict[str, Filled]:
        pages: dict[str, Filled] = {}
        filled = self._new()
        for step in self.named_steps:
            pages[step.path] = filled.copy()
            self._write(step, filled, hand)
        return pages

    def _new(self) -> Filled:
        """What is printed before anybody starts; where no number is asked for, the right answer stands there too."""
        others = {blank.label: _plain(blank) for blank in self.sheet.fields if blank.kind != "number"}
        leaves = {id: numbers for id, numbers in self._printed.items() if self.recording.step(id).op is None}
        return Filled(others, leaves)

    def world(self, step: Step, filled: Filled, arithmetic: Arithmetic | None = None) -> Recording:
        """The computation up to a step, from the numbers on the sheet."""
        known = {**filled.between, **self.numbers(filled)}
        found = replay(self.recording, Changes(values=known), until=step.id, arithmetic=arithmetic)
        if arithmetic is not None:
            unnamed = (id for id in found.steps if id not in self._printed and id != step.id)
            filled.between.update({id: found.value(id) for id in unnamed if self.recording.step(id).op is not None})
        return found

    def numbers(self, filled: Filled) -> dict[str, Array]:
        """The numbers on the sheet, also for the steps that use shares again: nobody works out a softmax twice."""
        again = {id: filled.numbers[shares] for id, shares in self._shares_again.items() if shares in filled.numbers}
        return {**filled.numbers, **again}

    @cached_property
    def _shares_again(self) -> dict[str, str]:
        """The steps without a name that need shares which stand on the sheet, and where they stand."""
        unnamed = [step for step in self.recording.steps.values() if step.op_name in SHARES.values()]
        found = {step.id: self._shares(step) for step in unnamed if step.id not in self._printed}
        return {id: shares.id for id, shares in found.items() if shares is not None}

    def _shares(self, step: Step) -> Step | None:
        """The named step that has made shares of the same scores."""
        kind = SHARES.get(step.op_name, step.op_name if step.op_name in SHARES.values() else "")
        made = (other for other in self.named_steps if other.op_name == kind and other.inputs[:1] == step.inputs[:1])
        return next((other for other in made if int(other.id) < int(step.id)), None)

    def _write(self, step: Step, filled: Filled, hand: Hand) -> None:
        numbers = self._printed[step.id].copy()
        if step.path in self.fields or hand.own_paper:
            world = self.world(step, filled, hand.arithmetic)
            wrong = hand.wrong(step, world, filled)
            value = self._worked_out(step, world, filled) if wrong is None else wrong
            if hand.own_paper:
                numbers = rounded_to(value, self.sheet.digits)
            for blank in self.fields.get(step.path, []):
                is_exact = is_short(float(str(blank.true)), self.sheet.digits)
                text = hand.pen(blank, written(float(value[blank.index]), self.sheet.digits, is_exact))
                filled.answers[blank.label] = text
                numbers[blank.index] = float(text)
        filled.numbers[step.id] = numbers

    def _worked_out(self, step: Step, world: Recording, filled: Filled) -> Array:
        """What a step gives; a loss is worked out from the shares that stand on the sheet, if they do."""
        shares = self._shares(step) if step.op_name in SHARES else None
        if shares is None or shares.id not in filled.numbers:
            return world.value(step.id)
        given, answers = filled.numbers[shares.id], numpy.asarray(world.value(step.inputs[1]))
        if step.op_name == "cross_entropy":
            picked = numpy.take_along_axis(given, answers[..., None], axis=-1)
        else:
            picked = numpy.where(answers == 1, given, 1 - given)
        if (picked <= 0).any():
            return world.value(step.id)
        losses = -numpy.log(picked)
        return numpy.asarray(losses.sum() if step.settings["reduction"] == "sum" else losses.mean())


def written(value: float, digits: int, is_exact: bool = False) -> str:
    """A number as it is written down: with all digits that were asked for, unless it is exact and ends before.

    >>> written(0.734956, 4), written(0.5, 4, is_exact=True)
    ('0.7350', '0.5')
    """
    rounded = round_float(value, digits, "significant")
    if is_exact or not rounded or not math.isfinite(value):
        return repr(rounded)
    decimal = Decimal(repr(rounded))
    return format(decimal.quantize(Decimal(1).scaleb(decimal.adjusted() - digits + 1)), "f")


def _plain(blank: Blank) -> str:
    return " ".join(map(str, blank.true)) if isinstance(blank.true, tuple) else str(blank.true)
