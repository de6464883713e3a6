"""Which steps lead to which, and how each one is called in short: for all steps of a recording at once.

A reader goes from one step that the story tells to the next. What lies between (the transpose in Q · Kᵀ, the members
of a rule) is passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.story import is_shown
from ...explain.trace import Trace
from ...figures.backward import gradients_in


@dataclass(frozen=True)
class Neighbors:
    """By the id of a step: the shown steps that it `reads` and that it is `read_by`, its `gradient`, and the shortest
    `name` under which it is found. `readers` are the steps that read it themselves, shown or not.
    """

    count: int  # the number of the next step, when this was made
    shown: frozenset[str]
    reads: Mapping[str, tuple[str, ...]]
    read_by: Mapping[str, tuple[str, ...]]
    readers: Mapping[str, tuple[str, ...]]
    gradients: Mapping[str, str]
    names: Mapping[str, str]


_FOUND: WeakKeyDictionary[Trace, Neighbors] = WeakKeyDictionary()


def neighbors(trace: Trace) -> Neighbors:
    """The neighbors of every step. They are looked for once, as long as nothing more is recorded.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> found = neighbors(trace)
    >>> [trace[id].name for id in found.reads[trace["scores"].id]]
    ['Q', 'K']
    >>> [trace[id].name for id in found.read_by[trace["scores"].id]], trace[found.gradients[trace["scores"].id]].path
    (['scaled'], 'block1.attention.dscores')
    """
    found = _FOUND.get(trace)
    if found is None or found.count != trace.recording.count:
        found = _FOUND[trace] = _neighbors(trace.recording, trace.aliases)
    return found


def _neighbors(recording: Recording, aliases: Mapping[str, str]) -> Neighbors:
    shown = frozenset(step.id for step in recording.steps.values() if is_shown(recording, step))
    inputs = {step.id: _inputs(step) for step in recording.steps.values()}
    readers: dict[str, list[str]] = {id: [] for id in recording.steps}
    for id, read in inputs.items():
        for other in read:
            readers[other].append(id)
    return Neighbors(
        recording.count,
        shown,
        _through(inputs, shown, list(inputs)),
        _through(readers, shown, list(inputs)[::-1]),
        {id: tuple(read_by) for id, read_by in readers.items()},
        {id: step.id for id, step in gradients_in(recording).items()},
        dict(_short_names(recording, aliases)),
    )


def _inputs(step: Step) -> tuple[str, ...]:
    """What a step is computed from; one that was pinned to a value is computed from nothing."""
    return tuple(dict.fromkeys(step.inputs)) if step.op is not None else ()


def _through(
    ways: Mapping[str, tuple[str, ...] | list[str]], shown: frozenset[str], order: list[str]
) -> dict[str, tuple[str, ...]]:
    """The shown steps at the end of each way, in an order in which every step comes after those that it leads to."""
    found: dict[str, tuple[str, ...]] = {}
    for id in order:
        ends = (end for other in ways[id] for end in ((other,) if other in shown else found[other]))
        found[id] = tuple(dict.fromkeys(ends))
    return found


def _short_names(recording: Recording, aliases: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each step with as little of its path as it takes to find it; see engine/names.py for what finds it."""
    everywhere: Counter[str] = Counter()
    forward: Counter[str] = Counter()
    for step in recording.steps.values():
        endings = list(_endings(step.path))
        everywhere.update(endings)
        if step.stage == "forward":
            forward.update(endings)
    taken = {*recording.paths, *aliases, *recording.steps}
    for step in recording.steps.values():
        same = forward if step.stage == "forward" else everywhere
        fitting = (
            name
            for name in _endings(step.path)
            if len(name) >= len(step.name) and name not in taken and same[name] == 1
        )
        yield step.id, next(fitting, step.path)


def _endings(path: str) -> Iterator[str]:
    """The ends of a path from the shortest to the longest, each of whole parts."""
    parts = path.split(".")
    return (".".join(parts[n:]) for n in range(len(parts) - 1, -1, -1))
