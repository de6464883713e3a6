"""How somebody's numbers may have come about: the conventions and mistakes that can be made on the way to a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Literal, NamedTuple, TypeAlias

import numpy

from ...engine.arrays import Array, Index
from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.recording import Recording
from ...engine.replay import replay
from ...explain.fitting import Fit
from ...explain.fitting import candidates as possible
from ...explain.step_view import StepView
from ...explain.view import Trace
from .closeness import before

Kind: TypeAlias = Literal["rounded", "number type", "convention", "mistake", "relation"]
SAME = 1e-9  # two computations whose numbers differ by no more than this part of them are one


@dataclass(frozen=True)
class Candidate:
    """One way in which somebody's numbers may have come about."""

    id: str  # softmax.wrong_axis, convention.norm_epsilon.1e-06, relation.factor
    kind: Kind
    step: str  # the path of the step at which it is made
    hint: str
    gap: float = 0.0  # the largest difference that is left
    by_lines: bool = False  # whether it gives these numbers only if every line was rounded by hand
    also: tuple[str, ...] = ()  # other ids that make the very same computation
    also_hints: tuple[str, ...] = ()  # and what they say about it
    trace: Trace | None = field(default=None, repr=False, compare=False)  # the computation with it


@dataclass(frozen=True)
class Apart:
    """An entry that tells candidates apart: what each of them has there."""

    step: str
    index: Index
    values: tuple[tuple[str, float], ...]  # the id of a candidate, and its number

    @property
    def entry(self) -> str:
        return self.step + "".join(f"[{place}]" for place in self.index)


class Made(NamedTuple):
    """A convention or a mistake that was made, and what the step is then."""

    fit: Fit
    view: StepView

    def candidate(self, gap: float, by_lines: bool = False) -> Candidate:
        """With the whole computation; or with its beginning, where the mistake makes the rest impossible."""
        kind: Kind = "convention" if self.fit.id.startswith("convention.") else "mistake"
        try:
            trace = self.fit.make()
        except WorkingsError:
            trace = self.view.trace
        return Candidate(self.fit.id, kind, self.fit.step, self.fit.hint, gap, by_lines, trace=trace)


def made_before(view: StepView) -> Iterator[Made]:
    """Everything that can go wrong at a step or on the way to it, the nearest first, with what comes of it. Whoever
    splits heads in a wrong way does so with queries, keys and values: so a mistake is also made in all places at once.
    """
    everywhere: dict[str, list[Fit]] = {}
    for fit in _on_the_way(view):
        yield from _made(fit, view)
        if fit.changes is not None:
            everywhere.setdefault(fit.id, []).append(fit)
    for fits in everywhere.values():
        if len(fits) > 1:
            yield from _made(_all_at_once(view.trace, fits), view)


def _on_the_way(view: StepView) -> Iterator[Fit]:
    trace = view.trace
    outer = trace.find_step(view.step.path.partition("/")[0])
    for step in (outer, *before(trace.recording, outer)):
        for fit in possible(trace, step) if step.op is not None else ():
            # What is done going back is not to be seen in the forward pass.
            if outer.stage != "forward" or not fit.is_in_rule:
                yield fit
    if trace.rerun is not None:
        yield from (fit for fit in possible(trace) if fit.kind == "run")


def _all_at_once(trace: Trace, fits: list[Fit]) -> Fit:
    """The same mistake in several places."""
    changes = reduce(Changes.and_also, (fit.changes for fit in fits if fit.changes is not None))

    def make() -> Trace:
        return _with(trace, replay(trace.recording, changes))

    return replace(fits[0], step=", ".join(fit.step for fit in fits), make=make, changes=changes)


def _made(fit: Fit, view: StepView) -> Iterator[Made]:
    """What comes of it up to the step: nobody looks further yet."""
    whole, last = view.trace, view.id.partition(".")[0]
    try:
        if fit.changes is None:
            yield Made(fit, fit.make()[view.path])
        else:
            yield Made(fit, _with(whole, replay(whole.recording, fit.changes, until=last))[view.path])
    except WorkingsError:  # it cannot be made here, or the step is not there then
        return


def _with(trace: Trace, recording: Recording) -> Trace:
    return Trace(style=trace.style, aliases=trace.aliases, recording=recording)


def merged(candidates: list[Candidate]) -> tuple[Candidate, ...]:
    """Candidates whose whole computations are the same are one; a convention stands before a mistake."""
    found: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda one: one.kind == "mistake"):
        for number, other in enumerate(found):
            if not _are_one(candidate, other):
                continue
            if candidate.id != other.id and candidate.id not in other.also:
                hints = (*other.also_hints, candidate.hint)
                found[number] = replace(other, also=(*other.also, candidate.id), also_hints=hints)
            break
        else:
            found.append(candidate)
    return tuple(found)


def _are_one(one: Candidate, other: Candidate) -> bool:
    """Whether two are the same computation, or the same mistake, made also going back or not."""
    if (one.id.partition("+")[0], one.step) == (other.id.partition("+")[0], other.step):
        return True
    return one.trace is not None and other.trace is not None and _same(one.trace, other.trace)


def _same(one: Trace, other: Trace) -> bool:
    values = {step.path: step.value for step in other}
    pairs = [(step.value, values[step.path]) for step in one if step.path in values]
    return all(mine is theirs or _close(mine, theirs) for mine, theirs in pairs)


def _close(one: Array, other: Array) -> bool:
    return one.shape == other.shape and numpy.allclose(one, other, rtol=SAME, atol=0.0, equal_nan=True)


def telling(candidates: tuple[Candidate, ...], view: StepView) -> Apart | None:
    """The entry that tells candidates apart best: on the way to the step, or if there is none, anywhere."""
    traces = [candidate.trace for candidate in candidates if candidate.trace is not None]
    if len(traces) < 2:
        return None
    on_the_way = [step.path for step in before(view.recording, view.step)]
    rest = [step.path for step in view.trace if step.path not in on_the_way]
    for paths in (on_the_way, rest):
        best = max((_spread(traces, path) for path in paths), default=(0.0, "", ()))
        if best[0] > SAME:
            _, path, index = best
            numbers = ((c.id, float(c.trace[path].value[index])) for c in candidates if c.trace is not None)
            return Apart(path, index, tuple(numbers))
    return None


def _spread(traces: list[Trace], path: str) -> tuple[float, str, Index]:
    """How far apart these computations are at the entry of a step where the nearest two are furthest apart."""
    try:
        arrays = [numpy.asarray(trace[path].value, dtype=float) for trace in traces]
    except WorkingsError:
        return 0.0, path, ()
    if len({array.shape for array in arrays}) > 1 or not arrays[0].size:
        return 0.0, path, ()
    ordered = numpy.sort(numpy.stack(arrays), axis=0)
    size = numpy.max(numpy.abs(numpy.where(numpy.isfinite(ordered), ordered, 0.0)), axis=0)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        least = numpy.min(numpy.diff(ordered, axis=0), axis=0) / size
    least = numpy.where(numpy.isfinite(least), least, 0.0)
    index = tuple(int(n) for n in numpy.unravel_index(int(numpy.argmax(least)), least.shape))
    return float(least[index]), path, index
