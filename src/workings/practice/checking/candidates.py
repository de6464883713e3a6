"""What may have produced a user's numbers: the conventions and mistakes that are possible on the way to a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy

from ...engine.arrays import Index
from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.op import Stage
from ...engine.replay import replay
from ...explain.mistakes import PossibleMistake
from ...explain.mistakes import candidates as possible
from ...explain.step_view import StepView
from ...explain.trace import Trace
from .closeness import ancestors
from .noise import noise_of

CandidateKind: TypeAlias = Literal["rounded", "number type", "convention", "mistake", "relation"]
SAME = 1e-9  # relative: computations whose numbers differ by no more are the same
FORGOTTEN = "forgotten"  # how the ids of steps that were left out end
SMALL = 0.01  # of the largest entry: smaller ones are measured by this


@dataclass(frozen=True)
class Candidate:
    """One thing that may have produced a user's numbers."""

    id: str  # softmax.wrong_axis, convention.norm_epsilon.1e-06, relation.factor
    kind: CandidateKind
    step: str  # the path of the step at which it is made
    hint: str
    gap: float = 0.0  # the largest remaining difference
    by_lines: bool = False  # whether it gives these numbers only if every line was rounded by hand
    also: tuple[str, ...] = ()  # other ids of the very same computation
    also_hints: tuple[str, ...] = ()
    trace: Trace | None = field(default=None, repr=False, compare=False)  # the computation with it


@dataclass(frozen=True)
class DistinguishingEntry:
    """An entry in which candidates differ, and the number of each of them."""

    step: str
    index: Index
    values: tuple[tuple[str, float], ...]  # the id of a candidate, and its number

    @property
    def entry(self) -> str:
        return self.step + "".join(f"[{number}]" for number in self.index)


class Attempt(NamedTuple):
    """A convention or a mistake, and what the step is with it."""

    fit: PossibleMistake
    view: StepView

    def candidate(self, gap: float, by_lines: bool = False) -> Candidate:
        """With the whole computation; or with its beginning, if the mistake makes the rest impossible."""
        kind: CandidateKind = "convention" if self.fit.id.startswith("convention.") else "mistake"
        try:
            trace = self.fit.make()
        except WorkingsError:
            trace = self.view.trace
        return Candidate(self.fit.id, kind, self.fit.step, self.fit.hint, gap, by_lines, trace=trace)


def attempts(view: StepView) -> Iterator[Attempt]:
    """Everything that can go wrong at a step or on the way to it, the nearest first, with its result. Somebody who
    splits heads in a wrong way does so for queries, keys and values: so a mistake is also made everywhere at once, and
    wherever there is a weight.
    """
    everywhere: dict[str, list[PossibleMistake]] = {}
    for fit in _on_the_way(view):
        yield from _made(fit, view)
        if fit.changes is not None:
            everywhere.setdefault(fit.id, []).append(fit)
    for fits in everywhere.values():
        of_weights = [fit for fit in fits if _reads_a_weight(view.trace, fit)]
        if len(fits) > 1:
            yield from _made(_all_at_once(view.trace, fits), view)
        if 1 < len(of_weights) < len(fits):
            yield from _made(_all_at_once(view.trace, of_weights), view)


def _reads_a_weight(trace: Trace, fit: PossibleMistake) -> bool:
    inputs = trace.find_step(fit.step).inputs
    return any(trace.recording.step(id).leaf == "parameter" for id in inputs)


def _on_the_way(view: StepView) -> Iterator[PossibleMistake]:
    trace = view.trace
    outer = trace.find_step(view.step.path.partition("/")[0])
    for step in (outer, *ancestors(trace.recording, outer)):
        for fit in possible(trace, step) if step.op is not None else ():
            # What happens in the backward pass does not show in the forward pass.
            if outer.stage != "forward" or not fit.is_in_rule:
                yield fit
    if trace.run.rerun is not None:
        yield from (fit for fit in possible(trace) if fit.kind == "run")


def _all_at_once(trace: Trace, fits: list[PossibleMistake]) -> PossibleMistake:
    """The same mistake in several places."""
    changes = reduce(Changes.and_also, (fit.changes for fit in fits if fit.changes is not None))

    def make() -> Trace:
        return Trace(run=trace.run, recording=replay(trace.recording, changes))

    return replace(fits[0], step=", ".join(fit.step for fit in fits), make=make, changes=changes)


def _made(fit: PossibleMistake, view: StepView) -> Iterator[Attempt]:
    """The computation with a mistake, up to the step."""
    whole, last = view.trace, view.id.partition(".")[0]
    try:
        if fit.changes is None:
            yield Attempt(fit, fit.make()[view.path])
        else:
            yield Attempt(
                fit, Trace(run=whole.run, recording=replay(whole.recording, fit.changes, until=last))[view.path]
            )
    except WorkingsError:  # it cannot be made here, or the step is missing then
        return


