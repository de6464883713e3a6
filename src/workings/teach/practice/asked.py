"""Which entries of a variant are asked for: those that tell mistakes from the truth, and from one another.

Blanks fade in three steps. `few`: the first step of each kind. `some`: every step, in the entries that tell. `all`:
every entry. What is not asked for is printed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy

from ...engine.arrays import Array, Index, indices
from ...engine.hand import Apply, Entry
from ...engine.steps import Step
from ...explain.notation import name_of
from ...explain.view import Trace
from ...explain.work import origin_of, rule_of, work_of
from .sentences import say
from .slips import Slip
from .tolerance import DUST, differ_in_one_digit, half_unit
from .variant import APART, Variant, rounded_to

Blanks: TypeAlias = Literal["few", "some", "all"]
BLANKS: tuple[Blanks, ...] = get_args(Blanks)
FieldKind: TypeAlias = Literal["number", "shape", "positions", "choice"]
MOST = 64  # entries of one step that are asked for
SOME = 2  # entries of a step at least, if it has so many


@dataclass(frozen=True)
class Field:
    """One answer that is asked for. `label` is what it is called on the sheet and in a file of answers."""

    label: str
    step: str  # the path
    index: Index
    kind: FieldKind = "number"
    true: float | tuple[int, ...] | str = 0.0
    tolerance: float = 0.0
    question: str = ""  # what is asked, where it is not the entry itself
    choices: tuple[str, ...] = ()


def asked(variant: Variant, blanks: Blanks = "some") -> tuple[Field, ...]:
    """The fields of a sheet, in the order of the steps. An entry that only repeats a blank is a blank too: it would
    give the answer away.
    """
    fields: list[Field] = []
    open_entries: set[tuple[str, Index]] = set()
    for step in variant.steps:
        is_asked = blanks != "few" or _is_first_of_its_kind(variant, step)
        chosen = chosen_entries(variant, step, blanks) if is_asked else []
        chosen = sorted({*chosen, *_repeated(variant, step, open_entries)})
        open_entries |= {(step.id, index) for index in chosen}
        if is_asked:
            fields += _shape(variant, step) if blanks != "few" else ()
            fields += _positions(variant, step)
        fields += [_number(variant, step, index) for index in chosen]
        if is_asked:
            fields += _choice(variant, step)
    return tuple(fields)


def _number(variant: Variant, step: Step, index: Index) -> Field:
    label = variant.trace.style.notation.entry(label_of(variant.trace, step), index)
    value = float(variant.trace.recording.value(step.id)[index])
    true = 0.0 if abs(value) < DUST else value
    return Field(label, step.path, index, true=true, tolerance=float(variant.tolerances[step.path][index]))


def _repeated(variant: Variant, step: Step, open_entries: set[tuple[str, Index]]) -> list[Index]:
    """The entries of a step that only stand in another place there: they are found above."""
    if not open_entries or math.prod(step.form.shape) > MOST:
        return []
    recording = variant.trace.recording
    found = []
    for index in indices(step.form.shape):
        work = work_of(recording, step, index)
        line = work[0] if work is not None else None
        if isinstance(line, Apply) and line.kind == "mask":
            line = line.parts[1]
        if work is not None and isinstance(line, Entry):
            source = origin_of(recording, work[1][line.source], line.index)
            if source in open_entries and _can_be_asked(variant, step, index):
                found.append(index)
    return found


def label_of(trace: Trace, step: Step) -> str:
    """What a sheet calls a step: its name, with as much of its path as tells it from others."""
    steps = trace.recording.steps.values()
    own = name_of(trace.recording, step, trace.style.notation)
    before = step.path[: len(step.path) - len(step.name)].rstrip(".").split(".") if step.path != step.name else []
    for count in range(len(before) + 1):
        tail = ".".join([*before[len(before) - count :], step.name])
        if sum(1 for other in steps if f".{other.path}".endswith(f".{tail}")) == 1:
            return ".".join([*before[len(before) - count :], own])
    return ".".join([*before, own])


def _is_first_of_its_kind(variant: Variant, step: Step) -> bool:
    return next(other for other in variant.steps if _kind(variant, other) == _kind(variant, step)) is step


def _kind(variant: Variant, step: Step) -> tuple[str, ...]:
    """What has to be done at a step."""
    group = rule_of(variant.trace.recording, step)
    if group is not None:
        return group.op.name, group.op.input_name(group.slot)
    return (step.op_name,)


# -- the entries that tell ------------------------------------------------------------------------------


def chosen_entries(variant: Variant, step: Step, blanks: Blanks) -> list[Index]:
    """The entries of a step that are asked for, in their order."""
    every = [index for index in indices(step.form.shape) if _can_be_asked(variant, step, index)]
    if blanks == "all" and len(every) <= MOST:
        return every
    telling = _telling(variant, step, every)
    wanted = min(len(every), SOME if blanks == "some" else 1)
    rest = [index for index in sorted(every, key=lambda at: _ease(variant, step, at)) if index not in telling]
    return sorted([*telling, *rest[: max(0, wanted - len(telling))]])


def _can_be_asked(variant: Variant, step: Step, index: Index) -> bool:
    return not math.isnan(float(variant.trace.recording.value(step.id)[index]))


def _ease(variant: Variant, step: Step, index: Index) -> tuple[float, Index]:
    """Large entries first, as far as they are numbers: with a 0 nobody learns much."""
    value = abs(float(variant.trace.recording.value(step.id)[index]))
    return (-value if math.isfinite(value) else 0.0), index


def _telling(variant: Variant, step: Step, every: list[Index]) -> list[Index]:
    """As few entries as set every slip apart from the truth, and as many pairs of slips as can be. The one that tells
    most comes first, and so on until nothing is left to tell.
    """
    slips = [slip for slip in variant.slips.all if slip.step == step.path and not _is_other_shape(variant, slip)]
    if not slips or not every:
        return []
    tells = _what_each_tells(variant, step, slips, every)
    left = numpy.ones(tells.shape[1], dtype=bool) & tells.any(axis=0)
    found: list[Index] = []
    while left.any():
        best = int((tells & left).sum(axis=1).argmax())
        found.append(every[best])
        left &= ~tells[best]
    return found


def _what_each_tells(variant: Variant, step: Step, slips: list[Slip], every: list[Index]) -> Array:
    """For each entry: which slips it tells from the truth, also from a wrong digit, and which pairs of slips from one
    another.
    """
    columns = []
    for slip in slips:
        distances = variant.distances(slip)
        assert distances is not None
        tells = _entries(distances, every) >= APART
        columns += [tells, tells & ~_one_digit(variant, step, slip, every)]
    limits = 2 * _entries(variant.tolerances[step.path], every)
    values = [rounded_to(_entries(slip.value, every), variant.digits) for slip in slips]
    for one, other in itertools.combinations(values, 2):
        with numpy.errstate(invalid="ignore"):
            columns.append(~(numpy.abs(one - other) <= limits))
    return numpy.stack(columns, axis=1)


def _one_digit(variant: Variant, step: Step, slip: Slip, every: list[Index]) -> Array:
    """Where a single wrong digit would explain a slip too."""
    pairs = zip(_entries(slip.value, every), _entries(variant.trace.recording.value(step.id), every), strict=True)
    return numpy.array([differ_in_one_digit(float(a), float(b), variant.digits) for a, b in pairs])


def _entries(array: Array, every: list[Index]) -> Array:
    return numpy.array([float(array[index]) for index in every])


def _is_other_shape(variant: Variant, slip: Slip) -> bool:
    return tuple(slip.value.shape) != variant.trace[slip.step].shape


# -- what is no number ---------------------------------------------------------------------------------------


def _shape(variant: Variant, step: Step) -> Iterator[Field]:
    """The shape of what is turned round before it is multiplied: it is drawn nowhere, and it is what people mix up."""
    recording = variant.trace.recording
    for id in dict.fromkeys(step.inputs):
        source = recording.step(id)
        turned = source.op_name == "transpose" and source not in variant.slips.told and step.stage == "forward"
        if turned and source.form.shape != source.form.shape[::-1]:
            label = label_of(variant.trace, source)
            question = say("practice.shape", name=label)
            label = say("practice.shape.label", name=label)
            yield Field(label, source.path, (), "shape", source.form.shape, 0.0, question)


def _positions(variant: Variant, step: Step) -> Iterator[Field]:
    """Which keys a query must not see, for the first one that must not see some and may see others."""
    if step.op_name not in ("mask", "causal_mask", "padding_mask"):
        return
    hidden = numpy.isneginf(numpy.asarray(step.tensor.array))
    label = label_of(variant.trace, step)
    for index in indices(step.form.shape[:-1]):
        row = hidden[index]
        if row.any() and not row.all():
            counted = variant.trace.style.notation.place
            true = tuple(counted(int(place)) for place in numpy.flatnonzero(row))
            entry = variant.trace.style.notation.entry(label, index)
            question = say("practice.positions", name=entry)
            yield Field(say("practice.positions.label", name=entry), step.path, index, "positions", true, 0.0, question)
            return


def _choice(variant: Variant, step: Step) -> Iterator[Field]:
    """Which word is the most likely one, where the shares are those of words and it does not hang on a rounding."""
    if step.op_name != "softmax" or step.form.axes[-1:] != ("vocab",) or len(step.form.shape) != 1:
        return
    if any(other.op_name == "argmax" and step.id in other.inputs for other in variant.trace.recording.steps.values()):
        return  # it is printed below
    words = variant.trace.labels(variant.trace[step.path]).get("vocab", ())
    shares = numpy.asarray(step.tensor.array)
    first, second = numpy.sort(shares)[::-1][:2]
    if len(words) != len(shares) or first - second < 4 * half_unit(float(first), variant.digits):
        return
    label = label_of(variant.trace, step)
    question = say("practice.choice", name=label)
    true = words[int(shares.argmax())]
    yield Field(say("practice.choice.label", name=label), step.path, (), "choice", true, 0.0, question, words)
