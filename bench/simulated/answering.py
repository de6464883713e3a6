"""Sheets for programs that know nothing of this package: what is given as plain arrays, and their answers read back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy

from workings.engine.arrays import is_float
from workings.practice.blanks import step_label
from workings.practice.sheet import Sheet
from workings.practice.tolerance import rounded_to

from .desk import written
from .programs.paper import Person

CALCULATOR = 12  # digits in its memory


@dataclass(frozen=True)
class Habits:
    """How somebody works: with the numbers that the sheet prints or only with their own, rounding every line or only
    the answers, with how many digits, and whether zeros at the end are written.
    """

    reads_printed: bool = False
    by_line: bool = False
    digits: int = 0  # none: those of the sheet
    pen_digits: int = 0  # of the answers alone: a calculator keeps all others
    keeps_zeros: bool = False

    def __str__(self) -> str:
        words = ["reads the sheet" if self.reads_printed else "own paper"]
        words += ["rounds every line"] * self.by_line + [f"{self.digits} digits"] * bool(self.digits)
        words += [f"writes {self.pen_digits} digits"] * bool(self.pen_digits) + ["keeps zeros"] * self.keeps_zeros
        return ", ".join(words)


def answers_of(person: type[Person], sheet: Sheet, habits: Habits | None = None, slip: object = None) -> dict[str, str]:
    """What somebody writes into a sheet; steps that they did not work out stay blank."""
    habits = habits or Habits()
    return read_back(worked(person, sheet, habits, slip), sheet, habits)


def worked(person: type[Person], sheet: Sheet, habits: Habits, slip: object = None) -> Person:
    """Somebody who has computed everything."""
    printed = printed_on(sheet) if habits.reads_printed else None
    digits = CALCULATOR if habits.pen_digits else habits.digits or sheet.digits
    worker = person(given_on(sheet), digits, printed, habits.by_line)
    worker.pen_slip = slip
    with numpy.errstate(all="ignore"):
        worker.work()
    return worker


def read_back(worker: Person, sheet: Sheet, habits: Habits) -> dict[str, str]:
    found = {}
    for field in sheet.fields:
        values = numbers_at(worker, sheet, field.step)
        if field.kind == "number" and values is not None and numpy.shape(values) == sheet.trace[field.step].shape:
            value = float(values[field.index])
            if math.isnan(value):
                continue
            digits = habits.pen_digits or habits.digits or sheet.digits
            own = type(worker).spelled is not Person.spelled
            found[field.label] = worker.spelled(value) if own else written(value, digits, not habits.keeps_zeros)
    return found


def numbers_at(worker: Person, sheet: Sheet, path: str) -> numpy.ndarray | None:
    """What somebody wrote at a step, under its path or its label."""
    return worker.written.get(path, worker.written.get(labels_of(sheet).get(path, "")))


def labels_of(sheet: Sheet) -> dict[str, str]:
    """What each step is called on the sheet, by its path."""
    if sheet.code not in _labels:
        steps = sheet.trace.recording.steps.values()
        _labels[sheet.code] = {step.path: step_label(sheet.trace, step) for step in steps}
    return _labels[sheet.code]


_labels: dict[str, dict[str, str]] = {}


def path_of(sheet: Sheet, name: str) -> str:
    """The path of a step that a person names by its path, its label, or as much of its end as is unique."""
    labels = labels_of(sheet)
    found = [path for path, label in labels.items() if name in (path, label)]
    return found[0] if found else sheet.trace.find_step(name).path


def given_on(sheet: Sheet) -> dict[str, numpy.ndarray]:
    """The numbers that are printed as given, by their paths and their labels."""
    leaves = [step for step in sheet.trace.recording.steps.values() if step.op is None]
    by_path = {leaf.path: numpy.array(leaf.tensor.array) for leaf in leaves}
    return by_path | {labels_of(sheet)[path]: value for path, value in by_path.items()}


def printed_on(sheet: Sheet) -> dict[str, tuple[numpy.ndarray, numpy.ndarray]]:
    """The steps as they are printed, by paths and labels: rounded numbers, and which of them are blanks."""
    blanks: dict[str, list[tuple[int, ...]]] = {}
    for field in sheet.fields:
        if field.kind == "number":
            blanks.setdefault(field.step, []).append(field.index)
    found = {}
    for step in sheet.trace.recording.steps.values():
        if step.op is not None and is_float(step.tensor.array):
            numbers = rounded_to(step.tensor.array, sheet.digits)
            is_blank = numpy.zeros(numbers.shape, dtype=bool)
            for index in blanks.get(step.path, []):
                is_blank[index] = True
            found[step.path] = found[labels_of(sheet)[step.path]] = (numbers, is_blank)
    return found
