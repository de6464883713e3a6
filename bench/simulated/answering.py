"""Sheets for programs that know nothing of this package: what is given as plain arrays, and their answers read back."""

from __future__ import annotations

import numpy

from workings.practice.blanks import step_label
from workings.practice.sheet import Sheet

from .programs.paper import Person


def answers_of(person: type[Person], sheet: Sheet) -> dict[str, str]:
    """What somebody writes into a sheet; steps that they did not work out stay blank."""
    worker = person(given_on(sheet), sheet.digits)
    with numpy.errstate(all="ignore"):
        worker.work()
    steps = {field.step: step_label(sheet.trace, sheet.trace.find_step(field.step)) for field in sheet.fields}
    return {
        field.label: worker.spelled(float(worker.written[steps[field.step]][field.index]))
        for field in sheet.fields
        if field.kind == "number" and steps[field.step] in worker.written
    }


def given_on(sheet: Sheet) -> dict[str, numpy.ndarray]:
    """The numbers that are printed as given, by their names."""
    leaves = [step for step in sheet.trace.recording.steps.values() if step.op is None]
    return {step_label(sheet.trace, leaf): numpy.array(leaf.tensor.array) for leaf in leaves}