def merged(candidates: list[Candidate], kind: str = "float64", stage: Stage = "update") -> tuple[Candidate, ...]:
    """Candidates whose whole computations are the same, up to this stage, are one; a convention comes before a mistake,
    and a step that was forgotten before one that was passed over. Numbers that are only the noise of the type `kind` do
    not make them different.
    """
    found: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda one: one.kind == "mistake"):
        for number, other in enumerate(found):
            if not _are_one(candidate, other, kind, stage):
                continue
            if candidate.id != other.id and candidate.id not in other.also:
                found[number] = _joined(other, candidate)
            break
        else:
            found.append(candidate)
    return tuple(found)


def _joined(one: Candidate, other: Candidate) -> Candidate:
    """One of two that are the same computation, with the other."""
    if other.kind == one.kind and other.id.endswith(FORGOTTEN) and not one.id.endswith(FORGOTTEN):
        also, hints = (one.id, *one.also), (one.hint, *one.also_hints)
        return replace(other, also=also, also_hints=hints)
    return replace(one, also=(*one.also, other.id), also_hints=(*one.also_hints, other.hint))


def _are_one(one: Candidate, other: Candidate, kind: str, stage: Stage) -> bool:
    """Whether two are the same computation, or the same mistake with and without its rule."""
    if (one.id.partition("+")[0], one.step) == (other.id.partition("+")[0], other.step):
        return True
    return one.trace is not None and other.trace is not None and _same(one.trace, other.trace, kind, stage)


def _same(one: Trace, other: Trace, kind: str, stage: Stage) -> bool:
    """Whether two computations have the same numbers. What only one of them reads was passed over in the other: that
    may have any number.
    """
    steps = {step.path: step for step in other}
    compared = [step for step in one if step.path in steps and (stage != "forward" or step.step.stage == "forward")]
    read_by_one = _read(one, stage) ^ _read(other, stage)
    return all(_are_equal(step, steps[step.path], kind) for step in compared if step.path not in read_by_one)


def _read(trace: Trace, stage: Stage) -> set[str]:
    """The paths of the steps that others read."""
    steps = (step for step in trace.recording.steps.values() if stage != "forward" or step.stage == "forward")
    return {trace.recording.step(id).path for step in steps if step.op is not None for id in step.inputs}


def _are_equal(one: StepView, other: StepView, kind: str) -> bool:
    """Whether two steps have the same numbers, except for noise."""
    if one.value is other.value:
        return True
    if one.shape != other.shape:
        return False
    close = numpy.isclose(one.value, other.value, rtol=SAME, atol=0.0, equal_nan=True)
    return bool(numpy.all(close) or numpy.all(close | _all_noise([one, other], kind)))


def _all_noise(views: list[StepView], kind: str) -> Any:
    """Where the entries of all of these are 0 up to rounding."""
    each = [numpy.abs(numpy.asarray(view.value, dtype=float)) <= noise_of(view, kind) for view in views]
    return numpy.all(numpy.stack(each), axis=0)


def distinguishing_entry(
    candidates: tuple[Candidate, ...], view: StepView, kind: str = "float64"
) -> DistinguishingEntry | None:
    """The entry that distinguishes candidates best: on the way to the step, or if there is none, anywhere."""
    traces = [candidate.trace for candidate in candidates if candidate.trace is not None]
    if len(traces) < 2:
        return None
    on_the_way = [step.path for step in ancestors(view.recording, view.step)]
    rest = [step.path for step in view.trace if step.path not in on_the_way]
    for paths in (on_the_way, rest):
        best = max((_spread(traces, path, kind) for path in paths), default=(0.0, "", ()))
        if best[0] > SAME:
            _, path, index = best
            numbers = ((c.id, float(c.trace[path].value[index])) for c in candidates if c.trace is not None)
            return DistinguishingEntry(path, index, tuple(numbers))
    return None


def _spread(traces: list[Trace], path: str, kind: str) -> tuple[float, str, Index]:
    """The entry of a step at which the closest two of these computations are furthest apart, and how far. Small entries
    count for less than large ones, and noise for nothing.
    """
    try:
        views = [trace[path] for trace in traces]
    except WorkingsError:
        return 0.0, path, ()
    if len({view.shape for view in views}) > 1 or not views[0].value.size:
        return 0.0, path, ()
    ordered = numpy.sort(numpy.stack([numpy.asarray(view.value, dtype=float) for view in views]), axis=0)
    size = numpy.max(numpy.abs(numpy.where(numpy.isfinite(ordered), ordered, 0.0)), axis=0)
    size = numpy.maximum(size, SMALL * numpy.max(size))
    with numpy.errstate(invalid="ignore", divide="ignore"):
        least = numpy.min(numpy.diff(ordered, axis=0), axis=0) / size
    least = numpy.where(numpy.isfinite(least) & ~_all_noise(views, kind), least, 0.0)
    index = tuple(int(n) for n in numpy.unravel_index(int(numpy.argmax(least)), least.shape))
    return float(least[index]), path, index
