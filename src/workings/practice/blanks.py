"""The blanks of a sheet: entries that distinguish mistakes from the truth, and from one another.

There are three levels. `few`: the first step of each kind. `some`: every step, in the entries that distinguish. `all`:
every entry. Everything else is printed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy

from ..document.notation import name_of
from ..engine.arrays import Array, Index, indices
from ..engine.hand import Apply, Entry
from ..engine.steps import Step
from ..explain.hand_calculation import hand_calculation_of, origin_of, rule_of
from ..explain.trace import Trace
from .giveaways import MAX_EQUAL, Place, PrintedNumbers
from .mistakes import MistakeOutcome
from .tolerance import DUST, differ_in_one_digit, half_unit, rounded_to
from .variant import FIRST_GENERATOR, GENERATOR, MIN_APART, Variant

BlankLevel: TypeAlias = Literal["few", "some", "all"]
BLANK_LEVELS: tuple[BlankLevel, ...] = get_args(BlankLevel)
BlankKind: TypeAlias = Literal["number", "shape", "positions", "choice", "line"]
Candidates: TypeAlias = Mapping[str, list[Index]]  # the entries that may be blanks, by the id of their step
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
    points: float = 1.0
    line: str = ""  # of a line on the way to the entry: its symbol

    @property
    def is_number(self) -> bool:
        return self.kind in ("number", "line")

    @property
    def true_text(self) -> str:
        """The right answer where it is not a number: a shape, positions, a choice."""
        if not isinstance(self.true, tuple):
            return str(self.true)
        return " × ".join(map(str, self.true)) if self.kind == "shape" else "{" + ", ".join(map(str, self.true)) + "}"


def choose_blanks(variant: Variant, level: BlankLevel = "some", generator: int = GENERATOR) -> tuple[Blank, ...]:
    """The blanks of a sheet, in the order of the steps. Nothing that is printed on it gives them away, unless nothing
    else can be blank; on the sheets of the first generator, it may.
    """
    every = {step.id: _numbers(variant, step) for step in variant.steps}
    guarded = _guarded(variant, level, every) if generator > FIRST_GENERATOR else set()
    steps = variant.steps if guarded else _chosen_steps(variant, level, every)
    mistakes = variant.mistakes.all if generator > FIRST_GENERATOR else variant.mistakes.first
    places = guarded or _with_copies(variant, _chosen(variant, steps, level, every, mistakes))
    blanks: list[Blank] = []
    for step in variant.steps:
        numbers = [number_blank(variant, step, index) for index in every[step.id] if (step.id, index) in places]
        is_chosen = bool(numbers) and step in steps
        blanks += [*_shape(variant, step)] if is_chosen and level != "few" else []
        blanks += [*_positions(variant, step, guarded)] if is_chosen else []
        blanks += [*numbers, *(_choice(variant, step) if is_chosen else ())]
    return tuple(blanks)


def _guarded(variant: Variant, level: BlankLevel, every: Candidates) -> set[Place]:
    """The entries to fill in that nothing on the sheet gives away. Numbers that are equal by chance are avoided where a
    step has others; if every entry is a blank, they do no harm.
    """
    related = PrintedNumbers(variant, by_chance=False)
    if level == "all":
        return related.guarded(_chosen(variant, variant.steps, level, every))
    printed = PrintedNumbers(variant)
    best = {id: _candidates(printed, id, own, level) for id, own in every.items()}
    steps = _chosen_steps(variant, level, best)
    places = printed.guarded(_chosen(variant, steps, level, best))
    left = {step.id: step for step in steps if not any(map(printed.can_be_hidden, _finite(variant, step, every)))}
    for step in left.values():
        second_best = {step.id: _candidates(related, step.id, every[step.id], level)}
        more = related.guarded(places | _chosen(variant, [step], level, second_best))
        places = more if all(id in left for id, _ in more - places) else places
    return places


def _with_copies(variant: Variant, places: set[Place]) -> set[Place]:
    """The chosen entries, and those that only copy one of them."""
    recording, found = variant.trace.recording, set(places)
    for step in variant.steps:
        for index in indices(step.form.shape) if math.prod(step.form.shape) <= MAX_BLANKS else ():
            work = hand_calculation_of(recording, step, index)
            line = work[0] if work is not None else None
            if isinstance(line, Apply) and line.kind == "mask":
                line = line.parts[1]
            if work is not None and isinstance(line, Entry):
                source = origin_of(recording, work[1][line.source], line.index)
                found |= {(step.id, index)} if source in found else set()
    return found


def _finite(variant: Variant, step: Step, every: Candidates) -> list[Place]:
    """The entries of a step that are neither 0 nor infinite."""
    value = variant.trace.recording.value(step.id)
    return [(step.id, index) for index in every[step.id] if DUST <= abs(float(value[index])) < math.inf]


def _candidates(printed: PrintedNumbers, id: str, every: list[Index], level: BlankLevel) -> list[Index]:
    """The entries that are worth a blank, those that equal few others first. A copy of another blank is worth one only
    where every step has blanks: people mix up the order of the entries.
    """
    places = [(id, index) for index in every if level == "some" or not printed.is_copy((id, index))]
    equal = {place: len(printed.same(place)) for place in places if printed.can_be_blank(place)}
    return [index for _, index in sorted(equal, key=lambda place: equal[place]) if equal[id, index] <= MAX_EQUAL]


def _chosen(
    variant: Variant,
    steps: Iterable[Step],
    level: BlankLevel,
    candidates: Candidates,
    mistakes: Iterable[MistakeOutcome] | None = None,
) -> set[Place]:
    """The entries of some steps that become blanks because they distinguish mistakes: all that are known, or these."""
    known = variant.mistakes.all if mistakes is None else mistakes
    at_steps: dict[str, list[MistakeOutcome]] = {}
    for mistake in known:
        at_steps.setdefault(mistake.step, []).append(mistake)
    return {
        (step.id, index)
        for step in steps
        for index in chosen_entries(variant, step, level, candidates[step.id], at_steps.get(step.path, []))
    }


def _chosen_steps(variant: Variant, level: BlankLevel, candidates: Candidates) -> list[Step]:
    """The steps that have blanks: all, or the first of each kind that has candidates."""
    first: dict[tuple[str, ...], Step] = {}
    for step in variant.steps:
        if candidates[step.id]:
            first.setdefault(_kind(variant, step), step)
    return [step for step in variant.steps if level != "few" or first.get(_kind(variant, step)) is step]


def number_blank(variant: Variant, step: Step, index: Index) -> Blank:
    label = variant.trace.style.notation.entry(step_label(variant.trace, step), index)
    value = float(variant.trace.recording.value(step.id)[index])
    true = 0.0 if abs(value) < DUST else value
    return Blank(label, step.path, index, true=true, tolerance=float(variant.tolerances[step.path][index]))


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


def _kind(variant: Variant, step: Step) -> tuple[str, ...]:
    """What has to be done at a step."""
    group = rule_of(variant.trace.recording, step)
    if group is not None:
        return group.op.name, group.op.input_name(group.slot)
    return (step.op_name,)


# -- the entries that distinguish -----------------------------------------------------------------------


def chosen_entries(
    variant: Variant, step: Step, level: BlankLevel, candidates: list[Index], mistakes: list[MistakeOutcome]
) -> list[Index]:
    """The entries of a step that become blanks: all candidates, or those that distinguish these mistakes."""
    if level == "all" and len(candidates) <= MAX_BLANKS:
        return candidates
    distinguishing = _distinguishing(variant, step, candidates, mistakes)
    wanted = min(len(candidates), MIN_BLANKS if level == "some" else 1)
    rest = [index for index in candidates if index not in distinguishing]
    rest.sort(key=lambda index: _rank(variant, step, index))
    return [*distinguishing, *rest[: max(0, wanted - len(distinguishing))]]


def _numbers(variant: Variant, step: Step) -> list[Index]:
    """The entries of a step that are numbers."""
    value = variant.trace.recording.value(step.id)
    return [index for index in indices(step.form.shape) if not math.isnan(float(value[index]))]


def _rank(variant: Variant, step: Step, index: Index) -> tuple[float, Index]:
    """Large finite entries first: a 0 teaches little."""
    value = abs(float(variant.trace.recording.value(step.id)[index]))
    return (-value if math.isfinite(value) else 0.0), index


def _distinguishing(variant: Variant, step: Step, every: list[Index], at_step: list[MistakeOutcome]) -> list[Index]:
    """As few entries as distinguish every mistake from the truth, and as many pairs of mistakes as possible. The entry
    that distinguishes most comes first, and so on until nothing is left to distinguish.
    """
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


def _positions(variant: Variant, step: Step, blank: Collection[Place]) -> Iterator[Blank]:
    """Which keys the mask hides from a query, for the first query that can see some keys and not others, and whose
    −∞ are not printed.
    """
    if step.op_name not in ("mask", "causal_mask", "padding_mask"):
        return
    hidden = numpy.isneginf(numpy.asarray(step.tensor.array))
    label = step_label(variant.trace, step)
    for index in indices(step.form.shape[:-1]):
        columns = [int(column) for column in numpy.flatnonzero(hidden[index])]
        is_printed = bool(blank) and any((step.id, (*index, column)) not in blank for column in columns)
        if columns and not hidden[index].all() and not is_printed:
            true = tuple(map(variant.trace.style.notation.place, columns))
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
