"""Where an entry comes from, and where it goes: the entries that its hand calculation reads, and those that read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from ...engine.arrays import Index, is_integer
from ...engine.hand import Entry, Hand, reads, work_out
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.cell import shown_lines
from ...explain.hand_calculation import hand_calculation_of, origin_of
from ...explain.line import unmasked
from ...explain.long_sums import split_terms
from ...explain.step_view import StepView
from .depending import Marks, depending
from .neighbors import neighbors


@dataclass(frozen=True)
class Fed:
    """The entries of a step that another entry goes into: the first ones, and how many there are."""

    step: Step
    entries: tuple[Index, ...]
    count: int


@dataclass(frozen=True)
class EntryRead:
    """An entry that a hand calculation reads."""

    step: Step
    index: Index


# -- where it comes from ---------------------------------------------------------------------------


def entries_read(view: StepView, index: Index, most: int = 64) -> tuple[EntryRead, ...]:
    """The entries that the hand calculation of an entry reads, in its order; of a long sum the largest come first.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> [(read.step.name, read.index) for read in entries_read(trace["scores"], (1, 0))]
    [('Q', (1, 0)), ('K', (0, 0)), ('Q', (1, 1)), ('K', (0, 1))]
    """
    recording = view.recording
    work = hand_calculation_of(recording, view.step, index)
    if work is None:
        return ()
    hand, sources = work
    found: dict[tuple[str, Index], None] = {}
    for entry in dict.fromkeys(_entries_of(recording, hand)):
        found[origin_of(recording, sources[entry.source], entry.index)] = None
        if len(found) == most:
            break
    return tuple(EntryRead(recording.step(id), at) for id, at in found)


def ids_read(view: StepView, index: Index) -> tuple[EntryRead, ...]:
    """The ids that decide what the hand calculation of an entry reads, which itself writes none of them down: the
    token whose row is taken, the label whose logarithm is.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> [(read.step.name, read.index) for read in ids_read(trace["X"], (1, 0))]
    [('tokens', (1,))]
    """
    recording, found = view.recording, []
    for id in dict.fromkeys(view.step.inputs if view.step.op is not None else ()):
        ids = recording.step(id)
        rank = len(ids.form.shape)
        at = index[:rank]  # each id stands for one place along the first axes of the result, if these are its own
        if is_integer(ids.tensor.array) and view.form.taking(range(min(rank, len(index)))) == ids.form:
            mark = numpy.zeros(ids.form.shape, dtype=bool)
            mark[at] = True
            if depending(recording, view.step, {id: mark})[index]:
                found.append(EntryRead(ids, at))
    return tuple(found)


def _entries_of(recording: Recording, hand: Hand) -> Iterator[Entry]:
    """The entries on the lines that are written down; those of terms that are left out come last."""
    hidden: list[Entry] = []
    for line in shown_lines(work_out(hand, recording.arithmetic.value_of)):
        shown, rest = split_terms(unmasked(line.expression))
        yield from (leaf for term in shown for leaf in reads(term) if isinstance(leaf, Entry))
        hidden += [leaf for term in rest for leaf in reads(term) if isinstance(leaf, Entry)]
    yield from hidden


# -- where it goes ---------------------------------------------------------------------------------


def entries_fed(view: StepView, index: Index, most: int = 64) -> tuple[Fed, ...]:
    """The entries that depend on an entry, of each step that reads it and that the story tells.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> [(fed.step.name, fed.entries) for fed in entries_fed(trace["K"], (0, 1))]
    [('scores', ((0, 0), (1, 0))), ('dQ', ((0, 1), (1, 1)))]
    """
    recording, first = view.recording, numpy.zeros(view.step.form.shape, dtype=bool)
    first[index] = True
    marks = {view.id: first}
    fed = []
    for step in _reached(view):
        marked = depending(recording, step, marks)
        if not marked.any():
            continue
        if _is_stop(view, step):
            fed.append(Fed(step, _places(marked, most), int(numpy.count_nonzero(marked))))
        else:
            marks[step.id] = marked
    return tuple(fed)


def _reached(view: StepView) -> list[Step]:
    """The steps that read a step, and those that read what has no name of its own, in the order of the recording."""
    recording, waiting, found = view.recording, [view.id], set[str]()
    steps = list(recording.steps.values())
    readers = neighbors(view.trace).readers if recording is view.trace.recording else None
    while waiting:
        id = waiting.pop()
        reading = readers[id] if readers is not None else [step.id for step in steps if id in step.inputs]
        new = [other for other in reading if other not in found]
        found.update(new)
        waiting += [other for other in new if not _is_stop(view, recording.step(other))]
    return [step for step in steps if step.id in found]


def _is_stop(view: StepView, step: Step) -> bool:
    """Whether a reader looks at this step; inside a composite every step is looked at."""
    return view.recording is not view.trace.recording or step.id in neighbors(view.trace).shown


def _places(marked: Marks, most: int) -> tuple[Index, ...]:
    places = numpy.argwhere(marked)[:most]
    return tuple(tuple(int(place) for place in at) for at in places)
