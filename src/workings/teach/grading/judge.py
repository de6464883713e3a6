"""Judging answers, step by step.

What a step should give is first worked out from the learner's own numbers: one wrong step does not make all others
wrong. An answer that does not follow from them is held against the truth. What is neither right nor follows is held
against every mistake that could have been made there, on the same numbers. If exactly one gives all that was answered
at this step, it is named; if several do, none is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy

from ...engine.arrays import Array, Index
from ...engine.steps import Step
from ..answers.number import Given
from ..practice.asked import Field
from ..practice.sheet import Sheet
from ..practice.slips import Slips
from ..practice.tolerance import half_unit, is_short
from ..practice.world import World
from .agreement import agrees
from .lineup import Lineup, Suspect
from .own_paper import OwnPaper
from .place import Place
from .reading import Written
from .sentences import say
from .trivial import are_trivial
from .verdicts import Mark, Verdict


class Judge:
    """Goes through a sheet once, from the first step to the last."""

    def __init__(self, sheet: Sheet, written: Mapping[str, Written]) -> None:
        self.sheet = sheet
        self.written = written
        self.truth = sheet.trace.recording
        self.world = World(self.truth)
        self.stated: dict[str, Array] = {}  # the numbers that stand on the sheet by now, by step id
        self.tainted: set[str] = set()  # steps that depend on a wrong answer
        self.unanswered: set[str] = set()  # steps that were left open
        self.named: list[str] = []  # the mistakes that were made so far
        self.possible: set[str] = set()  # and those that may have been made: the rules that follow them are no others
        self.coarse: dict[tuple[str, Index], float] = {}  # answers with fewer digits than asked: half a unit of each
        self.paper = OwnPaper(self.truth)

    @cached_property
    def slips(self) -> Slips:
        return Slips(self.sheet.trace)

    @cached_property
    def _fields(self) -> dict[str, list[Field]]:
        found: dict[str, list[Field]] = {}
        for field in self.sheet.fields:
            found.setdefault(field.step, []).append(field)
        return found

    def marks(self) -> Iterator[Mark]:
        told = {step.id for step in self.slips.told}
        for step in self.truth.steps.values():
            if step.op is None:
                self.world.reach(step)
                continue
            fields = self._fields.get(step.path, [])
            yield from (self._other(step, field) for field in fields if field.kind != "number")
            numbers = [field for field in fields if field.kind == "number"]
            if step.id in told and not numbers:
                self._go_on_with(step, self.truth.value(step.id))  # it is printed
                continue
            if not self.tainted.isdisjoint(self.world.sources(step)):
                self.tainted.add(step.id)
            if numbers:
                yield from self._step(step, numbers)
            else:
                self.world.reach(step)

    def _go_on_with(self, step: Step, value: Array) -> None:
        self.stated[step.id] = value
        self.world.write(step, value)

    def step_alone(self, path: str) -> list[Mark]:
        """The marks of one step by itself: the numbers before it are the true ones, and nothing comes after it."""
        step, fields = self.sheet.trace.find_step(path), self._fields[path]
        marks = [self._other(step, field) for field in fields if field.kind != "number"]
        numbers = [field for field in fields if field.kind == "number"]
        marks += self._step(step, numbers) if numbers else []
        return [replace(mark, note="") if mark.note == say("grade.trivial") else mark for mark in marks]

    # -- a step ------------------------------------------------------------------------------------------

    def _step(self, step: Step, fields: list[Field]) -> list[Mark]:
        place = Place(self, step)
        marks = [self._entry(step, field, place) for field in fields]
        if all(mark.verdict == "blank" for mark in marks):
            self.unanswered.add(step.id)
            return marks
        stated = self._stated(step, fields, place)
        if any(mark.verdict == "unknown" for mark in marks):
            self.tainted.add(step.id)
            suspect, note = Lineup(self, place, fields).found()
            if suspect is not None:
                self.paper.work_out(step, suspect.value)
                self.named.append(suspect.id.partition("+")[0])
                marks = [_accused(mark, suspect) if mark.verdict == "unknown" else mark for mark in marks]
            elif self._is_trivial(step, fields):
                note, stated = say("grade.trivial"), self.truth.value(step.id)
                self.tainted.discard(step.id)
            marks = [replace(mark, note=note) if mark.verdict == "unknown" else mark for mark in marks]
        self._go_on_with(step, stated)
        for field in fields:
            given = self.written[field.label].given
            if given is not None:
                self.paper.write(step, field.index, float(stated[field.index]))
                own = float(place.value[field.index])
                if given.unit / 2 > half_unit(own, self.sheet.digits) and not is_short(own, self.sheet.digits):
                    self.coarse[step.id, field.index] = given.unit / 2
        return marks

    def _entry(self, step: Step, field: Field, place: Place) -> Mark:
        written = self.written[field.label]
        blank = Mark(field, written.text, "blank", tolerance=field.tolerance)
        if written.is_blank:
            return blank
        if written.problem:
            return replace(blank, verdict="unreadable", note=written.problem)
        if written.shape is not None:
            return replace(blank, verdict="another shape", note=shape_note(written.shape, step.form.shape))
        given = written.given
        assert given is not None
        truth = float(self.truth.value(step.id)[field.index])
        mark = Mark(field, written.text, "unknown")
        for own, tolerance in place.ways(field):
            expected = own if step.id in self.tainted and not abs(own - truth) <= tolerance else None
            verdict = agrees(given, own, tolerance, self.sheet.digits)
            mark = replace(mark, expected=expected, tolerance=tolerance)
            if verdict is not None:
                follows = expected is not None and agrees(given, truth, field.tolerance, self.sheet.digits) is None
                return replace(mark, verdict="follows" if follows else verdict)
        verdict = agrees(given, truth, field.tolerance, self.sheet.digits)
        if verdict is not None:
            return replace(mark, verdict=verdict, tolerance=field.tolerance)
        return replace(mark, verdict=self._with_one_digit(given, step, field, place))

    def _with_one_digit(self, given: Given, step: Step, field: Field, place: Place) -> Verdict:
        """An answer of a single digit is right to the digits given only if no mistake gives that digit too."""
        own, near = float(place.value[field.index]), given.unit / 2
        mistakes = [slip.value for slip in self.sheet.slips if slip.step == step.path]
        others = [float(value[field.index]) for value in mistakes if value.shape == step.form.shape]
        is_right = given.digits == 1 and given.value and abs(given.value - own) <= near + place.tolerance(field)
        if not is_right or any(abs(given.value - other) <= near for other in others if other != own):
            return "unknown"
        return "right to the digits given"

    def _stated(self, step: Step, fields: list[Field], place: Place) -> Array:
        """What the learner goes on with: the answers; what was left open as it follows; what is printed as printed."""
        stated: Array = numpy.array(self.truth.value(step.id), dtype=numpy.float64)
        for field in fields:
            given = self.written[field.label].given
            stated[field.index] = given.value if given is not None else place.value[field.index]
        return stated

    def _is_trivial(self, step: Step, fields: list[Field]) -> bool:
        """Whether the answers would make the rest too easy."""
        truth = self.truth.value(step.id)
        pairs = [
            (given.value, float(truth[field.index]))
            for field in fields
            if (given := self.written[field.label].given) is not None and math.isfinite(truth[field.index])
        ]
        return are_trivial([value for value, _ in pairs], [true for _, true in pairs])

    def left_open(self, step: Step) -> list[Step]:
        """The steps that were left open behind the last numbers which stand on the sheet."""
        found: dict[str, Step] = {}
        waiting = [step]
        while waiting:
            for id in waiting.pop().inputs:
                before = self.truth.step(id)
                if id not in self.stated and id not in found and before.op is not None:
                    found[id] = before
                    waiting.append(before)
        return [before for id, before in found.items() if id in self.unanswered]

    # -- what is no number --------------------------------------------------------------------------------

    def _other(self, step: Step, field: Field) -> Mark:
        written = self.written[field.label]
        if written.is_blank:
            return Mark(field, written.text, "blank")
        if written.problem:
            return Mark(field, written.text, "unreadable", note=written.problem)
        if field.kind == "positions":
            return self._positions(step, field, written)
        if written.other == field.true:
            return Mark(field, written.text, "right")
        note = shape_note(written.other, step.form.shape) if field.kind == "shape" else ""
        return Mark(field, written.text, "unknown", note=note)

    def _positions(self, step: Step, field: Field, written: Written) -> Mark:
        assert isinstance(field.true, tuple)
        if written.other == frozenset(field.true):
            return Mark(field, written.text, "right")
        counted = self.sheet.trace.style.notation.place
        fitting = []
        for slip in self.slips.at(step.path):
            if slip.value.shape == step.form.shape:
                hidden = numpy.flatnonzero(numpy.isneginf(slip.value[field.index]))
                if frozenset(counted(int(place)) for place in hidden) == written.other:
                    fitting.append(slip)
        mark = Mark(field, written.text, "unknown")
        if len({slip.id for slip in fitting}) != 1:
            return replace(mark, note=say("grade.several") if fitting else "")
        return _accused(mark, Suspect(fitting[0].id, fitting[0].also, fitting[0].hint, fitting[0].value))


def _accused(mark: Mark, suspect: Suspect) -> Mark:
    return replace(mark, verdict="mistake", mistake=suspect.id, also=suspect.also, hint=suspect.hint, note="")


def shape_note(given: tuple[int, ...], true: tuple[int, ...]) -> str:
    """What somebody may have done who comes to another shape."""
    if given == true[::-1]:
        return say("grade.shape.transposed")
    if len(given) < len(true):
        return say("grade.shape.summed")
    if len(given) == len(true) and any(one < other for one, other in zip(given, true, strict=True)):
        return say("grade.shape.missing")
    return say("grade.shape.other")
