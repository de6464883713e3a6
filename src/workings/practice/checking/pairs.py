"""Two mistakes at once: the likeliest pairs of those that were tried alone, within a bounded amount of work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.replay import replay
from ...explain.step_view import StepView
from ...explain.trace import Trace
from .candidates import Attempt, Candidate, merged
from .closeness import Closeness, ancestors, closeness
from .noise import noise_type
from .user_array import UserArray

MAX_PAIRED = 40  # mistakes, the nearest to the user's numbers first
MAX_PAIRS = 400
MAX_ENTRIES = 20_000_000  # that all pairs together compute again
MIN_DIGITS = 3  # significant ones of typed numbers: with fewer, some pair would fit anything
MIN_ALL_DIGITS = 12  # of all numbers together


def two_mistakes(
    got: UserArray, view: StepView, measured: list[tuple[Attempt, Closeness]]
) -> tuple[tuple[Candidate, ...], int]:
    """Both mistakes of the only pair that gives these numbers, or none; and how many pairs were tried."""
    if got.array.size * got.digits.get("significant", MIN_ALL_DIGITS) < MIN_ALL_DIGITS:
        return (), 0
    if got.digits.get("significant", MIN_DIGITS) < MIN_DIGITS:
        return (), 0
    tried, fitting = 0, []
    for one, other in _likeliest(view, measured):
        tried += 1
        both = _made(one, other, view)
        if both is not None and both.shape == view.shape and (close := closeness(got, both)).agrees:
            fitting.append((one, other, both, close.gap))
    pairs = [Candidate(f"{a.fit.id} & {b.fit.id}", "mistake", "", "", trace=both.trace) for a, b, both, _ in fitting]
    if len(merged(pairs, noise_type(got), view.step.stage)) != 1:
        return (), tried
    first, second, both, gap = fitting[0]
    whole = _made(first, second, view, whole=True) or both
    return tuple(replace(one.candidate(gap), trace=whole.trace) for one in (first, second)), tried


def _likeliest(view: StepView, measured: list[tuple[Attempt, Closeness]]) -> Iterator[tuple[Attempt, Attempt]]:
    """Pairs of mistakes in different steps. What one step may be computed from is bounded, and so is their number."""
    single = [(attempt, close) for attempt, close in measured if attempt.fit.changes is not None]
    nearest = [attempt for attempt, _ in sorted(single, key=lambda pair: pair[1].gap)[:MAX_PAIRED]]
    size = sum(step.tensor.array.size for step in ancestors(view.recording, view.step)) or 1
    pairs = sorted(combinations(range(len(nearest)), 2), key=sum)
    for one, other in pairs[: min(MAX_PAIRS, MAX_ENTRIES // size)]:
        if _touched(nearest[one]).isdisjoint(_touched(nearest[other])):
            yield nearest[one], nearest[other]


def _touched(attempt: Attempt) -> set[str]:
    changes = attempt.fit.changes or Changes()
    return {*changes.values, *changes.ops, *changes.settings, *changes.wires}


def _made(one: Attempt, other: Attempt, view: StepView, whole: bool = False) -> StepView | None:
    """The step with both mistakes, and what comes after it if the `whole` is wanted; None if they cannot be made
    together.
    """
    assert one.fit.changes is not None
    assert other.fit.changes is not None
    changes, until = one.fit.changes.and_also(other.fit.changes), None if whole else view.id.partition(".")[0]
    try:
        return Trace(run=view.trace.run, recording=replay(view.trace.recording, changes, until=until))[view.path]
    except WorkingsError:
        return None
