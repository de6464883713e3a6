"""The blanks of a sheet: entries that distinguish mistakes from the truth, and from one another.

There are three levels. `few`: the first step of each kind. `some`: every step, in the entries that distinguish. `all`:
every entry. Everything else is printed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy

from ..document.notation import name_of
from ..engine.arrays import Array, Index, indices
from ..engine.hand import Apply, Entry
from ..engine.steps import Step
from ..explain.hand_calculation import hand_calculation_of, origin_of, rule_of
from ..explain.trace import Trace
from .mistakes import MistakeOutcome
from .tolerance import DUST, differ_in_one_digit, half_unit, rounded_to
from .variant import MIN_APART, Variant

BlankLevel: TypeAlias = Literal["few", "some", "all"]
BLANK_LEVELS: tuple[BlankLevel, ...] = get_args(BlankLevel)
BlankKind: TypeAlias = Literal["number", "shape", "positions", "choice"]
MAX_BLANKS = 64  # of one step
MIN_BLANKS = 2  # of one step, if it has as many entries


@dataclass(frozen=True)
class Blank:
    """One answer to fill in. `label` is its name on the sheet and in a file of answers."""

    label: str
    step: str  # the path
    index: Index
    kind: BlankKind = "number"
    true: float | tuple[int, ...] | str = 0.0
    tolerance: float = 0.0
    question: str = ""  # what to answer, where it is not the entry itself
    choices: tuple[str, ...] = ()

    @property
    def true_text(self) -> str:
        """The right answer where it is not a number: a shape, positions, a choice."""
        if not isinstance(self.true, tuple):
            return str(self.true)
        return " × ".join(map(str, self.true)) if self.kind == "shape" else "{" + ", ".join(map(str, self.true)) + "}"


def choose_blanks(variant: Variant, level: BlankLevel = "some") -> tuple[Blank, ...]:
    """The blanks of a sheet, in the order of the steps. An entry that only repeats a blank is a blank too: printed, it
    would give the answer away.
    """
    blanks: list[Blank] = []
    open_entries: set[tuple[str, Index]] = set()
    for step in variant.steps:
        is_chosen = level != "few" or _is_first_of_its_kind(variant, step)
        chosen = chosen_entries(variant, step, level) if is_chosen else []
        chosen = sorted({*chosen, *_repeated(variant, step, open_entries)})
        open_entries |= {(step.id, index) for index in chosen}
        if is_chosen:
            blanks += _shape(variant, step) if level != "few" else ()
            blanks += _positions(variant, step)
        blanks += [number_blank(variant, step, index) for index in chosen]
        if is_chosen:
            blanks += _choice(variant, step)
    return tuple(blanks)


def number_blank(variant: Variant, step: Step, index: Index) -> Blank:
    label = variant.trace.style.notation.entry(step_label(variant.trace, step), index)
    value = float(variant.trace.recording.value(step.id)[index])
    true = 0.0 if abs(value) < DUST else value
    return Blank(label, step.path, index, true=true, tolerance=float(variant.tolerances[step.path][index]))


def _repeated(variant: Variant, step: Step, open_entries: set[tuple[str, Index]]) -> list[Index]:
    """The entries of a step that only copy an open entry of an earlier one."""
    if not open_entries or math.prod(step.form.shape) > MAX_BLANKS:
        return []
    recording = variant.trace.recording
    found = []
    for index in indices(step.form.shape):
        work = hand_calculation_of(recording, step, index)
        line = work[0] if work is not None else None
        if isinstance(line, Apply) and line.kind == "mask":
            line = line.parts[1]
        if work is not None and isinstance(line, Entry):
            source = origin_of(recording, work[1][line.source], line.index)
            if source in open_entries and _is_number(variant, step, index):
                found.append(index)
    return found


def step_label(trace: Trace, step: Step) -> str:
    """The name of a step on a sheet: its own, with as much of its path as distinguishes it from others."""
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


# -- the entries that distinguish -----------------------------------------------------------------------


def chosen_entries(variant: Variant, step: Step, level: BlankLevel) -> list[Index]:
    """The entries of a step that become blanks, in their order."""
    every = [index for index in indices(step.form.shape) if _is_number(variant, step, index)]
    if level == "all" and len(every) <= MAX_BLANKS:
        return every
    distinguishing = _distinguishing(variant, step, every)
    wanted = min(len(every), MIN_BLANKS if level == "some" else 1)
    rest = [index for index in sorted(every, key=lambda at: _rank(variant, step, at)) if index not in distinguishing]
    return sorted([*distinguishing, *rest[: max(0, wanted - len(distinguishing))]])


def _is_number(variant: Variant, step: Step, index: Index) -> bool:
    return not math.isnan(float(variant.trace.recording.value(step.id)[index]))


def _rank(variant: Variant, step: Step, index: Index) -> tuple[float, Index]:
    """Large finite entries first: a 0 teaches little."""
    value = abs(float(variant.trace.recording.value(step.id)[index]))
    return (-value if math.isfinite(value) else 0.0), index


def _distinguishing(variant: Variant, step: Step, every: list[Index]) -> list[Index]:
    """As few entries as distinguish every mistake from the truth, and as many pairs of mistakes as possible. The entry
    that distinguishes most comes first, and so on until nothing is left to distinguish.
    """
    at_step = (mistake for mistake in variant.mistakes.all if mistake.step == step.path)
    mistakes = [mistake for mistake in at_step if mistake.value.shape == variant.trace[mistake.step].shape]
    if not mistakes or not every:
        return []
    distinguished = _what_each_distinguishes(variant, step, mistakes, every)
    left = numpy.ones(distinguished.shape[1], dtype=bool) & distinguished.any(axis=0)
    found: list[Index] = []
    while left.any():
        best = int((distinguished & left).sum(axis=1).argmax())
        found.append(every[best])
        left &= ~distinguished[best]
    return found


def _what_each_distinguishes(variant: Variant, step: Step, mistakes: list[MistakeOutcome], every: list[Index]) -> Array:
    """For each entry: which mistakes it distinguishes from the truth, also from a single wrong digit, and which pairs
    of mistakes from one another.
    """
    columns = []
    for mistake in mistakes:
        distances = variant.distances(mistake)
        assert distances is not None
        is_apart = _entries(distances, every) >= MIN_APART
        columns += [is_apart, is_apart & ~_one_digit(variant, step, mistake, every)]
    limits = 2 * _entries(variant.tolerances[step.path], every)
    values = [rounded_to(_entries(mistake.value, every), variant.digits) for mistake in mistakes]
    for one, other in itertools.combinations(values, 2):
        with numpy.errstate(invalid="ignore"):
            columns.append(~(numpy.abs(one - other) <= limits))
    return numpy.stack(columns, axis=1)


def _one_digit(variant: Variant, step: Step, mistake: MistakeOutcome, every: list[Index]) -> Array:
    """Where a single wrong digit would explain a mistake too."""
    pairs = zip(_entries(mistake.value, every), _entries(variant.trace.recording.value(step.id), every), strict=True)
    return numpy.array([differ_in_one_digit(float(a), float(b), variant.digits) for a, b in pairs])


def _entries(array: Array, every: list[Index]) -> Array:
    return numpy.array([float(array[index]) for index in every])


# -- blanks that are not numbers -------------------------------------------------------------------------


def _shape(variant: Variant, step: Step) -> Iterator[Blank]:
    """The shape of a transposed matrix before a product: it is not drawn anywhere, and people mix it up."""
    recording = variant.trace.recording
    for id in dict.fromkeys(step.inputs):
        source = recording.step(id)
        is_unnamed = source not in variant.mistakes.named_steps and step.stage == "forward"
        if source.op_name == "transpose" and is_unnamed and source.form.shape != source.form.shape[::-1]:
            label = step_label(variant.trace, source)
            question = f"The shape of {label}"
            yield Blank(f"shape of {label}", source.path, (), "shape", source.form.shape, 0.0, question)


def _positions(variant: Variant, step: Step) -> Iterator[Blank]:
    """Which keys the mask hides from a query, for the first query that can see some keys and not others."""
    if step.op_name not in ("mask", "causal_mask", "padding_mask"):
        return
    hidden = numpy.isneginf(numpy.asarray(step.tensor.array))
    label = step_label(variant.trace, step)
    for index in indices(step.form.shape[:-1]):
        row = hidden[index]
        if row.any() and not row.all():
            position = variant.trace.style.notation.place
            true = tuple(position(int(column)) for column in numpy.flatnonzero(row))
            entry = variant.trace.style.notation.entry(label, index)
            question = f"The positions that {entry} cannot attend to"
            yield Blank(f"hidden in {entry}", step.path, index, "positions", true, 0.0, question)
            return


def _choice(variant: Variant, step: Step) -> Iterator[Blank]:
    """The most likely token, where a step holds the distribution of the vocabulary and rounding cannot decide it."""
    if step.op_name != "softmax" or step.form.axes[-1:] != ("vocab",) or len(step.form.shape) != 1:
        return
    if any(other.op_name == "argmax" and step.id in other.inputs for other in variant.trace.recording.steps.values()):
        return  # it is printed below
    words = variant.trace.labels(variant.trace[step.path]).get("vocab", ())
    probabilities = numpy.asarray(step.tensor.array)
    first, second = numpy.sort(probabilities)[::-1][:2]
    if len(words) != len(probabilities) or first - second < 4 * half_unit(float(first), variant.digits):
        return
    label = step_label(variant.trace, step)
    question = f"The most likely token of {label}"
    true = words[int(probabilities.argmax())]
    yield Blank(f"most likely of {label}", step.path, (), "choice", true, 0.0, question, words)
