"""The hand calculation of one entry of one step, as data.

scores[1][0] = Q[1] · K[0] = 0.0×0.1 + 0.1×0.0 = 0.0
"""

from __future__ import annotations

import math

from ..engine.arrays import Index, brackets, indices
from ..engine.errors import EntryError
from ..engine.hand import Expression, Line, Named, reads, work_out
from ..engine.recording import Recording
from ..engine.steps import Step
from .document import Derivation, DerivedLine
from .line import LineWriter, split_terms
from .notation import USUAL, Notation, name_of
from .numbers import PLAIN, Style
from .sentences import say
from .work import work_of

SOME = 512  # entries that are looked at to find one that is worth calculating


def cell(recording: Recording, step: Step, index: Index, style: Style = PLAIN) -> Derivation:
    """How one entry comes about, line by line."""
    index = checked(step, index)
    work = work_of(recording, step, index)
    if work is None:
        note = (
            leaf_words(recording, step, style.notation) if step.op is None else say("explain.no_hand", op=step.op_name)
        )
        writer = LineWriter(recording, step, index, {}, style)
        return Derivation(step.id, index, (DerivedLine(writer.left(), (), writer.entry(step.id, index)),), note)
    hand, sources = work
    lines = work_out(hand, recording.arithmetic.value_of)
    told = told_lines(lines)
    writer = LineWriter(recording, step, index, sources, style)
    note = say("explain.more_lines", count=len(lines) - len(told)) if len(told) < len(lines) else ""
    return Derivation(step.id, index, tuple(writer.line(line) for line in told), note)


def checked(step: Step, index: Index) -> Index:
    """The index with negative positions counted from the end; an error if there is no such entry."""
    shape = step.form.shape
    if len(index) != len(shape):
        example = step.name + brackets(0 for _ in shape)
        raise EntryError("entry.rank", name=step.name, rank=len(shape), count=len(index), example=example)
    for axis, (place, size) in enumerate(zip(index, shape, strict=True)):
        if not isinstance(place, int) or isinstance(place, bool):
            raise EntryError("entry.type", position=repr(place), where=step.path)
        if not -size <= place < size:
            word = step.form.axes[axis] or str(axis)
            raise EntryError("entry.range", position=place, axis=word, size=size, last=size - 1, where=step.path)
    return tuple(place % size for place, size in zip(index, shape, strict=True))


def leaf_words(recording: Recording, step: Step, notation: Notation = USUAL) -> str:
    """Where the value of a leaf comes from."""
    if step.twin and step.leaf == "constant":  # backward starts from it
        return say("explain.seed", twin=name_of(recording, recording.step(step.twin), notation))
    return say(f"explain.leaf.{step.leaf}")


def telling_entry(recording: Recording, step: Step) -> Index:
    """An entry that is worth calculating: a large one, and among these one that is made of many numbers. The entries of
    a large array are much alike: the largest of the first ones will do.
    """
    array = recording.value(step.id)
    candidates = [at for at, _ in zip(indices(step.form.shape), range(SOME), strict=False)]
    is_large = math.prod(step.form.shape) > SOME
    largest = sorted(candidates, key=lambda at: -_size(float(array[at])))[: 1 if is_large else 8]
    return max(largest, key=lambda at: _length(recording, step, at))


def _size(value: float) -> float:
    """How large an entry is; about an infinite one there is nothing to calculate."""
    return abs(value) if math.isfinite(value) else -1.0


def _length(recording: Recording, step: Step, index: Index) -> int:
    """How many numbers the calculation of an entry reads; those of several lines all read as many."""
    work = work_of(recording, step, index)
    return len(reads(work[0])) if work is not None and isinstance(work[0], Expression) else 0


def told_lines(lines: list[Line]) -> list[Line]:
    """The lines to write down: those that only lead to terms which a long sum does not show are left out."""
    needed: set[str] = set()
    told = []
    for line in reversed(lines):
        if line.symbol and line.symbol not in needed:
            continue
        told.append(line)
        shown, _ = split_terms(line.expression)
        needed |= {leaf.symbol for part in shown for leaf in reads(part) if isinstance(leaf, Named)}
    return told[::-1]
