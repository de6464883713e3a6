"""What is checked when a stored trace is read, and what its pages say where something was not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy

from ..engine.arrays import Array
from ..engine.errors import TraceFileError
from ..engine.file_check import MAX_OPERATIONS, READ_AS_IT_IS, check_values
from ..engine.file_reading import DAMAGE, not_a_trace, numbers_of
from ..engine.recording import Recording
from ..engine.trace_data import StepData
from .run import recorded_history

NOT_CHECKED = "The numbers in the file were not checked; they are shown as they are."
# How far the history may be from a recorded step, which adds in another order: relative, by type of number.
SAME_HISTORY = {"float32": 1e-4, "float64": 1e-9}


def check_stored(recording: Recording, rows: Sequence[StepData], history: Mapping[str, Sequence[float]]) -> str:
    """Refuse a trace in which a number does not follow, and say in words what could not be checked ("" if all was)."""
    left = check_values(recording, dict(_corners(rows)))
    lost = _check_history(recording, history)
    steps = sum(step.op is not None for step in recording.steps.values())
    sentences = []
    if left:
        sentences.append(
            f"The last {left:,} of {steps:,} steps were not checked: a stored trace is recomputed with at most "
            f"{MAX_OPERATIONS:,} operations."
        )
    if lost:
        sentences.append(f"The {lost} of training steps that are not in this file was not checked.")
    return " ".join(sentences)


def _corners(rows: Sequence[StepData]) -> Iterator[tuple[str, Array]]:
    """What the file shows of values that it leaves out, by id."""
    for row in rows:
        if row.get("window") is not None:
            try:
                corner = numpy.asarray(numbers_of(row["window"], whole=False))
            except DAMAGE:
                raise not_a_trace(f"the window of step {row['id']} cannot be read") from None
            yield row["id"], corner


def _check_history(recording: Recording, history: Mapping[str, Sequence[float]]) -> str:
    """Refuse a history that is not that of the recorded steps, and name what other steps would have to confirm."""
    lost, near = [], SAME_HISTORY[recording.arithmetic.dtype]
    for name, found in recorded_history(recording, history).items():
        for number, (value, true) in enumerate(zip(history[name], found, strict=True), start=1):
            if true is not None and not math.isclose(value, true, rel_tol=near):
                raise TraceFileError(
                    f"This trace does not hold: its history of {name} is not that of its steps.",
                    where=f"training step {number}",
                    given=f"the history says {value:.9g}, the step {true:.9g}",
                    hint=f"The file was changed: make it again. {READ_AS_IT_IS}",
                )
        lost += [name] if None in found else []
    return " and ".join(lost)
