"""The hand calculation of one entry of one step, as data.

scores[1][0] = Q[1] · K[0] = 0.0×0.1 + 0.1×0.0 = 0.0
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..document.blocks import Derivation, DerivedLine
from ..document.notation import USUAL, Notation, name_of
from ..document.numbers import PLAIN, Style
from ..engine.arithmetic import Arithmetic
from ..engine.arrays import Index, brackets, indices
from ..engine.errors import EntryError
from ..engine.hand import Expression, Line, Named, reads, work_out
from ..engine.recording import Recording
from ..engine.steps import Step
from .guard_digits import without_noise
from .hand_calculation import hand_calculation_of
from .line import LineWriter
from .long_sums import split_terms

UNITS_OF_ROUNDING = {"float64": 2.0**-53, "float32": 2.0**-24}
MAX_CANDIDATES = 512  # entries among which `example_entry` chooses
LEAF_ORIGINS = {
    "given": "given",
    "parameter": "a weight",
    "constant": "a constant",
    "random": "drawn at random",
}


def cell(recording: Recording, step: Step, index: Index, style: Style = PLAIN) -> Derivation:
    """How to compute one entry, line by line."""
    index = checked_index(step, index)
    found = hand_calculation_of(recording, step, index)
    if found is None:
        replaced = f"No hand calculation: this step was replaced by {step.op_name}."
        note = leaf_origin(recording, step, style.notation) if step.op is None else replaced
        writer = LineWriter(recording, step, index, {}, style)
        return Derivation(step.id, index, (DerivedLine(writer.left(), (), writer.entry(step.id, index)),), note)
    hand, sources = found
    lines = work_out(hand, _value_of(recording.arithmetic))
    shown = shown_lines(lines)
    writer = LineWriter(recording, step, index, sources, style)
    left_out = len(lines) - len(shown)
    note = f"{left_out} line{'s' * (left_out != 1)} not shown: they lead only to the rest of a sum." if left_out else ""
    derived = writer.lines(shown)
    return Derivation(step.id, index, derived, " ".join(filter(None, (note, writer.note))))


def _value_of(arithmetic: Arithmetic) -> Callable[[Expression], float | int]:
    """The value of a line; of terms that cancel, no rounding error is left."""
    unit = UNITS_OF_ROUNDING.get(arithmetic.precision)
    if unit is None:  # a calculator computes in decimals
        return arithmetic.value_of
    return lambda expression: without_noise(expression, arithmetic.value_of(expression), unit)


def checked_index(step: Step, index: Index) -> Index:
    """The index with negative positions counted from the end; an error if there is no such entry."""
    shape = step.form.shape
    if len(index) != len(shape):
        example = step.name + brackets(0 for _ in shape)
        raise EntryError(
            f"An entry of {step.name} has a position on each axis ({len(shape)}); given: {len(index)}.",
            hint=f"Give one position for each axis: {example}.",
        )
    for axis, (place, size) in enumerate(zip(index, shape, strict=True)):
        if not isinstance(place, int) or isinstance(place, bool):
            raise EntryError(
                f"{place!r} is not a position: positions are whole numbers.",
                hint="Count from 0: cell(1, 0) is row 1, column 0.",
                where=step.path,
            )
        if not -size <= place < size:
            word = step.form.axes[axis] or str(axis)
            raise EntryError(
                f"Position {place} on the axis {word} is outside: there are {size}.",
                hint=f"Positions count from 0 to {size - 1}.",
                where=step.path,
            )
    return tuple(place % size for place, size in zip(index, shape, strict=True))


def leaf_origin(recording: Recording, step: Step, notation: Notation = USUAL) -> str:
    """Where the value of a leaf comes from."""
    if step.twin and step.leaf == "constant":  # backward starts from it
        return f"upstream gradient of {name_of(recording, recording.step(step.twin), notation)}"
    return LEAF_ORIGINS[step.leaf or ""]


def example_entry(recording: Recording, step: Step) -> Index:
    """An entry that is worth computing by hand: a large one, and among these one that reads many numbers. The entries
    of a large array are much alike, so it takes the largest of the first ones.
    """
    array = recording.value(step.id)
    candidates = [at for at, _ in zip(indices(step.form.shape), range(MAX_CANDIDATES), strict=False)]
    is_large = math.prod(step.form.shape) > MAX_CANDIDATES
    largest = sorted(candidates, key=lambda at: -_size(float(array[at])))[: 1 if is_large else 8]
    return max(largest, key=lambda at: _length(recording, step, at))


def _size(value: float) -> float:
    """How large an entry is; there is nothing to compute about an infinite one."""
    return abs(value) if math.isfinite(value) else -1.0


def _length(recording: Recording, step: Step, index: Index) -> int:
    """How many numbers a calculation of one line reads; those of several lines read the same number everywhere."""
    found = hand_calculation_of(recording, step, index)
    return len(reads(found[0])) if found is not None and isinstance(found[0], Expression) else 0


def shown_lines(lines: list[Line]) -> list[Line]:
    """The lines to show: not those that lead only to terms which a long sum leaves out."""
    needed: set[str] = set()
    kept = []
    for line in reversed(lines):
        if line.symbol and line.symbol not in needed:
            continue
        kept.append(line)
        shown, _ = split_terms(line.expression)
        needed |= {leaf.symbol for part in shown for leaf in reads(part) if isinstance(leaf, Named)}
    return kept[::-1]
